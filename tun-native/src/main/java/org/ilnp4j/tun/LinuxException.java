package org.ilnp4j.tun;

import java.io.IOException;

/**
 * A system call that failed: what was tried, on which object, the kernel's error, and what a person
 * can do about it. {@link #getMessage()} is one line that holds all of it.
 */
public final class LinuxException extends IOException {
  private static final long serialVersionUID = 1L;

  private final String operation;
  private final String object;
  private final int errno;
  private final String hint;

  /** With the hint that is usual for this error. */
  public LinuxException(String operation, String object, int errno) {
    this(operation, object, errno, usualHint(object, errno));
  }

  /**
   * @param operation the verb and what it acts on, as {@code attach TUN device}
   * @param object the device, file or address, as {@code ilnp0}
   * @param errno a positive error number
   * @param hint what to do about it; empty if nothing useful can be said
   */
  public LinuxException(String operation, String object, int errno, String hint) {
    super(message(operation, object, errno, hint));
    this.operation = operation;
    this.object = object;
    this.errno = errno;
    this.hint = hint;
  }

  /** What was tried, as {@code attach TUN device}. */
  public String operation() {
    return operation;
  }

  /** The device, file or address it was tried on. */
  public String object() {
    return object;
  }

  /** The kernel's error number, positive. */
  public int errno() {
    return errno;
  }

  /** The kernel's error name, as {@code EBUSY}. */
  public String errnoName() {
    return Errno.name(errno);
  }

  /** What a person can do about it; empty if nothing useful can be said. */
  public String hint() {
    return hint;
  }

  private static String message(String operation, String object, int errno, String hint) {
    String what =
        "cannot "
            + operation
            + " "
            + object
            + ": "
            + Errno.description(errno)
            + " ("
            + Errno.name(errno)
            + ")";
    return hint.isEmpty() ? what : what + "; " + hint;
  }

  private static String usualHint(String object, int errno) {
    boolean tunNode = object.equals(TunDevice.NODE);
    return switch (errno) {
      case Errno.EPERM, Errno.EACCES ->
          tunNode
              ? "run as root, or grant CAP_NET_ADMIN and read-write access to " + object
              : "run as root, or grant CAP_NET_ADMIN and CAP_NET_RAW";
      case Errno.ENOENT ->
          tunNode
              ? "make the node: mkdir -p /dev/net && mknod /dev/net/tun c 10 200 && modprobe tun"
              : "";
      case Errno.ENODEV, Errno.ENXIO ->
          tunNode ? "load the driver: modprobe tun" : "list the interfaces with: ip link";
      case Errno.ENETDOWN -> "set the interface up first";
      case Errno.EMFILE -> "raise the limit of open files: ulimit -n";
      default -> "";
    };
  }
}

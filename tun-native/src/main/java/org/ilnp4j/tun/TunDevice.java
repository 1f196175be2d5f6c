package org.ilnp4j.tun;

import static org.ilnp4j.tun.Native.LIBC;

import java.io.Closeable;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;

/**
 * A TUN network device (layer 3, no packet information header), non-blocking. It exists as long as
 * this object is open: the kernel removes it, and every route to it, on close and when the process
 * dies.
 *
 * <p>Open it once and early: attaching brings the carrier up only after about a second when the
 * device existed before, and routes need it.
 *
 * <p>With {@link Offload#VNET_HDR} each packet in either direction starts with the 10 octets of
 * {@code struct virtio_net_hdr} in native byte order, TCP super-segments over IPv6 up to 64 KiB
 * pass in one call, and packets may carry partial checksums in both directions.
 *
 * <p>Not thread-safe; one thread reads and writes. There is no blocking call: register {@link
 * #fd()} with epoll and drain until 0.
 */
public final class TunDevice implements Closeable {
  /** The device node through which TUN devices are made. */
  public static final String NODE = "/dev/net/tun";

  /** Octets before each packet with {@link Offload#VNET_HDR}. */
  public static final int VNET_HDR_BYTES = 10;

  /** Size of {@code struct iovec}: address and length, 8 octets each. */
  public static final int IOVEC_BYTES = 16;

  private static final long TUNSETIFF = 0x400454caL;
  private static final long TUNSETOFFLOAD = 0x400454d0L;
  private static final short IFF_TUN = 0x0001;
  private static final short IFF_NO_PI = 0x1000;
  private static final short IFF_VNET_HDR = 0x4000;
  private static final int TUN_F_CSUM = 0x01;
  private static final int TUN_F_TSO6 = 0x04;

  /** Letters, digits and a few marks; at most one %d that the kernel numbers. */
  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_.-]+(%d)?[A-Za-z0-9_.-]*");

  /** What the device does for the program besides carrying packets. */
  public enum Offload {
    /** Plain packets, at most the MTU, checksums complete. */
    NONE,
    /** virtio-net header, checksum offload and TCP segmentation over IPv6, both directions. */
    VNET_HDR
  }

  private final String name;
  private final Offload offload;
  private int fd;

  private TunDevice(int fd, String name, Offload offload) {
    this.fd = fd;
    this.name = name;
    this.offload = offload;
  }

  /**
   * Makes the device, or attaches to a persistent one of that name.
   *
   * @param pattern a name of at most 15 characters; {@code %d} in it is numbered by the kernel
   * @throws LinuxException without permission, without {@link #NODE}, or if the name is in use
   * @throws IllegalArgumentException if the kernel could never accept the name
   */
  public static TunDevice open(String pattern, Offload offload) throws LinuxException {
    checkName(pattern);
    int fd = LIBC.open(NODE, Native.O_RDWR | Native.O_NONBLOCK | Native.O_CLOEXEC);
    if (fd < 0) {
      throw Native.failure("open", NODE);
    }
    try {
      return new TunDevice(fd, attach(fd, pattern, offload), offload);
    } catch (LinuxException e) {
      LIBC.close(fd);
      throw e;
    }
  }

  private static void checkName(String pattern) {
    // "%d" grows to at least one digit, so it may be one octet shorter than it looks.
    int shortest = pattern.length() - (pattern.contains("%d") ? 1 : 0);
    if (shortest >= Native.IFNAMSIZ || !NAME.matcher(pattern).matches()) {
      throw new IllegalArgumentException(
          "\""
              + pattern
              + "\" is no device name: use at most 15 letters, digits, '_', '-', '.', and one %d"
              + " for a number of the kernel's choice");
    }
  }

  private static String attach(int fd, String pattern, Offload offload) throws LinuxException {
    boolean vnet = offload == Offload.VNET_HDR;
    ByteBuffer ifreq = Native.allocate(Native.IFREQ_BYTES);
    ifreq.put(0, pattern.getBytes(StandardCharsets.US_ASCII));
    ifreq.putShort(Native.IFNAMSIZ, (short) (IFF_TUN | IFF_NO_PI | (vnet ? IFF_VNET_HDR : 0)));
    if (Native.with(ifreq, a -> LIBC.ioctl(fd, TUNSETIFF, a)) < 0) {
      throw attachFailure(pattern, Native.errno());
    }
    String name = InterfaceName.read(ifreq, 0);
    if (vnet && LIBC.ioctl(fd, TUNSETOFFLOAD, TUN_F_CSUM | TUN_F_TSO6) < 0) {
      throw Native.failure("enable segmentation offload of TUN device", name);
    }
    return name;
  }

  private static LinuxException attachFailure(String pattern, int errno) {
    String hint =
        switch (errno) {
          case Errno.EBUSY ->
              "another program holds it: stop that program or choose another device name";
          case Errno.EINVAL ->
              "an interface of that name exists and is no TUN device of this kind: choose another"
                  + " name or remove it (ip link del "
                  + pattern
                  + ")";
          case Errno.EPERM -> "run as root, or grant CAP_NET_ADMIN";
          default -> "";
        };
    return new LinuxException("attach TUN device", pattern, errno, hint);
  }

  /** The name the kernel gave, without pattern. */
  public String name() {
    return name;
  }

  public Offload offload() {
    return offload;
  }

  /** The descriptor, for epoll; -1 after close. Owned by this object. */
  public int fd() {
    return fd;
  }

  /**
   * Reads one packet (with its virtio-net header, if on) to memory at {@code address}.
   *
   * @param capacity octets available; a longer packet is cut
   * @return octets read, or 0 if none is waiting
   */
  public int read(long address, int capacity) throws LinuxException {
    while (true) {
      long n = LIBC.read(fd, address, capacity);
      if (n >= 0) {
        return (int) n;
      }
      int errno = Native.errno();
      if (errno == Errno.EAGAIN) {
        return 0;
      }
      if (errno != Errno.EINTR) {
        throw new LinuxException("read from TUN device", name, errno);
      }
    }
  }

  /**
   * Hands one packet (after its virtio-net header, if on) to the kernel.
   *
   * @return {@code length}, or 0 if the kernel has no room now; the packet was not taken
   * @throws LinuxException EIO while the device is down, EINVAL for a packet that is not IP
   */
  public int write(long address, int length) throws LinuxException {
    while (true) {
      long n = LIBC.write(fd, address, length);
      if (n >= 0) {
        return (int) n;
      }
      if (!isToBeRepeated(Native.errno())) {
        return 0;
      }
    }
  }

  /**
   * Hands one packet in pieces to the kernel: its virtio-net header, if on, and everything behind
   * it.
   *
   * @param iovecs address of {@code count} times {@code struct iovec} ({@value #IOVEC_BYTES}
   *     octets: address, length)
   * @return octets written, or 0 if the kernel has no room now; the packet was not taken
   */
  public int writeGathered(long iovecs, int count) throws LinuxException {
    while (true) {
      long n = LIBC.writev(fd, iovecs, count);
      if (n >= 0) {
        return (int) n;
      }
      if (!isToBeRepeated(Native.errno())) {
        return 0;
      }
    }
  }

  /** False when the kernel has no room now. */
  private boolean isToBeRepeated(int errno) throws LinuxException {
    if (errno == Errno.EINTR) {
      return true;
    }
    if (errno == Errno.EAGAIN || errno == Errno.ENOBUFS) {
      return false;
    }
    String hint = errno == Errno.EIO ? "set it up first: ip link set " + name + " up" : "";
    throw new LinuxException("write to TUN device", name, errno, hint);
  }

  /** Removes the device. Idempotent. Leave the epoll loop first: close wakes nobody. */
  @Override
  public void close() {
    if (fd >= 0) {
      LIBC.close(fd);
      fd = -1;
    }
  }
}

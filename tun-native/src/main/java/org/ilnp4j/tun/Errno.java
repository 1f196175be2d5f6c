package org.ilnp4j.tun;

/** Names and numbers of the kernel's errors. */
public final class Errno {
  public static final int EPERM = 1;
  public static final int ENOENT = 2;
  public static final int ESRCH = 3;
  public static final int EINTR = 4;
  public static final int EIO = 5;
  public static final int ENXIO = 6;
  public static final int EAGAIN = 11;
  public static final int ENOMEM = 12;
  public static final int EACCES = 13;
  public static final int EBUSY = 16;
  public static final int EEXIST = 17;
  public static final int ENODEV = 19;
  public static final int EINVAL = 22;
  public static final int EMFILE = 24;
  public static final int ENOPROTOOPT = 92;
  public static final int EOPNOTSUPP = 95;
  public static final int EADDRNOTAVAIL = 99;
  public static final int ENETDOWN = 100;
  public static final int ENETUNREACH = 101;
  public static final int ENOBUFS = 105;
  public static final int EHOSTUNREACH = 113;

  private Errno() {}

  /** The symbolic name, as {@code EBUSY}; {@code errno 4711} for a number without one. */
  public static String name(int errno) {
    return switch (known(errno)) {
      case __UNKNOWN_CONSTANT__ -> "errno " + errno;
      // Linux gives two names to these numbers; the constants table answers with the rarer one.
      case EWOULDBLOCK, EAGAIN -> "EAGAIN";
      case EOPNOTSUPP, ENOTSUP -> "EOPNOTSUPP";
      default -> known(errno).name();
    };
  }

  /** The text of {@code strerror}, as {@code Device or resource busy}. */
  public static String description(int errno) {
    jnr.constants.platform.Errno known = known(errno);
    return known == jnr.constants.platform.Errno.__UNKNOWN_CONSTANT__
        ? "unknown error"
        : known.description();
  }

  private static jnr.constants.platform.Errno known(int errno) {
    return jnr.constants.platform.Errno.valueOf(errno);
  }
}

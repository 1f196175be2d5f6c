package org.ilnp4j.tun;

import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.function.LongUnaryOperator;
import jnr.ffi.LastError;
import jnr.ffi.LibraryLoader;
import jnr.ffi.Pointer;
import jnr.ffi.Runtime;
import jnr.ffi.annotations.Variadic;
import jnr.ffi.types.size_t;
import jnr.ffi.types.ssize_t;
import jnr.ffi.types.u_int64_t;
import jnr.ffi.types.uintptr_t;

/**
 * The binding to libc: the few functions needed, the constants of their arguments, and errno.
 *
 * <p>Rules for declarations: at most five parameters (the stub generator of jnr-ffi passes garbage
 * as the sixth integer argument on x86-64, so {@code sendto}, {@code recvfrom}, {@code mmap} are
 * out), and memory as a raw {@code long} address of a direct buffer (half the cost of passing a
 * buffer object).
 *
 * <p>errno is per thread and stale after success: read it only after a call returned -1, on the
 * same thread, before any other native call.
 */
final class Native {
  static final int O_RDONLY = 0;
  static final int O_WRONLY = 1;
  static final int O_RDWR = 2;
  static final int O_NONBLOCK = 0x800;
  static final int O_CLOEXEC = 0x80000;

  static final int AF_INET = 2;
  static final int AF_INET6 = 10;
  static final int AF_NETLINK = 16;
  static final int SOCK_DGRAM = 2;
  static final int SOCK_RAW = 3;
  static final int SOCK_NONBLOCK = O_NONBLOCK;
  static final int SOCK_CLOEXEC = O_CLOEXEC;

  static final int SOL_SOCKET = 1;
  static final int SO_RCVBUF = 8;
  static final int SO_RCVTIMEO = 20;
  static final int SO_BINDTODEVICE = 25;
  static final int SO_RCVBUFFORCE = 33;
  static final int SO_NETNS_COOKIE = 71;

  static final int MSG_CTRUNC = 0x8;
  static final int MSG_TRUNC = 0x20;

  static final int CLONE_NEWNET = 0x4000_0000;
  static final int EFD_NONBLOCK = O_NONBLOCK;
  static final int EFD_CLOEXEC = O_CLOEXEC;
  static final short POLLIN = 1;
  static final int PR_SET_TIMERSLACK = 29;
  static final int SCHED_RR = 2;
  static final int PRIO_PROCESS = 0;

  static final int IFNAMSIZ = 16;

  /** The size of {@code struct ifreq} on a 64-bit system. */
  static final int IFREQ_BYTES = 40;

  private static final Runtime RUNTIME;

  static final LibC LIBC;

  static {
    LIBC = LibraryLoader.create(LibC.class).load("c");
    RUNTIME = Runtime.getRuntime(LIBC);
  }

  private Native() {}

  /**
   * The C functions. Public only inside this package-private class: the generated implementation
   * lives in another class loader and must be able to implement it.
   */
  public interface LibC {
    int open(String path, int flags);

    int close(int fd);

    int flock(int fd, int operation);

    @ssize_t
    long read(int fd, @uintptr_t long address, @size_t long count);

    @ssize_t
    long write(int fd, @uintptr_t long address, @size_t long count);

    @ssize_t
    long writev(int fd, @uintptr_t long iovecs, int count);

    @Variadic(fixedCount = 2)
    int ioctl(int fd, @u_int64_t long request, @uintptr_t long argument);

    int socket(int domain, int type, int protocol);

    int bind(int fd, @uintptr_t long address, int length);

    int setsockopt(int fd, int level, int option, @uintptr_t long value, int length);

    int getsockopt(
        int fd, int level, int option, @uintptr_t long value, @uintptr_t long lengthAddress);

    @ssize_t
    long recv(int fd, @uintptr_t long address, @size_t long length, int flags);

    @ssize_t
    long send(int fd, @uintptr_t long address, @size_t long length, int flags);

    @ssize_t
    long recvmsg(int fd, @uintptr_t long msghdr, int flags);

    @ssize_t
    long sendmsg(int fd, @uintptr_t long msghdr, int flags);

    int setns(int fd, int type);

    int eventfd(int initial, int flags);

    int ppoll(
        @uintptr_t long fds,
        @u_int64_t long count,
        @uintptr_t long timespec,
        @uintptr_t long signalMask);

    int setpriority(int which, int id, int nice);

    int sched_setscheduler(int thread, int policy, @uintptr_t long priority);

    @Variadic(fixedCount = 1)
    int prctl(int option, @u_int64_t long argument);
  }

  /** The error of the native call that has just returned -1 on this thread. */
  static int errno() {
    return LastError.getLastError(RUNTIME);
  }

  /** The exception for the native call that has just returned -1 on this thread. */
  static LinuxException failure(String operation, String object) {
    return new LinuxException(operation, object, errno());
  }

  /** Zeroed memory in native byte order whose {@link #address} can be handed to the kernel. */
  static ByteBuffer allocate(int bytes) {
    return ByteBuffer.allocateDirect(bytes).order(ByteOrder.nativeOrder());
  }

  /** The address of index 0. The caller keeps the buffer reachable while the kernel uses it. */
  static long address(ByteBuffer direct) {
    // The wrapper adds the position, which is of no interest here.
    return Pointer.wrap(RUNTIME, direct.duplicate().clear()).address();
  }

  /** Calls {@code f} with the address of a buffer that stays reachable until it returns. */
  static long with(ByteBuffer direct, LongUnaryOperator f) {
    try {
      return f.applyAsLong(address(direct));
    } finally {
      Reference.reachabilityFence(direct);
    }
  }

  /** Opens a socket; {@code what} names it in the error. */
  static int socket(int domain, int type, int protocol, String what) throws LinuxException {
    int fd = LIBC.socket(domain, type, protocol);
    if (fd < 0) {
      throw failure("open", what);
    }
    return fd;
  }

  /** Sets an option whose value is a byte string; returns false with errno set on failure. */
  static boolean setOption(int fd, int level, int option, byte[] value) {
    ByteBuffer v = allocate(Math.max(1, value.length));
    v.put(0, value);
    return with(v, a -> LIBC.setsockopt(fd, level, option, a, value.length)) == 0;
  }

  /** Sets an option whose value is an int; returns false with errno set on failure. */
  static boolean setOption(int fd, int level, int option, int value) {
    ByteBuffer v = allocate(Integer.BYTES);
    v.putInt(0, value);
    return with(v, a -> LIBC.setsockopt(fd, level, option, a, Integer.BYTES)) == 0;
  }
}

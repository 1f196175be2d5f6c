package org.ilnp4j.tun;

import static org.ilnp4j.tun.Native.LIBC;

import java.io.Closeable;
import java.nio.file.Path;

/**
 * An exclusive lock on a directory among all processes (flock(2)). It leaves no file behind, and
 * the kernel releases it when the holder dies.
 */
public final class DirectoryLock implements Closeable {
  private static final int LOCK_EX = 2;

  private int fd;

  private DirectoryLock(int fd) {
    this.fd = fd;
  }

  /** Waits until the lock is free and takes it. The directory must exist. */
  public static DirectoryLock take(Path directory) throws LinuxException {
    String name = directory.toString();
    int fd = LIBC.open(name, Native.O_RDONLY | Native.O_CLOEXEC);
    if (fd < 0) {
      throw Native.failure("open directory", name);
    }
    while (LIBC.flock(fd, LOCK_EX) < 0) {
      int errno = Native.errno();
      if (errno != Errno.EINTR) {
        LIBC.close(fd);
        throw new LinuxException("lock directory", name, errno);
      }
    }
    return new DirectoryLock(fd);
  }

  @Override
  public void close() {
    if (fd >= 0) {
      LIBC.close(fd);
      fd = -1;
    }
  }
}

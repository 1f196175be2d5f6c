package org.ilnp4j.tun;

import static org.ilnp4j.tun.Native.LIBC;

import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;

/**
 * Runs code inside a network namespace that {@code ip netns} knows. A namespace belongs to a
 * thread, so the code has one to itself; descriptors it opens (TUN devices, sockets) stay in the
 * namespace whichever thread uses them afterwards.
 */
public final class NetworkNamespace {
  /** Where {@code ip netns} keeps the names. */
  public static final Path DIRECTORY = Path.of("/run/netns");

  private NetworkNamespace() {}

  /**
   * Runs {@code body} inside and waits for it.
   *
   * @param name as {@code ip netns list} shows it
   * @throws LinuxException when there is no such namespace, or without CAP_SYS_ADMIN
   * @throws IOException as the body does; checked exceptions of other kinds come wrapped
   */
  public static <T> T call(String name, Callable<T> body) throws IOException {
    FutureTask<T> task =
        new FutureTask<>(
            () -> {
              enter(DIRECTORY.resolve(name).toString());
              return body.call();
            });
    Thread inside = new Thread(task, "in " + name);
    inside.start();
    try {
      return task.get();
    } catch (ExecutionException e) {
      if (e.getCause() instanceof IOException failure) {
        throw failure;
      }
      if (e.getCause() instanceof RuntimeException failure) {
        throw failure;
      }
      if (e.getCause() instanceof Error failure) {
        throw failure;
      }
      throw new IllegalStateException("inside namespace " + name, e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted inside namespace " + name, e);
    }
  }

  private static void enter(String path) throws LinuxException {
    int fd = LIBC.open(path, Native.O_RDONLY | Native.O_CLOEXEC);
    if (fd < 0) {
      throw failure("open", path);
    }
    LinuxException failure =
        LIBC.setns(fd, Native.CLONE_NEWNET) < 0 ? failure("enter", path) : null;
    LIBC.close(fd);
    if (failure != null) {
      throw failure;
    }
  }

  private static LinuxException failure(String verb, String path) {
    int errno = Native.errno();
    String hint =
        switch (errno) {
          case Errno.ENOENT -> "\"ip netns\" lists those there are; make one with: ip netns add";
          case Errno.EPERM, Errno.EACCES -> "run as root, or grant CAP_SYS_ADMIN";
          default -> "";
        };
    return new LinuxException(verb + " network namespace", path, errno, hint);
  }
}

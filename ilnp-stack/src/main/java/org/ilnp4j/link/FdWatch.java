package org.ilnp4j.link;

import io.netty.channel.IoEvent;
import io.netty.channel.IoEventLoop;
import io.netty.channel.IoRegistration;
import io.netty.channel.epoll.EpollIoHandle;
import io.netty.channel.epoll.EpollIoOps;
import io.netty.channel.unix.FileDescriptor;

/**
 * Runs an action on an epoll event loop whenever a descriptor can be read. Level-triggered: the
 * action reads until nothing is left, or is called again. Does not own the descriptor.
 */
public final class FdWatch implements AutoCloseable {
  private final IoRegistration registration;

  private FdWatch(IoRegistration registration) {
    this.registration = registration;
  }

  /** Starts watching. Off the loop thread it blocks until the loop has taken it over. */
  public static FdWatch open(IoEventLoop loop, int fd, Runnable onReadable) {
    FileDescriptor descriptor = new FileDescriptor(fd);
    IoRegistration registration =
        loop.register(
                new EpollIoHandle() {
                  @Override
                  public FileDescriptor fd() {
                    return descriptor;
                  }

                  @Override
                  public void handle(IoRegistration r, IoEvent event) {
                    onReadable.run();
                  }

                  @Override
                  public void registered() {}

                  @Override
                  public void unregistered() {}

                  @Override
                  public void close() {}
                })
            .syncUninterruptibly()
            .getNow();
    registration.submit(EpollIoOps.EPOLLIN);
    return new FdWatch(registration);
  }

  /** Stops watching; the descriptor may be closed after this. Loop thread only. */
  @Override
  public void close() {
    registration.cancel();
  }
}

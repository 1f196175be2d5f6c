package org.ilnp4j.proxy;

import io.netty.channel.IoHandle;
import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerContext;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.IoOps;
import io.netty.channel.IoRegistration;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollIoOps;

/**
 * Netty's epoll handler with two changes, both for sockets that are half-closed while nothing is
 * read from them:
 *
 * <ul>
 *   <li>A registration that asks for no event is taken out of the epoll set, and asking for one
 *       afterwards fails with ENOENT (Netty 4.2.18; since netty/netty#16689): the next write that
 *       has to wait would close the socket and cut a download short. Here it stays in the set with
 *       {@code EPOLLET} alone, which tells of a hang-up once instead of for ever.
 *   <li>{@code EPOLLRDHUP} is not asked for, as Netty answers it by reading all there is, whether
 *       anybody wants to read or not. A FIN is noticed when it is read, after what came before it.
 * </ul>
 */
final class EpollHandler implements IoHandler {
  private final IoHandler netty;

  private EpollHandler(IoHandler netty) {
    this.netty = netty;
  }

  static IoHandlerFactory factory() {
    IoHandlerFactory factory = EpollIoHandler.newFactory();
    return executor -> new EpollHandler(factory.newHandler(executor));
  }

  @Override
  public IoRegistration register(IoHandle handle) throws Exception {
    return new Registration(netty.register(handle));
  }

  @Override
  public void initialize() {
    netty.initialize();
  }

  @Override
  public int run(IoHandlerContext context) {
    return netty.run(context);
  }

  @Override
  public void prepareToDestroy() {
    netty.prepareToDestroy();
  }

  @Override
  public void destroy() {
    netty.destroy();
  }

  @Override
  public void wakeup() {
    netty.wakeup();
  }

  @Override
  public boolean isCompatible(Class<? extends IoHandle> handleType) {
    return netty.isCompatible(handleType);
  }

  private record Registration(IoRegistration netty) implements IoRegistration {
    @Override
    public long submit(IoOps ops) {
      if (ops instanceof EpollIoOps epoll) {
        EpollIoOps wanted = epoll.without(EpollIoOps.EPOLLRDHUP);
        return netty.submit(wanted.value() == 0 ? EpollIoOps.EPOLLET : wanted);
      }
      return netty.submit(ops);
    }

    @Override
    public <T> T attachment() {
      return netty.attachment();
    }

    @Override
    public boolean isValid() {
      return netty.isValid();
    }

    @Override
    public boolean cancel() {
      return netty.cancel();
    }
  }
}

package org.ilnp4j.proxy;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.AdaptiveRecvByteBufAllocator;
import io.netty.channel.ChannelFactory;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.IoEventLoop;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.ServerChannel;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandle;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;

/** Kernel TCP sockets towards local programs, of the kind that fits the host's loop. */
public final class LocalTransport {
  /** Small reads shrink the buffer, so that a trickle of octets does not pin large ones. */
  private static final int MIN_READ_BYTES = 512;

  private static final int INITIAL_READ_BYTES = 64 << 10;
  private static final int MAX_READ_BYTES = 128 << 10;

  private final EventLoop loop;
  private final RelayOptions options;
  private final ChannelFactory<? extends ServerChannel> serverChannels;
  private final ChannelFactory<? extends SocketChannel> channels;

  public LocalTransport(EventLoop loop, RelayOptions options) {
    this.loop = loop;
    this.options = options;
    if (loop instanceof IoEventLoop io && io.isCompatible(EpollIoHandle.class)) {
      serverChannels = EpollServerSocketChannel::new;
      channels = EpollSocketChannel::new;
    } else {
      serverChannels = NioServerSocketChannel::new;
      channels = NioSocketChannel::new;
    }
  }

  /** What to build a loop with: epoll where there is epoll, NIO elsewhere. */
  public static IoHandlerFactory ioHandlers() {
    return Epoll.isAvailable() ? EpollHandler.factory() : NioIoHandler.newFactory();
  }

  EventLoop eventLoop() {
    return loop;
  }

  /** Accepts local programs; the caller adds a child handler. */
  ServerBootstrap server() {
    return options
        .applyToChildren(new ServerBootstrap())
        .group(loop)
        .channelFactory(serverChannels)
        .option(ChannelOption.SO_REUSEADDR, true)
        .option(ChannelOption.SO_BACKLOG, 1024)
        .childOption(ChannelOption.RECVBUF_ALLOCATOR, receiveBuffers());
  }

  /** Connects to local programs; the caller adds a handler. */
  Bootstrap client() {
    return options
        .apply(new Bootstrap())
        .group(loop)
        .channelFactory(channels)
        .option(ChannelOption.RECVBUF_ALLOCATOR, receiveBuffers());
  }

  private static AdaptiveRecvByteBufAllocator receiveBuffers() {
    return new AdaptiveRecvByteBufAllocator(MIN_READ_BYTES, INITIAL_READ_BYTES, MAX_READ_BYTES);
  }
}

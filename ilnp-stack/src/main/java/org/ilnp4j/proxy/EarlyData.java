package org.ilnp4j.proxy;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.util.ArrayDeque;
import java.util.Queue;

/**
 * Keeps what a local program sends before there is somewhere to send it. Needed even where nothing
 * is read yet: an epoll channel reads unasked when it hears of an error.
 */
class EarlyData extends ChannelInboundHandlerAdapter {
  private final Queue<ByteBuf> early = new ArrayDeque<>();
  private int bytes;

  /** Octets kept. */
  final int bytes() {
    return bytes;
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object msg) {
    ByteBuf data = (ByteBuf) msg;
    early.add(data);
    bytes += data.readableBytes();
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    ctx.close();
  }

  /** Passes on what was kept. To be called before this handler is removed. */
  final void sendTo(Channel other) {
    for (ByteBuf data; (data = early.poll()) != null; ) {
      other.write(data, other.voidPromise());
    }
    other.flush();
  }

  @Override
  public void handlerRemoved(ChannelHandlerContext ctx) {
    for (ByteBuf data; (data = early.poll()) != null; ) {
      data.release();
    }
  }
}

package org.ilnp4j.proxy;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.DuplexChannel;
import io.netty.util.concurrent.Future;
import org.ilnp4j.netty.IlnpSocketChannel;

/**
 * In the pipeline of a local program while the session it wants is opened. Takes the dial back when
 * the program goes away; keeps what it says too early, up to a limit.
 */
final class WaitingClient extends EarlyData {
  static final int MAX_EARLY_BYTES = 64 << 10;

  private final Future<IlnpSocketChannel> dial;
  private final boolean awaitsReply;

  /**
   * @param awaitsReply a client of this protocol has nothing to gain from a FIN before the reply:
   *     it has gone
   */
  WaitingClient(Future<IlnpSocketChannel> dial, boolean awaitsReply) {
    this.dial = dial;
    this.awaitsReply = awaitsReply;
  }

  @Override
  public void handlerAdded(ChannelHandlerContext ctx) {
    if (ctx.channel().isActive()) {
      ctx.read();
    }
  }

  @Override
  public void channelActive(ChannelHandlerContext ctx) {
    ctx.read();
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext ctx) {
    // One outstanding read is what notices that the client goes away.
    if (bytes() < MAX_EARLY_BYTES) {
      ctx.read();
    }
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
    if (event == ChannelInputShutdownEvent.INSTANCE && awaitsReply && bytes() == 0) {
      ctx.close();
    }
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    dial.cancel(false);
  }

  /** Gives way to a relay between {@code client} and {@code session}. */
  void handOver(DuplexChannel client, IlnpSocketChannel session) {
    sendTo(session);
    client.pipeline().remove(this);
    Relay.couple(client, session);
  }
}

package org.ilnp4j.proxy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.DuplexChannel;
import java.io.IOException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes two connections behave as one. What one side sends, the other gets, without copying; FIN
 * closes one direction only, after everything before it; RST or any other breakdown on one side is
 * RST on the other. While one side does not take data, nothing is read from the other. An idle
 * relay is never cut.
 *
 * <p>Loop thread of the two channels.
 */
final class Relay {
  private static final Logger log = LoggerFactory.getLogger(Relay.class);

  private final Side a;
  private final Side b;
  private boolean over;

  private Relay(DuplexChannel a, DuplexChannel b) {
    this.a = new Side(a);
    this.b = new Side(b);
    this.a.other = this.b;
    this.b.other = this.a;
  }

  /**
   * Couples two active channels on one loop, which have {@link RelayOptions} and have not been read
   * from, or only before what is read from them now.
   */
  static void couple(DuplexChannel a, DuplexChannel b) {
    Relay relay = new Relay(a, b);
    a.pipeline().addLast(relay.a);
    b.pipeline().addLast(relay.b);
    relay.a.start();
    relay.b.start();
  }

  /** Closes with RST instead of FIN. */
  static void reset(Channel channel) {
    if (channel.isOpen()) {
      channel.config().setOption(ChannelOption.SO_LINGER, 0);
      channel.close();
    }
  }

  /** Both ends have closed in good order, or one has broken down. */
  private void end(boolean inGoodOrder) {
    if (over) {
      return;
    }
    over = true;
    if (inGoodOrder) {
      a.channel.close();
      b.channel.close();
    } else {
      reset(a.channel);
      reset(b.channel);
    }
  }

  private final class Side extends ChannelInboundHandlerAdapter {
    private final DuplexChannel channel;
    private Side other;

    /** FIN came from this side. */
    private boolean inputEnded;

    /** FIN was sent to this side, behind everything that came from the other. */
    private boolean outputEnded;

    Side(DuplexChannel channel) {
      this.channel = channel;
    }

    void start() {
      if (!channel.isActive()) {
        end(false);
      } else if (channel.isInputShutdown()) {
        onEndOfInput();
      } else {
        channel.config().setAutoRead(other.channel.isWritable());
      }
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object msg) {
      if (over) {
        ((ByteBuf) msg).release();
        return;
      }
      Channel to = other.channel;
      to.write(msg, to.voidPromise());
      if (!to.isWritable()) {
        channel.config().setAutoRead(false);
      }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
      other.channel.flush();
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext ctx) {
      if (!over && !other.inputEnded) {
        other.channel.config().setAutoRead(channel.isWritable());
      }
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
      if (event == ChannelInputShutdownEvent.INSTANCE) {
        onEndOfInput();
      }
    }

    private void onEndOfInput() {
      if (inputEnded || over) {
        return;
      }
      inputEnded = true;
      // The empty buffer's promise tells when all before it is out.
      other
          .channel
          .writeAndFlush(Unpooled.EMPTY_BUFFER)
          .addListener(
              written -> {
                if (written.isSuccess() && !over) {
                  other.channel.shutdownOutput().addListener(shut -> other.onOutputEnded());
                }
              });
    }

    private void onOutputEnded() {
      outputEnded = true;
      if (other.outputEnded) {
        end(true);
      }
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
      // A kernel socket closes by itself when its second FIN comes in; data for the other side may
      // still be on its way then.
      if (!(inputEnded && outputEnded)) {
        end(false);
      }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
      if (cause instanceof IOException) {
        log.debug("relay {}: {}", channel, cause.getMessage()); // passed on, so nothing is lost
      } else {
        log.warn("relay {} failed", channel, cause);
      }
      end(false);
    }
  }
}

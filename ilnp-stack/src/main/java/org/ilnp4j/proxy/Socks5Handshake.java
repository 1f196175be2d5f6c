package org.ilnp4j.proxy;

import static io.netty.handler.codec.socksx.v5.Socks5CommandStatus.ADDRESS_UNSUPPORTED;
import static io.netty.handler.codec.socksx.v5.Socks5CommandStatus.COMMAND_UNSUPPORTED;
import static io.netty.handler.codec.socksx.v5.Socks5CommandStatus.CONNECTION_REFUSED;
import static io.netty.handler.codec.socksx.v5.Socks5CommandStatus.FAILURE;
import static io.netty.handler.codec.socksx.v5.Socks5CommandStatus.HOST_UNREACHABLE;
import static io.netty.handler.codec.socksx.v5.Socks5CommandStatus.NETWORK_UNREACHABLE;
import static io.netty.handler.codec.socksx.v5.Socks5CommandStatus.SUCCESS;
import static io.netty.handler.codec.socksx.v5.Socks5CommandStatus.TTL_EXPIRED;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.SocketChannel;
import io.netty.handler.codec.socksx.v5.DefaultSocks5CommandResponse;
import io.netty.handler.codec.socksx.v5.DefaultSocks5InitialResponse;
import io.netty.handler.codec.socksx.v5.Socks5AddressDecoder;
import io.netty.handler.codec.socksx.v5.Socks5AddressType;
import io.netty.handler.codec.socksx.v5.Socks5AuthMethod;
import io.netty.handler.codec.socksx.v5.Socks5CommandRequest;
import io.netty.handler.codec.socksx.v5.Socks5CommandRequestDecoder;
import io.netty.handler.codec.socksx.v5.Socks5CommandStatus;
import io.netty.handler.codec.socksx.v5.Socks5CommandType;
import io.netty.handler.codec.socksx.v5.Socks5InitialRequest;
import io.netty.handler.codec.socksx.v5.Socks5InitialRequestDecoder;
import io.netty.handler.codec.socksx.v5.Socks5ServerEncoder;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.Future;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import org.ilnp4j.netty.IlnpSocketChannel;
import org.ilnp4j.util.Printable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One SOCKS5 client from its greeting to the reply (RFC 1928 §3 to §6). */
final class Socks5Handshake extends ChannelInboundHandlerAdapter {
  private static final Logger log = LoggerFactory.getLogger(Socks5Proxy.class);

  /** Some clients read ten octets, whatever the address type says; nobody needs the address. */
  private static final String NO_ADDRESS = "0.0.0.0";

  /** RFC 1928 §5 has three address types; the decoder's own complaint looks like any other. */
  private static final class UnknownAddressTypeException extends Exception {
    private static final long serialVersionUID = 1;
  }

  private static final Socks5AddressDecoder ADDRESSES =
      (type, in) -> {
        if (type != Socks5AddressType.IPv4
            && type != Socks5AddressType.IPv6
            && type != Socks5AddressType.DOMAIN) {
          throw new UnknownAddressTypeException();
        }
        return Socks5AddressDecoder.DEFAULT.decodeAddress(type, in);
      };

  private final SocketChannel client;
  private final InetSocketAddress peer;
  private final Dialer dialer;
  private java.util.concurrent.Future<?> timeout;
  private WaitingClient waiting;

  Socks5Handshake(SocketChannel client, Dialer dialer) {
    this.client = client;
    peer = client.remoteAddress();
    this.dialer = dialer;
  }

  @Override
  public void channelActive(ChannelHandlerContext ctx) {
    timeout =
        ctx.executor()
            .schedule(
                () -> {
                  log.info("socks: {}: no request in time, closed", LocalListener.text(peer));
                  client.close();
                },
                dialer.limits().handshakeTimeoutMillis(),
                TimeUnit.MILLISECONDS);
    ctx.read();
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object msg) {
    if (msg instanceof Socks5InitialRequest greeting) {
      onGreeting(ctx, greeting);
    } else if (msg instanceof Socks5CommandRequest request) {
      onRequest(ctx, request);
    } else if (waiting != null && msg instanceof ByteBuf) {
      ctx.fireChannelRead(msg);
    } else {
      ReferenceCountUtil.release(msg);
    }
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext ctx) {
    if (waiting == null) {
      ctx.read();
    } else {
      ctx.fireChannelReadComplete();
    }
  }

  private void onGreeting(ChannelHandlerContext ctx, Socks5InitialRequest greeting) {
    if (greeting.decoderResult().isFailure()) {
      log.info("socks: {}: does not speak SOCKS5, closed", LocalListener.text(peer));
      client.close();
    } else if (!greeting.authMethods().contains(Socks5AuthMethod.NO_AUTH)) {
      log.info("socks: {}: insists on authentication, closed", LocalListener.text(peer));
      ctx.writeAndFlush(new DefaultSocks5InitialResponse(Socks5AuthMethod.UNACCEPTED))
          .addListener(ChannelFutureListener.CLOSE);
    } else {
      ctx.writeAndFlush(new DefaultSocks5InitialResponse(Socks5AuthMethod.NO_AUTH));
      ctx.pipeline()
          .replace(
              Socks5InitialRequestDecoder.class, null, new Socks5CommandRequestDecoder(ADDRESSES));
    }
  }

  private void onRequest(ChannelHandlerContext ctx, Socks5CommandRequest request) {
    cancelTimeout();
    // The name goes into log lines: no line of its own for whoever chose it.
    String to = Printable.of(request.dstAddr()) + ":" + request.dstPort();
    if (request.decoderResult().isFailure()) {
      boolean type =
          request.decoderResult().cause().getCause() instanceof UnknownAddressTypeException;
      refuse(
          ctx,
          type ? ADDRESS_UNSUPPORTED : FAILURE,
          type ? "unknown address type" : "request cannot be read");
    } else if (!request.type().equals(Socks5CommandType.CONNECT)) {
      refuse(ctx, COMMAND_UNSUPPORTED, to + ": only CONNECT is served, not " + request.type());
    } else {
      Future<IlnpSocketChannel> dial =
          dialer.dial(peer.getAddress(), request.dstAddr(), request.dstPort());
      waiting = new WaitingClient(dial, true);
      ctx.pipeline().addLast(waiting);
      dial.addListener((Future<IlnpSocketChannel> f) -> onDialled(ctx, f, to));
    }
  }

  private void onDialled(ChannelHandlerContext ctx, Future<IlnpSocketChannel> dial, String to) {
    if (dial.isSuccess()) {
      IlnpSocketChannel session = dial.getNow();
      reply(ctx, SUCCESS, session.localAddress().port());
      ctx.pipeline().remove(Socks5CommandRequestDecoder.class);
      ctx.pipeline().remove(Socks5ServerEncoder.class);
      waiting.handOver(client, session);
      ctx.pipeline().remove(this);
    } else if (!dial.isCancelled()) {
      refuse(
          ctx,
          status(((DialException) dial.cause()).reason()),
          to + ": " + dial.cause().getMessage());
    }
  }

  private static Socks5CommandStatus status(DialException.Reason reason) {
    return switch (reason) {
      case UNKNOWN_NAME, NO_ANSWER, UNREACHABLE -> HOST_UNREACHABLE;
      case NOT_ILNP -> ADDRESS_UNSUPPORTED;
      case LOOKUP_TIMED_OUT -> TTL_EXPIRED;
      case NO_LOCATOR -> NETWORK_UNREACHABLE;
      case REFUSED -> CONNECTION_REFUSED;
      case TOO_MANY, FAILED -> FAILURE;
    };
  }

  private void refuse(ChannelHandlerContext ctx, Socks5CommandStatus status, String why) {
    log.info("socks: {} -> {}", LocalListener.text(peer), why);
    reply(ctx, status, 0);
    client.shutdownOutput().addListener(f -> client.close());
  }

  /**
   * A few octets on a fresh connection: they always fit, so the write is done when this returns.
   */
  private static void reply(ChannelHandlerContext ctx, Socks5CommandStatus status, int port) {
    ctx.writeAndFlush(
        new DefaultSocks5CommandResponse(status, Socks5AddressType.IPv4, NO_ADDRESS, port));
  }

  private void cancelTimeout() {
    if (timeout != null) {
      timeout.cancel(false);
      timeout = null;
    }
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
    if (waiting != null) {
      ctx.fireUserEventTriggered(event);
    } else if (event == ChannelInputShutdownEvent.INSTANCE) {
      client.close();
    }
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    cancelTimeout();
    ctx.fireChannelInactive();
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    if (waiting != null) {
      ctx.fireExceptionCaught(cause);
    } else {
      client.close();
    }
  }
}

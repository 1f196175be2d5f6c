package org.ilnp4j.demos.lab;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.socket.DuplexChannel;
import io.netty.util.ReferenceCountUtil;
import java.io.IOException;
import java.util.List;
import org.ilnp4j.ilnp.SessionMode;
import org.ilnp4j.netty.HostRunner;
import org.ilnp4j.netty.IlnpServerSocketChannel;
import org.ilnp4j.netty.IlnpSocketAddress;
import org.ilnp4j.netty.IlnpSocketChannel;

/** ilnp4j's TCP at both ends, used through its Netty channels. */
public final class IlnpFlow extends Flow {
  private static final WriteBufferWaterMark WATER_MARKS =
      new WriteBufferWaterMark(2 * CHUNK_BYTES, 4 * CHUNK_BYTES);

  private final IlnpNode sender;
  private final IlnpNode receiver;
  private final SessionMode mode;
  private final int port;
  private final Channel server;
  private Channel client;

  /** Listens at the receiver. */
  public IlnpFlow(IlnpNode sender, IlnpNode receiver, SessionMode mode, int port, long bytes)
      throws IOException {
    super(bytes);
    this.sender = sender;
    this.receiver = receiver;
    this.mode = mode;
    this.port = port;
    ChannelFuture bound =
        new ServerBootstrap()
            .group(receiver.runner().eventLoop())
            .channelFactory(() -> new IlnpServerSocketChannel(receiver.runner()))
            .childHandler(new Receiving())
            .bind(IlnpSocketAddress.ofPort(port))
            .awaitUninterruptibly();
    if (!bound.isSuccess()) {
      throw new IOException("cannot listen at port " + port, bound.cause());
    }
    server = bound.channel();
  }

  @Override
  protected void connect() {
    HostRunner runner =
        mode == SessionMode.CLASSIC ? new ClassicRunner(sender.runner()) : sender.runner();
    ChannelFuture connecting =
        new Bootstrap()
            .group(sender.runner().eventLoop())
            .channelFactory(() -> new IlnpSocketChannel(runner))
            .option(ChannelOption.WRITE_BUFFER_WATER_MARK, WATER_MARKS)
            .handler(new Sending())
            .connect(new IlnpSocketAddress(null, receiver.nid(), List.of(receiver.l64()), port));
    client = connecting.channel();
    connecting.addListener(
        f -> {
          if (!f.isSuccess()) {
            onFailure(f.cause());
          }
        });
  }

  @Override
  public void close() {
    onFailure(new IOException("broken off"));
    server.close().syncUninterruptibly();
    if (client != null) {
      client.close().syncUninterruptibly();
    }
  }

  /** Writes while the channel takes more. */
  private final class Sending extends ChannelInboundHandlerAdapter {
    private final ByteBuf chunk = Unpooled.directBuffer(CHUNK_BYTES).writeZero(CHUNK_BYTES);
    private long left = bytes;

    @Override
    public void channelActive(ChannelHandlerContext ctx) {
      write(ctx);
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext ctx) {
      write(ctx);
    }

    private void write(ChannelHandlerContext ctx) {
      while (left > 0 && ctx.channel().isActive() && ctx.channel().isWritable()) {
        int n = (int) Math.min(left, CHUNK_BYTES);
        left -= n;
        boolean last = left == 0; // the write may call back, and this method write the rest
        ChannelFuture written = ctx.write(chunk.retainedSlice(0, n));
        if (last) {
          written.addListener(f -> ((DuplexChannel) ctx.channel()).shutdownOutput());
        }
      }
      ctx.flush();
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext ctx) {
      chunk.release();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
      onFailure(cause);
      ctx.close();
    }
  }

  /** Counts, and drops what it read. */
  private final class Receiving extends ChannelInboundHandlerAdapter {
    @Override
    public boolean isSharable() {
      return false;
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
      onRead(((ByteBuf) message).readableBytes());
      ReferenceCountUtil.release(message);
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
      onEndOfStream(System.nanoTime());
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
      onFailure(cause);
      ctx.close();
    }
  }
}

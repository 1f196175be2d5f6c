package org.ilnp4j.netty;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.ChannelOutputShutdownEvent;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Writes down what a pipeline sees, as short words; collects the data. */
public final class Recorder extends ChannelInboundHandlerAdapter {
  private final List<String> events = new ArrayList<>();
  private final ByteArrayOutputStream data = new ByteArrayOutputStream();

  public List<String> events() {
    return events;
  }

  public String text() {
    return data.toString(StandardCharsets.US_ASCII);
  }

  public int bytes() {
    return data.size();
  }

  @Override
  public void channelActive(ChannelHandlerContext ctx) {
    events.add("active");
    ctx.fireChannelActive();
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    events.add("inactive");
    ctx.fireChannelInactive();
  }

  @Override
  public void channelUnregistered(ChannelHandlerContext ctx) {
    events.add("unregistered");
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object msg) throws Exception {
    ByteBuf buf = (ByteBuf) msg;
    buf.readBytes(data, buf.readableBytes());
    buf.release();
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext ctx) {
    events.add(ctx.channel().isWritable() ? "writable" : "unwritable");
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
    if (event == ChannelInputShutdownEvent.INSTANCE) {
      events.add("end of input");
    } else if (event == ChannelOutputShutdownEvent.INSTANCE) {
      events.add("end of output");
    }
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    events.add(cause.getClass().getSimpleName() + ": " + cause.getMessage());
  }
}

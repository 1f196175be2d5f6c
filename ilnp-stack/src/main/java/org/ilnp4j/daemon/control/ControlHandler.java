package org.ilnp4j.daemon.control;

import com.fasterxml.jackson.jr.ob.JSON;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.TooLongFrameException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One client: a request a line, answered before the next is taken. */
final class ControlHandler extends SimpleChannelInboundHandler<String> {
  private static final Logger LOG = LoggerFactory.getLogger(ControlHandler.class);

  private final ControlCommands commands;
  private boolean busy;

  ControlHandler(ControlCommands commands) {
    this.commands = commands;
  }

  @Override
  protected void channelRead0(ChannelHandlerContext ctx, String line) {
    JsonReply reply = new JsonReply(ctx);
    if (busy) {
      reply.fail("wait for the reply before the next request");
      ctx.close();
      return;
    }
    busy = true;
    try {
      commands.run(new ControlRequest(JSON.std.mapFrom(line)), reply);
    } catch (IOException e) {
      LOG.debug("control request is not JSON", e);
      reply.fail("a request is one JSON object a line, such as {\"command\": \"status\"}");
    } catch (IllegalArgumentException e) {
      reply.fail(e.getMessage());
    } catch (RuntimeException e) {
      LOG.error("control request failed: {}", line, e);
      reply.fail("that failed: " + e + "; the log says more");
    }
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    if (cause instanceof TooLongFrameException) {
      new JsonReply(ctx).fail("a request has at most " + ControlServer.MAX_LINE_BYTES + " octets");
    } else {
      LOG.debug("control connection lost", cause);
    }
    ctx.close();
  }

  /** Writes each result, then the end, as a line. */
  private final class JsonReply implements Reply<Record> {
    private final ChannelHandlerContext ctx;
    private boolean finished;

    JsonReply(ChannelHandlerContext ctx) {
      this.ctx = ctx;
    }

    @Override
    public void item(Record result) {
      write(Map.of("result", result));
    }

    @Override
    public void done() {
      finish(Map.of("ok", true));
    }

    @Override
    public void fail(String line) {
      finish(Map.of("ok", false, "error", line));
    }

    @Override
    public boolean isOpen() {
      return !finished && ctx.channel().isActive();
    }

    private void finish(Map<String, Object> end) {
      if (isOpen()) {
        write(end);
        finished = true;
        busy = false;
      }
    }

    private void write(Map<String, Object> line) {
      if (!isOpen()) {
        return;
      }
      ctx.writeAndFlush(Unpooled.copiedBuffer(Views.write(line) + "\n", StandardCharsets.UTF_8));
    }
  }
}

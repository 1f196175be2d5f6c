package org.ilnp4j.daemon.control;

import com.fasterxml.jackson.jr.ob.JSON;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.TooLongFrameException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.ilnp4j.daemon.config.HandoffKind;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One client: a request a line, answered before the next is taken. */
final class ControlHandler extends SimpleChannelInboundHandler<String> {
  private static final Logger LOG = LoggerFactory.getLogger(ControlHandler.class);

  private final ControlService service;
  private boolean busy;

  ControlHandler(ControlService service) {
    this.service = service;
  }

  @Override
  protected void channelRead0(ChannelHandlerContext ctx, String line) {
    JsonReply<Object> reply = new JsonReply<>(ctx);
    if (busy) {
      reply.fail("wait for the reply before the next request");
      ctx.close();
      return;
    }
    busy = true;
    try {
      Map<String, Object> request = JSON.std.mapFrom(line);
      dispatch(new Request(request), reply);
    } catch (IOException e) {
      LOG.debug("control request is not JSON", e);
      reply.fail("a request is one JSON object a line, such as {\"command\": \"status\"}");
    } catch (IllegalArgumentException e) {
      reply.fail(e.getMessage());
    } catch (RuntimeException e) {
      LOG.error("control request failed: {}", line, e);
      reply.fail("the daemon failed: " + e + "; its log says more");
    }
  }

  private void dispatch(Request request, JsonReply<?> reply) {
    String command = request.text("command");
    switch (command == null ? "" : command) {
      case "status" -> reply.all(List.of(service.status()));
      case "sessions" ->
          reply.all(service.sessions(request.number("limit", 1, ControlServer.MAX_SESSIONS)));
      case "locators" -> reply.all(List.of(service.locators()));
      case "handoff" -> service.handoff(request.kind(), request.text("to"), reply.typed());
      case "ping" ->
          service.ping(
              request.needed("name"),
              request.number("count", 1, ControlServer.MAX_PINGS),
              reply.typed());
      case "stop" -> {
        reply.done();
        service.stop();
      }
      default ->
          throw new IllegalArgumentException(
              "no command \""
                  + command
                  + "\"; there are: status, sessions, locators, handoff, ping, stop");
    }
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    if (cause instanceof TooLongFrameException) {
      new JsonReply<>(ctx)
          .fail("a request has at most " + ControlServer.MAX_LINE_BYTES + " octets");
    } else {
      LOG.debug("control connection lost", cause);
    }
    ctx.close();
  }

  /** The arguments of a command. */
  private record Request(Map<String, Object> json) {
    String text(String key) {
      Object value = json.get(key);
      if (value == null || value instanceof String) {
        return (String) value;
      }
      throw new IllegalArgumentException("\"" + key + "\" must be a text");
    }

    String needed(String key) {
      String value = text(key);
      if (value == null) {
        throw new IllegalArgumentException("\"" + key + "\" is missing");
      }
      return value;
    }

    int number(String key, int min, int max) {
      Object value = json.get(key);
      if (value instanceof Integer number && number >= min && number <= max) {
        return number;
      }
      throw new IllegalArgumentException(
          "\"" + key + "\" must be a number from " + min + " to " + max);
    }

    HandoffKind kind() {
      String kind = needed("kind");
      for (HandoffKind k : HandoffKind.values()) {
        if (k.name().toLowerCase(Locale.ROOT).equals(kind)) {
          return k;
        }
      }
      throw new IllegalArgumentException("\"kind\" must be \"soft\" or \"hard\"");
    }
  }

  /** Writes each result, then the end, as a line. */
  private final class JsonReply<T> implements Reply<T> {
    private final ChannelHandlerContext ctx;
    private boolean finished;

    JsonReply(ChannelHandlerContext ctx) {
      this.ctx = ctx;
    }

    /** A reply keeps nothing of its type: on the wire all results are JSON. */
    @SuppressWarnings("unchecked")
    <U> Reply<U> typed() {
      return (Reply<U>) this;
    }

    void all(List<? extends Record> results) {
      results.forEach(result -> write(Map.of("result", result)));
      done();
    }

    @Override
    public void item(T result) {
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

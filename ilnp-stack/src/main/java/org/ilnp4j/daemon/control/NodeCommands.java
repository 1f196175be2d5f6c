package org.ilnp4j.daemon.control;

import java.util.Locale;
import org.ilnp4j.daemon.config.HandoffKind;

/** The commands of a node. */
final class NodeCommands implements ControlCommands {
  private final ControlService service;

  NodeCommands(ControlService service) {
    this.service = service;
  }

  @Override
  public void run(ControlRequest request, Reply<Record> reply) {
    switch (request.command()) {
      case "status" -> {
        reply.item(service.status());
        reply.done();
      }
      case "sessions" -> {
        service
            .sessions(request.number("limit", 1, ControlServer.MAX_SESSIONS))
            .forEach(reply::item);
        reply.done();
      }
      case "locators" -> {
        reply.item(service.locators());
        reply.done();
      }
      case "handoff" -> service.handoff(kind(request), request.text("to"), reply);
      case "ping" ->
          service.ping(
              request.needed("name"), request.number("count", 1, ControlServer.MAX_PINGS), reply);
      case "stop" -> {
        reply.done();
        service.stop();
      }
      default ->
          throw new IllegalArgumentException(
              "no command \""
                  + request.command()
                  + "\"; there are: status, sessions, locators, handoff, ping, stop");
    }
  }

  private static HandoffKind kind(ControlRequest request) {
    String kind = request.needed("kind");
    for (HandoffKind k : HandoffKind.values()) {
      if (k.name().toLowerCase(Locale.ROOT).equals(kind)) {
        return k;
      }
    }
    throw new IllegalArgumentException("\"kind\" must be \"soft\" or \"hard\"");
  }
}

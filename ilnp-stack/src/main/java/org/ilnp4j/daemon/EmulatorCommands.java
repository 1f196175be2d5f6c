package org.ilnp4j.daemon;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.ilnp4j.daemon.config.EmulatorSetup;
import org.ilnp4j.daemon.config.LinkKeys;
import org.ilnp4j.daemon.control.ControlCommands;
import org.ilnp4j.daemon.control.ControlRequest;
import org.ilnp4j.daemon.control.EmulatorView;
import org.ilnp4j.daemon.control.Reply;
import org.ilnp4j.emulate.Direction;
import org.ilnp4j.emulate.Emulator;
import org.ilnp4j.link.LinkConfig;

/**
 * What an emulator can be asked: {@code show}; {@code set} with {@code direction} ({@code both} or
 * one of them) and {@code settings}; {@code up} and {@code down}; {@code stop}.
 */
final class EmulatorCommands implements ControlCommands {
  private static final String BOTH = "both";

  private final EmulatorSetup setup;
  private final Emulator emulator;
  private final long startedNanos = System.nanoTime();

  EmulatorCommands(EmulatorSetup setup, Emulator emulator) {
    this.setup = setup;
    this.emulator = emulator;
  }

  @Override
  public void run(ControlRequest request, Reply<Record> reply) {
    try {
      switch (request.command()) {
        case "show" -> {
          for (Direction d : Direction.values()) {
            reply.item(view(d));
          }
        }
        case "set" -> set(request.needed("direction"), request.texts("settings"));
        case "up" -> emulator.setUp(true);
        case "down" -> emulator.setUp(false);
        case "stop" -> {
          reply.done();
          emulator.close();
        }
        default ->
            throw new IllegalArgumentException(
                "no command \"" + request.command() + "\"; there are: show, set, up, down, stop");
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    reply.done();
  }

  private EmulatorView view(Direction d) throws IOException {
    return new EmulatorView(
        setup.name(),
        ProcessHandle.current().pid(),
        (System.nanoTime() - startedNanos) / 1e9,
        setup.link().seed(),
        label(d),
        LinkKeys.show(emulator.config(d)),
        emulator.counters(d));
  }

  /** All of it, or nothing when one setting is wrong. */
  private void set(String direction, Map<String, String> settings) throws IOException {
    Map<Direction, LinkConfig> changed = new EnumMap<>(Direction.class);
    for (Direction d : Direction.values()) {
      if (direction.equals(BOTH) || direction.equals(label(d))) {
        LinkConfig link = emulator.config(d);
        for (Map.Entry<String, String> s : settings.entrySet()) {
          link = LinkKeys.change(link, s.getKey(), s.getValue());
        }
        changed.put(d, link);
      }
    }
    if (changed.isEmpty()) {
      List<String> labels =
          List.of(BOTH, label(Direction.LEFT_TO_RIGHT), label(Direction.RIGHT_TO_LEFT));
      throw new IllegalArgumentException(
          "no direction \"" + direction + "\"; choose " + String.join(", ", labels));
    }
    for (Map.Entry<Direction, LinkConfig> c : changed.entrySet()) {
      emulator.configure(c.getKey(), c.getValue());
    }
  }

  private static String label(Direction d) {
    return d.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}

package org.ilnp4j.cli;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.function.Function;
import org.ilnp4j.daemon.control.ControlClient;
import org.ilnp4j.daemon.control.EmulatorView;
import org.ilnp4j.emulate.DirectionCounters;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code ilnp emulate show}. */
@Command(
    name = "show",
    description = "Show what an emulated link does, and what it has counted.",
    footer = {"%nExample:", "  sudo ./ilnp emulate show --json"})
final class EmulateShowCommand implements Callable<Integer> {
  private static final Duration WAIT = Duration.ofSeconds(10);

  @Mixin private ControlOptions control;
  @Mixin private Output output;

  @Override
  public Integer call() throws Exception {
    List<EmulatorView> directions = new ArrayList<>();
    try (ControlClient client = control.connectToEmulator()) {
      client.call(Map.of("command", "show"), EmulatorView.class, WAIT, directions::add);
    }
    if (output.isJson()) {
      output.json(Map.of("directions", directions));
    } else {
      output.table(table(directions));
    }
    return ExitStatus.OK;
  }

  /** A column for each direction; settings first. */
  private static Table table(List<EmulatorView> directions) {
    EmulatorView a = directions.get(0);
    EmulatorView b = directions.get(1);
    Table t = new Table(a.name(), ">" + a.direction(), ">" + b.direction());
    a.settings().forEach((key, value) -> t.row(key, value, b.settings().get(key)));
    row(t, "offered", directions, DirectionCounters::offeredPackets);
    row(t, "delivered", directions, DirectionCounters::deliveredPackets);
    row(t, "inside", directions, c -> (long) c.insidePackets());
    row(t, "queued", directions, c -> (long) c.queuedPackets());
    row(t, "most queued", directions, c -> (long) c.maxQueuePackets());
    row(t, "duplicated", directions, DirectionCounters::duplicatedPackets);
    row(t, "corrupted", directions, DirectionCounters::corruptedPackets);
    row(t, "reordered", directions, DirectionCounters::reorderedPackets);
    Set<String> drops = new LinkedHashSet<>(a.counters().drops().keySet());
    drops.addAll(b.counters().drops().keySet());
    for (String why : drops) {
      row(t, "dropped: " + why.replace('_', ' '), directions, c -> c.drops().getOrDefault(why, 0L));
    }
    row(t, "kernel refused", directions, DirectionCounters::kernelRefused);
    row(t, "kernel dropped", directions, DirectionCounters::kernelDropped);
    return t;
  }

  private static void row(
      Table t,
      String name,
      List<EmulatorView> directions,
      Function<DirectionCounters, Long> count) {
    t.row(
        name, count.apply(directions.get(0).counters()), count.apply(directions.get(1).counters()));
  }
}

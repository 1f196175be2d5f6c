package org.ilnp4j.cli;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.Callable;
import org.ilnp4j.daemon.control.ControlClient;
import org.ilnp4j.daemon.control.LocatorsView;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code ilnp locators}. */
@Command(
    name = "locators",
    description = "List this node's Locators and those of its correspondents.",
    footer = {"%nExample:", "  ./ilnp locators"})
final class LocatorsCommand implements Callable<Integer> {
  @Mixin private ControlOptions control;
  @Mixin private Output output;

  @Override
  public Integer call() throws Exception {
    LocatorsView locators;
    try (ControlClient client = control.connect()) {
      locators =
          client.one(Map.of("command", "locators"), LocatorsView.class, Duration.ofSeconds(10));
    }
    if (output.isJson()) {
      output.json(locators);
    } else {
      output.table(table(locators));
    }
    return ExitStatus.OK;
  }

  private static Table table(LocatorsView locators) {
    Table table = new Table("NODE", "LOCATOR", "LINK", "STATE", ">PREF", ">LIFETIME", ">HEARD");
    for (LocatorsView.Local l : locators.local()) {
      table.row(
          "this",
          l.locator(),
          l.uplink(),
          l.state(),
          l.preference(),
          Text.seconds(l.lifetimeS()),
          null);
    }
    for (LocatorsView.Peer peer : locators.correspondents()) {
      for (LocatorsView.Remote r : peer.locators()) {
        table.row(
            peer.name() == null ? peer.nid() : peer.name(),
            r.locator(),
            null,
            r.state(),
            r.preference(),
            Text.seconds(r.lifetimeS()),
            Text.seconds(r.heardS()));
      }
    }
    return table;
  }
}

package org.ilnp4j.cli;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.ilnp4j.daemon.control.ControlClient;
import org.ilnp4j.daemon.control.ControlServer;
import org.ilnp4j.daemon.control.SessionView;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code ilnp sessions}. */
@Command(
    name = "sessions",
    description = "List TCP sessions and where their packets leave from.",
    footer = {
      "%nFROM is the Locator packets leave from; SENT and RCVD are payload;",
      "MOVES counts changes of Locators.",
      "%nExample:",
      "  ./ilnp sessions --json | jq '.sessions[] | select(.path_changes > 0)'"
    })
final class SessionsCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;
  @Mixin private ControlOptions control;
  @Mixin private Output output;

  @Option(
      names = "--limit",
      paramLabel = "N",
      defaultValue = "1000",
      description = "At most so many (default ${DEFAULT-VALUE}).")
  private String limitText;

  @Override
  public Integer call() throws Exception {
    int limit = Arguments.integer(spec, "--limit", limitText, 1, ControlServer.MAX_SESSIONS);
    List<SessionView> sessions = new ArrayList<>();
    try (ControlClient client = control.connect()) {
      client.call(
          Map.of("command", "sessions", "limit", limit),
          SessionView.class,
          Duration.ofSeconds(10),
          sessions::add);
    }
    if (output.isJson()) {
      output.json(Map.of("sessions", sessions));
    } else if (sessions.isEmpty()) {
      output.text().println("no sessions");
    } else {
      output.table(table(sessions));
    }
    return ExitStatus.OK;
  }

  private static Table table(List<SessionView> sessions) {
    Table table = new Table(">PORT", "REMOTE", "STATE", "FROM", ">RTT", ">SENT", ">RCVD", ">MOVES");
    for (SessionView s : sessions) {
      String host = s.remoteName() == null ? "[" + s.remoteNid() + "]" : s.remoteName();
      table.row(
          s.localPort(),
          host + ":" + s.remotePort(),
          s.mode().equals("classic") ? s.state() + " (classic)" : s.state(),
          s.localLocator(),
          Text.millis(s.srttMs()),
          Text.size(s.bytesSent()),
          Text.size(s.bytesReceived()),
          s.pathChanges());
    }
    return table;
  }
}

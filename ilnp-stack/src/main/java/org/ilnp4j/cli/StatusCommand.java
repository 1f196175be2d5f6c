package org.ilnp4j.cli;

import java.io.PrintWriter;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.Callable;
import org.ilnp4j.daemon.control.ControlClient;
import org.ilnp4j.daemon.control.HandoffView;
import org.ilnp4j.daemon.control.StatusView;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code ilnp status}. */
@Command(
    name = "status",
    description = "Show what a daemon is and has counted.",
    footer = {"%nExample:", "  ./ilnp status --json"})
final class StatusCommand implements Callable<Integer> {
  @Mixin private ControlOptions control;
  @Mixin private Output output;

  @Override
  public Integer call() throws Exception {
    StatusView status;
    try (ControlClient client = control.connect()) {
      status = client.one(Map.of("command", "status"), StatusView.class, Duration.ofSeconds(10));
    }
    if (output.isJson()) {
      output.json(status);
    } else {
      print(output.text(), status);
    }
    return ExitStatus.OK;
  }

  private static void print(PrintWriter out, StatusView s) {
    out.println(s.name() + " up " + Text.seconds(s.uptimeS()) + ", pid " + s.pid());
    line(out, "version", s.version() + " (commit " + s.commit() + ")");
    line(out, "NID", s.nid());
    line(out, "TUN", s.tun() + ", MTU " + s.mtuBytes());
    line(out, "policy", s.policy() + ", " + s.handoff() + " handoff");
    for (String listener : s.listeners()) {
      line(out, "listening", listener);
    }
    line(out, "ILCC", s.correspondents() + " correspondents, " + s.sessions() + " TCP sessions");
    if (s.lastHandoff() != null) {
      HandoffView h = s.lastHandoff();
      line(out, "last move", Text.seconds(h.ageS()) + " ago");
      line(out, "", HandoffCommand.describe(h));
    }
    s.counters().forEach((name, count) -> out.printf("  %-28s %15d%n", name, count));
  }

  private static void line(PrintWriter out, String name, String value) {
    out.printf("  %-10s %s%n", name, value);
  }
}

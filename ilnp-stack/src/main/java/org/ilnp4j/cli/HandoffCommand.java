package org.ilnp4j.cli;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import org.ilnp4j.daemon.config.HandoffKind;
import org.ilnp4j.daemon.control.ControlClient;
import org.ilnp4j.daemon.control.HandoffView;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code ilnp handoff}. */
@Command(
    name = "handoff",
    description = "Move the node to another link; its sessions go on.",
    footer = {"%nExamples:", "  ./ilnp handoff soft", "  ./ilnp handoff hard --to wlan1"})
final class HandoffCommand implements Callable<Integer> {
  /** Longer than the daemon goes on telling a correspondent that does not answer. */
  private static final Duration WAIT = Duration.ofSeconds(90);

  @Spec private CommandSpec spec;
  @Mixin private ControlOptions control;
  @Mixin private Output output;

  @Parameters(
      paramLabel = "soft|hard",
      description = "soft: receive on both links for a while; hard: leave the old one at once.")
  private String kind;

  @Option(
      names = "--to",
      paramLabel = "LINK",
      description = "Uplink to move to; otherwise the policy chooses another.")
  private String link;

  @Override
  public Integer call() throws Exception {
    HandoffKind how = Arguments.choice(spec, "handoff", kind, HandoffKind.class);
    Map<String, Object> request = new LinkedHashMap<>();
    request.put("command", "handoff");
    request.put("kind", how.name().toLowerCase(Locale.ROOT));
    if (link != null) {
      request.put("to", link);
    }
    HandoffView done;
    try (ControlClient client = control.connect()) {
      done = client.one(request, HandoffView.class, WAIT);
    }
    if (output.isJson()) {
      output.json(done);
    } else {
      output.text().println(describe(done));
    }
    return ExitStatus.OK;
  }

  /** One line, such as {@code soft, wlan0 -> wlan1 (2001:db8:2:0), 1 of 1 told, LU 20.1 ms}. */
  static String describe(HandoffView h) {
    String from = h.fromLink() == null ? "no link" : h.fromLink();
    String lu = h.luRttMs() == null ? "" : ", LU " + Text.millis(h.luRttMs());
    return String.format(
        "%s, %s -> %s (%s), %d of %d told%s",
        h.kind(), from, h.toLink(), h.locator(), h.acknowledged(), h.correspondents(), lu);
  }
}

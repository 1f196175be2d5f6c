package org.ilnp4j.cli;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.ilnp4j.daemon.control.ControlClient;
import org.ilnp4j.daemon.control.ControlServer;
import org.ilnp4j.daemon.control.PingView;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code ilnp ping}. */
@Command(
    name = "ping",
    description = "Send echo requests to a node, in an ILNP session with it.",
    footer = {
      "%nThe exit status is 1 when no answer came.",
      "%nExample:",
      "  ./ilnp ping correspondent -c 3"
    })
final class PingCommand implements Callable<Integer> {
  /** Between two results: a second to the next request, and the daemon's wait for its answer. */
  private static final Duration WAIT = Duration.ofSeconds(30);

  @Spec private CommandSpec spec;
  @Mixin private ControlOptions control;
  @Mixin private Output output;

  @Parameters(paramLabel = "NAME", description = "Name of the node, as in the hosts file.")
  private String name;

  @Option(
      names = {"-c", "--count"},
      paramLabel = "N",
      defaultValue = "4",
      description = "Requests to send, one a second (default ${DEFAULT-VALUE}).")
  private String countText;

  @Override
  public Integer call() throws Exception {
    int count = Arguments.integer(spec, "-c", countText, 1, ControlServer.MAX_PINGS);
    List<PingView> results = new ArrayList<>();
    try (ControlClient client = control.connect()) {
      client.call(
          Map.of("command", "ping", "name", name, "count", count),
          PingView.class,
          WAIT,
          result -> {
            results.add(result);
            if (!output.isJson()) {
              output.text().println(describe(result));
              output.text().flush();
            }
          });
    }
    List<Double> times = results.stream().map(PingView::rttMs).filter(Objects::nonNull).toList();
    if (output.isJson()) {
      json(results, times.size());
    } else {
      output.text().println(summary(results.size(), times));
    }
    return times.isEmpty() ? ExitStatus.FAILED : ExitStatus.OK;
  }

  private String describe(PingView p) {
    return p.rttMs() == null
        ? name + " (" + p.locator() + ") seq " + p.seq() + ": no answer"
        : name + " (" + p.locator() + ") seq " + p.seq() + ": " + Text.millis(p.rttMs());
  }

  private static String summary(int sent, List<Double> times) {
    String text = sent + " sent, " + times.size() + " answered";
    if (times.isEmpty()) {
      return text;
    }
    var stats = times.stream().mapToDouble(Double::doubleValue).summaryStatistics();
    return text
        + "; least "
        + Text.millis(stats.getMin())
        + ", mean "
        + Text.millis(stats.getAverage())
        + ", most "
        + Text.millis(stats.getMax());
  }

  private void json(List<PingView> results, int answered) {
    Map<String, Object> object = new LinkedHashMap<>();
    object.put("name", name);
    object.put("sent", results.size());
    object.put("answered", answered);
    object.put("replies", results);
    output.json(object);
  }
}

package org.ilnp4j.cli;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.Callable;
import org.ilnp4j.daemon.control.ControlClient;
import org.ilnp4j.daemon.control.StatusView;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code ilnp stop}. */
@Command(
    name = "stop",
    description = "End a daemon; it sets the kernel back first.",
    footer = {"%nExample:", "  ./ilnp stop --socket /run/ilnp/mobile.sock"})
final class StopCommand implements Callable<Integer> {
  @Mixin private ControlOptions control;

  @Override
  public Integer call() throws Exception {
    try (ControlClient client = control.connect()) {
      client.call(Map.of("command", "stop"), StatusView.class, Duration.ofSeconds(10), s -> {});
    }
    return ExitStatus.OK;
  }
}

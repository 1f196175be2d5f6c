package org.ilnp4j.cli;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.Callable;
import org.ilnp4j.daemon.control.ControlClient;
import org.ilnp4j.daemon.control.EmulatorView;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code ilnp emulate set}. */
@Command(
    name = "set",
    description = "Change an emulated link while it runs.",
    footer = {
      "%nExamples:",
      "  sudo ./ilnp emulate set both rate=\"5 Mbit/s\" delay=\"100 ms\"",
      "  sudo ./ilnp emulate set left-to-right loss=\"1 %%\" queue=\"64 KiB\" drop=codel"
    })
final class EmulateSetCommand implements Callable<Integer> {
  private static final Duration WAIT = Duration.ofSeconds(10);

  @Mixin private ControlOptions control;

  @Parameters(
      index = "0",
      paramLabel = "DIRECTION",
      description = "both, left-to-right or right-to-left.")
  private String direction;

  @Parameters(
      index = "1..*",
      arity = "1..*",
      paramLabel = "KEY=VALUE",
      description = "Keys of [link] in config/emulate.toml; values without quotes.")
  private Map<String, String> settings;

  @Override
  public Integer call() throws Exception {
    Map<String, Object> request =
        Map.of("command", "set", "direction", direction, "settings", settings);
    try (ControlClient client = control.connectToEmulator()) {
      client.call(request, EmulatorView.class, WAIT, view -> {});
    }
    return ExitStatus.OK;
  }
}

package org.ilnp4j.cli;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.Callable;
import org.ilnp4j.daemon.control.ControlClient;
import org.ilnp4j.daemon.control.EmulatorView;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code ilnp emulate stop}. */
@Command(name = "stop", description = "End an emulator; its devices go with it.")
final class EmulateStopCommand implements Callable<Integer> {
  @Mixin private ControlOptions control;

  @Override
  public Integer call() throws Exception {
    try (ControlClient client = control.connectToEmulator()) {
      client.call(Map.of("command", "stop"), EmulatorView.class, Duration.ofSeconds(10), v -> {});
    }
    return ExitStatus.OK;
  }
}

package org.ilnp4j.cli;

import java.nio.file.Path;
import org.ilnp4j.daemon.config.DaemonConfig;
import org.ilnp4j.daemon.control.ControlClient;
import org.ilnp4j.util.UserError;
import picocli.CommandLine.Option;

/** Options of every command that talks to a daemon. */
final class ControlOptions {
  @Option(
      names = "--socket",
      paramLabel = "PATH",
      description = "Control socket of the daemon. Needed only where several run.")
  private Path socket;

  ControlClient connect() throws UserError {
    return ControlClient.connect(
        socket != null ? socket : ControlClient.find(DaemonConfig.RUN_DIR));
  }
}

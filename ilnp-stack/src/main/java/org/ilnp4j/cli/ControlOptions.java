package org.ilnp4j.cli;

import java.nio.file.Path;
import org.ilnp4j.daemon.config.DaemonConfig;
import org.ilnp4j.daemon.config.EmulatorSetup;
import org.ilnp4j.daemon.control.ControlClient;
import org.ilnp4j.util.UserError;
import picocli.CommandLine.Option;

/** Options of every command that talks to a process that runs. */
final class ControlOptions {
  @Option(
      names = "--socket",
      paramLabel = "PATH",
      description = "Control socket of the process. Needed only where several run.")
  private Path socket;

  /** To a link emulator. */
  ControlClient connectToEmulator() throws UserError {
    ControlClient.Peer peer = ControlClient.Peer.EMULATOR;
    return ControlClient.connect(
        socket != null ? socket : ControlClient.find(EmulatorSetup.RUN_DIR, peer), peer);
  }

  ControlClient connect() throws UserError {
    return ControlClient.connect(
        socket != null ? socket : ControlClient.find(DaemonConfig.RUN_DIR));
  }
}

package org.ilnp4j.cli;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.ilnp4j.daemon.DaemonLauncher;
import org.ilnp4j.daemon.config.DaemonConfig;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code ilnp cleanup}. */
@Command(
    name = "cleanup",
    description = "Undo what a daemon that died has left in the kernel; needs root.",
    footer = {
      "%nThe next start of that daemon does the same by itself.",
      "%nExample:",
      "  sudo ./ilnp cleanup"
    })
final class CleanupCommand implements Callable<Integer> {
  private final DaemonLauncher launcher;

  @Mixin private Output output;

  @Option(
      names = "--state",
      paramLabel = "DIR",
      description = "state.dir of the daemon (default /run/ilnp).")
  private Path stateDir = DaemonConfig.RUN_DIR;

  CleanupCommand(DaemonLauncher launcher) {
    this.launcher = launcher;
  }

  @Override
  public Integer call() throws Exception {
    List<String> undone = launcher.cleanup(stateDir);
    if (output.isJson()) {
      output.json(Map.of("undone", undone));
    } else {
      undone.forEach(output.text()::println);
      if (undone.isEmpty()) {
        output.text().println("nothing to undo in " + stateDir);
      }
    }
    return ExitStatus.OK;
  }
}

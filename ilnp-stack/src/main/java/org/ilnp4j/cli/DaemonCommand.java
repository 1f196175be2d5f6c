package org.ilnp4j.cli;

import java.nio.file.Path;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import org.ilnp4j.daemon.DaemonLauncher;
import org.ilnp4j.daemon.Preflight;
import org.ilnp4j.daemon.config.ConfigReader;
import org.ilnp4j.daemon.config.DaemonConfig;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code ilnp daemon}. */
@Command(
    name = "daemon",
    description = "Run a node until Ctrl-C or \"ilnp stop\"; needs root.",
    footer = {
      "%nExamples:",
      "  sudo ./ilnp daemon --config config/mobile.toml",
      "  ./ilnp daemon --config config/mobile.toml --check"
    })
final class DaemonCommand implements Callable<Integer> {
  enum Level {
    error,
    warn,
    info,
    debug,
    trace
  }

  private final DaemonLauncher launcher;
  private final Consumer<String> logLevel;

  @Spec private CommandSpec spec;

  @Option(
      names = "--config",
      required = true,
      paramLabel = "FILE",
      description = "Configuration; config/mobile.toml explains every key.")
  private Path file;

  @Option(
      names = "--log",
      paramLabel = "LEVEL",
      description = "error, warn, info, debug or trace; wins over the configuration.")
  private String level;

  @Option(names = "--check", description = "Only say whether the configuration is right.")
  private boolean check;

  DaemonCommand(DaemonLauncher launcher, Consumer<String> logLevel) {
    this.launcher = launcher;
    this.logLevel = logLevel;
  }

  @Override
  public Integer call() throws Exception {
    Level chosen = level == null ? null : Arguments.choice(spec, "--log", level, Level.class);
    DaemonConfig config = ConfigFiles.read(file, ConfigReader::read);
    if (check) {
      spec.commandLine().getOut().println(file + ": the configuration is right");
      return ExitStatus.OK;
    }
    Preflight.check(config);
    logLevel.accept(chosen == null ? config.logLevel() : chosen.name());
    launcher.run(config);
    return ExitStatus.OK;
  }
}

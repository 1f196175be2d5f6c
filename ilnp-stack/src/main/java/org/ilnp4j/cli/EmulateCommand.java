package org.ilnp4j.cli;

import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.ilnp4j.daemon.EmulatorProcess;
import org.ilnp4j.daemon.config.EmulatorReader;
import org.ilnp4j.daemon.config.EmulatorSetup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code ilnp emulate}. */
@Command(
    name = "emulate",
    description = "Emulate a link with rate, delay and loss between two network namespaces.",
    subcommands = {
      EmulateShowCommand.class,
      EmulateSetCommand.class,
      EmulateUpCommand.class,
      EmulateDownCommand.class,
      EmulateStopCommand.class
    },
    footer = {
      "%nRuns until Ctrl-C or \"ilnp emulate stop\"; needs root.",
      "%nExamples:",
      "  sudo ./ilnp emulate --config config/emulate.toml",
      "  sudo ./ilnp emulate set both rate=\"5 Mbit/s\" loss=\"1 %%\"",
      "  sudo ./ilnp emulate show --json"
    })
final class EmulateCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Option(
      names = "--config",
      paramLabel = "FILE",
      description = "Configuration; config/emulate.toml explains every key.")
  private Path file;

  @Option(names = "--check", description = "Only say whether the configuration is right.")
  private boolean check;

  @Override
  public Integer call() throws Exception {
    if (file == null) {
      throw new ParameterException(
          spec.commandLine(), "what to emulate is missing: give --config FILE");
    }
    EmulatorSetup setup = ConfigFiles.read(file, EmulatorReader::read);
    if (check) {
      spec.commandLine().getOut().println(file + ": the configuration is right");
      return ExitStatus.OK;
    }
    EmulatorProcess.run(
        setup,
        () ->
            spec.commandLine()
                .getOut()
                .println(
                    "emulator \"" + setup.name() + "\" runs; control: " + setup.controlSocket()));
    return ExitStatus.OK;
  }
}

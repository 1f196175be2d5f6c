package org.ilnp4j.demos.bench;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code ilnp bench}: how fast the parts are. */
@Command(
    name = "bench",
    description = "Measures how fast a part of ilnp4j is on this machine.",
    synopsisSubcommandLabel = "COMMAND",
    subcommands = {EmulateBench.class, ThroughputBench.class})
public final class BenchCommand implements Runnable {
  @Spec private CommandSpec spec;

  @Override
  public void run() {
    throw new CommandLine.ParameterException(
        spec.commandLine(), "what to measure is missing: emulate, throughput");
  }
}

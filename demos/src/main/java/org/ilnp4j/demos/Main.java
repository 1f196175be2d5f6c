package org.ilnp4j.demos;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import org.ilnp4j.cli.Ilnp;
import org.ilnp4j.daemon.Daemon;
import org.ilnp4j.demos.bench.BenchCommand;
import org.ilnp4j.demos.experiment.ExperimentCommand;
import org.slf4j.LoggerFactory;
import picocli.CommandLine;

/** The {@code ilnp} program. */
public final class Main {
  private Main() {}

  public static void main(String[] args) {
    CommandLine ilnp = Ilnp.commandLine(new Daemon(WarmUp::run), Main::logLevel);
    ilnp.addSubcommand(new DemoCommand());
    ilnp.addSubcommand(new BenchCommand());
    ilnp.addSubcommand(new ExperimentCommand());
    System.exit(ilnp.execute(args));
  }

  private static void logLevel(String level) {
    LoggerContext context = (LoggerContext) LoggerFactory.getILoggerFactory();
    context.getLogger("org.ilnp4j").setLevel(Level.valueOf(level));
  }
}

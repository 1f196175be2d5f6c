package org.ilnp4j.demos.bench;

import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Callable;
import org.ilnp4j.cli.ExitStatus;
import org.ilnp4j.demos.lab.Lab;
import org.ilnp4j.demos.report.Report;
import org.ilnp4j.util.UserError;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** What all commands of {@code ilnp bench} share: root, progress, the report and its claims. */
abstract class Benchmark implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Option(names = "--json", description = "Print one JSON object instead of text.")
  private boolean json;

  @Option(names = "--strict", description = "Exit with 1 when a claim does not hold.")
  private boolean strict;

  /** Progress, to standard error. */
  final PrintWriter progress = new PrintWriter(System.err, true, StandardCharsets.UTF_8);

  /** Refuses options that make no sense. */
  abstract void check() throws UserError;

  abstract Report measure() throws Exception;

  @Override
  public final Integer call() throws Exception {
    check();
    if (!Lab.isRoot()) {
      throw new UserError(
          UserError.Kind.MISSING,
          "bench " + spec.name() + " makes network namespaces; run it as root");
    }
    Report report = measure();
    PrintWriter out = spec.commandLine().getOut();
    out.print(json ? report.toJson() + "\n" : report.toText());
    out.flush();
    return strict && !report.holds() ? ExitStatus.FAILED : ExitStatus.OK;
  }

  /** Refuses a number outside its range. */
  static void requireRange(String option, int value, int least, int most) throws UserError {
    if (value < least || value > most) {
      throw new UserError(UserError.Kind.USAGE, option + " must be " + least + " to " + most);
    }
  }
}

package org.ilnp4j.cli;

import java.io.PrintWriter;
import org.ilnp4j.daemon.control.Views;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Where results go, and in which form. */
final class Output {
  @Spec(Spec.Target.MIXEE)
  private CommandSpec spec;

  @Option(names = "--json", description = "Print one JSON object instead of text.")
  private boolean json;

  boolean isJson() {
    return json;
  }

  /** For text. */
  PrintWriter text() {
    return spec.commandLine().getOut();
  }

  /** Prints a table. */
  void table(Table table) {
    text().print(table);
    // Only whole lines printed with println leave by themselves.
    text().flush();
  }

  /** Prints a record or a map as one JSON object. */
  void json(Object result) {
    text().println(Views.write(result));
  }
}

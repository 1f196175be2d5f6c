package org.ilnp4j.demos.experiment;

import java.io.IOException;
import java.util.List;
import org.ilnp4j.demos.report.Claim;
import org.ilnp4j.demos.report.Column;
import org.ilnp4j.demos.report.Row;
import org.ilnp4j.util.UserError;

/** One published result, to be measured again. Stateless: everything of a run is in its context. */
public interface Experiment {
  /** Where the packets go. */
  enum Mode {
    /** A simulated network in virtual time: no privilege needed, the same seed gives the same. */
    VIRTUAL,
    /** Network namespaces, TUN devices and real programs: root, and the time it takes. */
    REAL
  }

  /**
   * A choice that only this experiment offers, made by {@code --set KEY=VALUE}.
   *
   * @param defaultText what it is when not set, for the documentation
   */
  record Setting(String key, String meaning, String defaultText) {}

  /** What was measured. */
  record Outcome(List<Row> rows, List<Claim> claims) {}

  /** What users type; lower case with dashes. */
  String name();

  /** What it reproduces, one line. */
  String reproduces();

  /** The modes it can run in, its default first. */
  List<Mode> modes();

  /** The fields of its rows. */
  List<Column> columns();

  /** What can be chosen beside what every experiment understands. */
  default List<Setting> settings() {
    return List.of();
  }

  /** Repetitions of each cell when the user does not say. */
  int defaultReps(boolean quick);

  /**
   * Measures. A cell that fails is a row that says why, and the run goes on.
   *
   * @throws UserError when the run cannot be made here at all
   */
  Outcome run(RunContext context) throws IOException, InterruptedException, UserError;
}

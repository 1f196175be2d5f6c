package org.ilnp4j.demos.experiment.tcpgrid;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.ilnp4j.demos.report.Figures;

/** What one of the two stacks did in one cell, repetition by repetition. Thread-safe. */
final class Measured {
  /**
   * One repetition.
   *
   * @param value in the unit of the row
   * @param failure why there is no value, or null
   */
  record Run(int rep, double value, long retransmitted, long timeouts, String failure) {
    static Run failed(int rep, String why) {
      return new Run(rep, Double.NaN, 0, 0, why);
    }
  }

  private final List<Run> runs = new ArrayList<>();

  synchronized void add(Run run) {
    runs.add(run);
  }

  private synchronized List<Run> good() {
    return runs.stream()
        .filter(r -> r.failure == null)
        .sorted((a, b) -> Integer.compare(a.rep, b.rep))
        .toList();
  }

  List<Double> values() {
    return good().stream().map(Run::value).toList();
  }

  /** NaN when no repetition has succeeded. */
  double median() {
    return Figures.median(values());
  }

  /**
   * Median of the ratios to {@code other}, repetition by repetition: both met the same chances in
   * one, and others in the next. NaN when there is none in which both succeeded.
   */
  double medianRatioTo(Measured other) {
    Map<Integer, Double> by = new HashMap<>();
    other.good().forEach(r -> by.put(r.rep, r.value));
    return Figures.median(
        good().stream()
            .filter(r -> by.containsKey(r.rep))
            .map(r -> r.value / by.get(r.rep))
            .toList());
  }

  List<Long> retransmitted() {
    return good().stream().map(Run::retransmitted).toList();
  }

  List<Long> timeouts() {
    return good().stream().map(Run::timeouts).toList();
  }

  /** Why repetitions failed, or an empty list. */
  synchronized List<String> failures() {
    return runs.stream().filter(r -> r.failure != null).map(Run::failure).distinct().toList();
  }
}

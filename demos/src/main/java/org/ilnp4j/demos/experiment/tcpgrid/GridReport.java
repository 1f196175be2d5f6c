package org.ilnp4j.demos.experiment.tcpgrid;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.ilnp4j.demos.experiment.Experiment;
import org.ilnp4j.demos.report.Claim;
import org.ilnp4j.demos.report.Column;
import org.ilnp4j.demos.report.Figures;
import org.ilnp4j.demos.report.Row;
import org.ilnp4j.ilnp.SessionMode;

/** Rows and claims of the grid. */
final class GridReport {
  static final List<Column> COLUMNS =
      List.of(
          Column.text("part", "PART", "`grid`, `no-rate-limit`, `fairness` or `sharing`"),
          Column.text("congestion", "CC", "congestion control of both stacks"),
          Column.text("mode", "MODE", "session mode of ilnp4j: `classic` IPv6 or `ilnp`"),
          Column.number("loss_percent", "LOSS%", 2, "random loss in each direction"),
          Column.number("added_rtt_ms", "RTT+", 0, "added round trip, half in each direction"),
          Column.data("rate_mbit_s", "rate of the path, null without limit"),
          Column.data("queue_packets", "queue of the path in each direction"),
          Column.data("mtu_bytes", "of the path"),
          Column.data("flows", "that share the path"),
          Column.data("bytes", "carried by each flow, null when it ran for a time"),
          Column.text("unit", "UNIT", "of `ours` and `peer`"),
          Column.number("ours", "OURS", 3, "ilnp4j, median of the repetitions"),
          Column.number("peer", "KERNEL", 3, "the Linux kernel, median of the repetitions"),
          Column.number(
              "ratio", "RATIO", 2, "ours by peer in the same repetition, median of these"),
          Column.number("published_ours", "TOU", 0, "the published userspace TCP, kB/s"),
          Column.number("published_peer", "K.PUBL", 0, "the published kernel TCP, kB/s"),
          Column.number("published", "R.PUBL", 2, "the published ratio"),
          Column.data("ours_runs", "each repetition of `ours`"),
          Column.data("peer_runs", "each repetition of `peer`"),
          Column.data("ours_retransmitted", "segments sent again, each repetition"),
          Column.data("peer_retransmitted", "segments sent again, each repetition"),
          Column.data("ours_timeouts", "expiries of the retransmission timer, each repetition"),
          Column.data("peer_timeouts", "expiries of the retransmission timer, each repetition"),
          Column.text("failure", "FAILURE", "why a repetition has no value, else null"));

  private static final double RATIO_LIMIT = 1.0;
  private static final double NO_RATE_LIMIT_RATIO = 0.5;
  private static final double JAIN_LIMIT = 0.95;
  private static final double SHARE_LIMIT = 0.4;
  private static final double MEGABIT = 1e6;

  private final List<Row> rows = new ArrayList<>();
  private final List<Claim> claims = new ArrayList<>();

  Experiment.Outcome outcome() {
    return new Experiment.Outcome(rows, claims);
  }

  void add(Cell cell, Measured ours, Measured kernel) {
    TcpGrid.Part part = cell.isPathTheLimit() ? TcpGrid.Part.GRID : TcpGrid.Part.NO_RATE_LIMIT;
    Row row =
        row(part, cell.congestion(), cell.mode(), cell.path(), 1, "kB/s", ours, kernel)
            .set("bytes", cell.bytes());
    if (cell.isPathTheLimit()) {
      Published.of(cell.path().lossPercent(), cell.path().addedRttMillis())
          .ifPresent(
              p ->
                  row.set("published_ours", p.ours())
                      .set("published_peer", p.kernel())
                      .set("published", p.ratio()));
    }
    // Two digits, as the published ratios have: more would be claimed of noise.
    double ratio = ours.medianRatioTo(kernel);
    claim(
        cell.id(),
        "ratio of goodputs, " + cell,
        Double.isFinite(ratio) ? Figures.round(ratio, 2) : ratio,
        cell.isPathTheLimit() ? RATIO_LIMIT : NO_RATE_LIMIT_RATIO);
  }

  void addFairness(String congestion, SessionMode mode, Measured ours, Measured kernel) {
    row(
        TcpGrid.Part.FAIRNESS,
        congestion,
        mode,
        SharedBottleneck.PATH,
        SharedBottleneck.EQUAL_FLOWS,
        "Jain index",
        ours,
        kernel);
    claim(
        "jain-" + congestion + "-" + name(mode),
        "Jain index of 8 equal flows of ilnp4j, " + congestion + " " + name(mode),
        ours.median(),
        JAIN_LIMIT);
  }

  /**
   * @param ours share of ilnp4j's flow
   */
  void addSharing(String congestion, SessionMode mode, Measured ours) {
    Measured kernel = new Measured();
    List<Double> shares = ours.values();
    for (int i = 0; i < shares.size(); i++) {
      kernel.add(new Measured.Run(i, 1 - shares.get(i), 0, 0, null));
    }
    row(TcpGrid.Part.SHARING, congestion, mode, SharedBottleneck.PATH, 2, "share", ours, kernel);
    claim(
        "share-" + congestion + "-" + name(mode),
        "smaller share of a flow of ilnp4j and one of the kernel, " + congestion + " " + name(mode),
        Math.min(ours.median(), kernel.median()),
        SHARE_LIMIT);
  }

  private Row row(
      TcpGrid.Part part,
      String congestion,
      SessionMode mode,
      PathConditions path,
      int flows,
      String unit,
      Measured ours,
      Measured kernel) {
    List<String> failures =
        Stream.concat(ours.failures().stream(), kernel.failures().stream()).distinct().toList();
    Row row =
        new Row(COLUMNS)
            .set("part", part.toString())
            .set("congestion", congestion)
            .set("mode", name(mode))
            .set("loss_percent", path.lossPercent())
            .set("added_rtt_ms", path.addedRttMillis())
            .set("rate_mbit_s", path.bitsPerSecond() == 0 ? null : path.bitsPerSecond() / MEGABIT)
            .set("queue_packets", path.queuePackets())
            .set("mtu_bytes", PathConditions.MTU)
            .set("flows", flows)
            .set("unit", unit)
            .set("ours", ours.median())
            .set("peer", kernel.median())
            .set("ratio", ours.medianRatioTo(kernel))
            .set("ours_runs", ours.values())
            .set("peer_runs", kernel.values())
            .set("ours_retransmitted", ours.retransmitted())
            .set("peer_retransmitted", kernel.retransmitted())
            .set("ours_timeouts", ours.timeouts())
            .set("peer_timeouts", kernel.timeouts())
            .set("failure", failures.isEmpty() ? null : String.join("; ", failures));
    rows.add(row);
    return row;
  }

  private void claim(String id, String text, double value, double limit) {
    claims.add(
        Double.isFinite(value)
            ? Claim.atLeast(id, text, value, limit)
            : Claim.unmeasured(id, text, limit));
  }

  private static String name(SessionMode mode) {
    return mode.name().toLowerCase(Locale.ROOT);
  }
}

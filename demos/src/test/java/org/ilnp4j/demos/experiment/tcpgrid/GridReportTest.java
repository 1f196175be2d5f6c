package org.ilnp4j.demos.experiment.tcpgrid;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.ilnp4j.demos.experiment.Experiment;
import org.ilnp4j.demos.report.Claim;
import org.ilnp4j.demos.report.Row;
import org.ilnp4j.ilnp.SessionMode;
import org.junit.jupiter.api.Test;

class GridReportTest {
  private static final Cell CELL =
      new Cell("reno", SessionMode.CLASSIC, new PathConditions(100_000_000, 300, 1), 30_000_000);

  private static Measured measured(double... values) {
    Measured m = new Measured();
    for (int i = 0; i < values.length; i++) {
      m.add(new Measured.Run(i, values[i], 3, 1, null));
    }
    return m;
  }

  @Test
  void shouldCompareWithinRepetitionsBesideThePublishedFigures() {
    GridReport report = new GridReport();
    report.add(CELL, measured(50, 60, 10), measured(45, 50, 40));
    Experiment.Outcome outcome = report.outcome();

    Row row = outcome.rows().get(0);
    assertThat(row.get("ours")).isEqualTo(50.0);
    assertThat(row.get("peer")).isEqualTo(45.0);
    assertThat(row.get("ratio")).as("1.111, 1.2, 0.25").isEqualTo(1.111);
    assertThat(row.get("ours_runs")).isEqualTo(List.of(50.0, 60.0, 10.0));
    assertThat(row.get("published_ours")).isEqualTo(43.18);
    assertThat(row.get("published_peer")).isEqualTo(45.54);
    assertThat(row.get("published")).isEqualTo(0.948);
    assertThat(row.get("queue_packets")).isEqualTo(2500);
    assertThat(outcome.claims())
        .containsExactly(
            new Claim(
                "ratio-reno-classic-loss-1-rtt-300",
                "ratio of goodputs, reno classic, loss 1 %, round trip + 300 ms",
                1.11,
                1,
                true));
  }

  @Test
  void shouldReportAFailedCellWithItsReason() {
    Measured failed = new Measured();
    failed.add(Measured.Run.failed(0, "ilnp4j: not complete after 90 s"));
    GridReport report = new GridReport();
    report.add(CELL, failed, measured(40));
    Experiment.Outcome outcome = report.outcome();

    Row row = outcome.rows().get(0);
    assertThat(row.get("ours")).isNull();
    assertThat(row.get("peer")).isEqualTo(40.0);
    assertThat(row.get("ratio")).isNull();
    assertThat(row.get("failure")).isEqualTo("ilnp4j: not complete after 90 s");
    assertThat(outcome.claims().get(0).holds()).isFalse();
    assertThat(outcome.claims().get(0).value()).isNull();
  }

  @Test
  void shouldTakeTheShareOfTheWeakerFlow() {
    GridReport report = new GridReport();
    report.addSharing("cubic", SessionMode.CLASSIC, measured(0.7));
    assertThat(report.outcome().rows().get(0).get("peer")).isEqualTo(0.3);
    assertThat(report.outcome().claims().get(0).value()).isEqualTo(0.3);
    assertThat(report.outcome().claims().get(0).holds()).isFalse();
  }

  @Test
  void shouldKnowEveryPublishedCell() {
    for (double loss : new double[] {0, 0.01, 1}) {
      for (int rtt : new int[] {0, 100, 300}) {
        assertThat(Published.of(loss, rtt).orElseThrow().ratio()).isBetween(0.52, 0.95);
      }
    }
    assertThat(Published.of(2, 0)).isEmpty();
  }
}

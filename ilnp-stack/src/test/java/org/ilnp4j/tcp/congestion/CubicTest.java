package org.ilnp4j.tcp.congestion;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.ilnp4j.time.NanoClock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** RFC 9438, section by section. */
class CubicTest {
  private static final int MSS = Flow.MSS;

  private static Flow after(int segments) {
    Flow flow = new Flow("cubic");
    flow.grow(segments);
    flow.lose((long) segments * MSS);
    return flow;
  }

  private static void runFor(Flow flow, double seconds) {
    long end = flow.now + (long) (seconds * 1e9);
    while (flow.now < end) {
      flow.round();
    }
  }

  /** §4.2: concave up to the old maximum at K, flat there, convex behind it. */
  @Test
  void shouldFollowTheCubicFunction() {
    Flow flow = after(1000);
    assertThat(flow.window()).isEqualTo(700);
    double k = Math.cbrt((1000 - 700) / 0.4);
    runFor(flow, k / 2);
    assertThat(flow.window()).isCloseTo(1000 - 0.4 * Math.pow(k / 2, 3), within(15.0));
    runFor(flow, k / 2);
    assertThat(flow.window()).as("the plateau at K").isCloseTo(1000, within(10.0));
    runFor(flow, 5);
    assertThat(flow.window()).as("convex").isCloseTo(1000 + 0.4 * 125, within(15.0));
  }

  /** §4.2: never faster than half a window per round trip. */
  @Test
  void shouldGrowByHalfAWindowPerRoundAtMost() {
    Flow flow = after(1000);
    flow.cc.onTimeout(flow.now, 20 * MSS, true); // far below what the function will say
    flow.rttNanos = NanoClock.seconds(10);
    for (int i = 0; i < 12; i++) {
      double before = flow.window();
      boolean slowStart = flow.cc.inSlowStart();
      flow.round();
      if (!slowStart) {
        // Within the round the window grows as well: e^0.5 at most.
        assertThat(flow.window()).isLessThanOrEqualTo(before * 1.66);
      }
    }
  }

  /** §4.3: 100 rounds in 0.1 s; the cubic function has hardly moved, Reno's estimate has. */
  @Test
  void shouldNotBeSlowerThanRenoOnShortPaths() {
    Flow flow = after(20);
    Flow reno = new Flow("reno");
    reno.grow(20);
    reno.lose(20 * MSS);
    flow.rttNanos = NanoClock.millis(1);
    reno.rttNanos = NanoClock.millis(1);
    for (int i = 0; i < 20; i++) {
      flow.round();
      reno.round();
    }
    double alpha = 3 * 0.3 / 1.7;
    double roundsToPrior = (20 - 14) / alpha;
    assertThat(flow.window())
        .as("alpha up to the prior window, one segment per round beyond it")
        .isCloseTo(20 + (20 - roundsToPrior), within(0.7));
    assertThat(flow.window()).isGreaterThan(reno.window() - 2);
  }

  /** Table 1 and 2: the mean window at a fixed loss rate. */
  @ParameterizedTest(name = "RTT {0} ms, one loss in {1}: {2} segments")
  @CsvSource({"100, 100, 12", "100, 1000, 38", "100, 10000, 187", "10, 10000, 120"})
  void shouldReachTheMeanWindowOfTheResponseFunction(long rttMs, int interval, double mean) {
    Flow flow = after((int) (mean * 1.2));
    flow.rttNanos = NanoClock.millis(rttMs);
    double sum = 0;
    double sinceLoss = 0;
    int rounds = 0;
    for (int losses = 0; losses < 60; rounds++) {
      sum += flow.window();
      sinceLoss += flow.window();
      flow.round();
      if (sinceLoss >= interval) {
        sinceLoss -= interval;
        losses++;
        flow.lose(flow.cc.cwndBytes());
      }
    }
    assertThat(sum / rounds).isCloseTo(mean, within(mean * 0.2));
  }

  /** §4.7: a flow that loses below its last maximum makes room. */
  @Test
  void shouldRemember85PercentWhenWindowsShrink() {
    Flow flow = after(1000);
    flow.lose(700L * MSS);
    assertThat(flow.window()).isEqualTo(490);
    double plateau = 700 * 1.7 / 2;
    runFor(flow, Math.cbrt((plateau - 490) / 0.4));
    assertThat(flow.window()).isCloseTo(plateau, within(10.0));
    runFor(flow, 0.5);
    assertThat(flow.window()).isCloseTo(plateau, within(10.0));
  }

  /** §4.8: behind a time-out, the plateau is where slow start ended. */
  @Test
  void shouldStartItsFunctionAtThePlateauAfterATimeout() {
    Flow flow = after(1000);
    flow.cc.onTimeout(flow.now, 700L * MSS, true);
    while (flow.cc.inSlowStart()) {
      flow.round();
    }
    assertThat(flow.window()).isCloseTo(490, within(5.0));
    runFor(flow, 3);
    double aimd = 490 + 30 * (3 * 0.3 / 1.7);
    assertThat(flow.window()).isCloseTo(Math.max(490 + 0.4 * 27, aimd), within(5.0));
  }

  /** §4.9: as if nothing had happened. */
  @Test
  void shouldReturnToItsCurveWhenALossWasNone() {
    Flow flow = after(1000);
    Flow undisturbed = after(1000);
    for (int i = 0; i < 10; i++) {
      flow.round();
      undisturbed.round();
    }
    flow.lose(flow.cc.cwndBytes());
    flow.cc.undo();
    for (int i = 0; i < 100; i++) {
      flow.round();
      undisturbed.round();
    }
    assertThat(flow.window()).isCloseTo(undisturbed.window(), within(1.0));
  }

  /** §5.8: time in which the window was not used does not count. */
  @ParameterizedTest
  @CsvSource({"true", "false"})
  void shouldNotCountTimeInWhichTheWindowWasNotUsed(boolean silent) {
    Flow flow = after(1000);
    Flow undisturbed = after(1000);
    for (int i = 0; i < 20; i++) {
      flow.round();
      undisturbed.round();
    }
    double before = flow.window();
    if (silent) {
      flow.now += NanoClock.millis(250);
      flow.cc.onIdle(flow.now, NanoClock.millis(250), Flow.RTO);
    } else {
      for (int i = 0; i < 3; i++) {
        flow.round(650 * MSS, false); // the first still counts: the window was full before it
      }
    }
    assertThat(flow.window()).isCloseTo(before, within(silent ? 0.1 : 10.0));
    for (int i = 0; i < 40; i++) {
      flow.round();
      undisturbed.round();
    }
    assertThat(flow.window()).isCloseTo(undisturbed.window(), within(8.0));
  }

  /** §4.10: with HyStart++ slow start may end without any loss. */
  @Test
  void shouldGoOnFromWhereSlowStartEndedWithoutLoss() {
    Flow flow = new Flow("cubic");
    flow.segmentsPerAck = 1;
    flow.round();
    flow.round();
    for (int i = 0; flow.cc.inSlowStart(); i++) {
      assertThat(i).isLessThan(12);
      flow.rttNanos += NanoClock.millis(13);
      flow.round();
    }
    double end = flow.window();
    assertThat(flow.cc.ssthreshBytes()).isLessThanOrEqualTo(flow.cc.cwndBytes());
    runFor(flow, 2);
    assertThat(flow.window()).isBetween(end + 2, end + 20);
    runFor(flow, 6);
    assertThat(flow.window()).isGreaterThan(end + 80);
  }
}

package org.ilnp4j.tcp.congestion;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import org.ilnp4j.time.NanoClock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CongestionControlTest {
  private static final int MSS = 1000;
  private static final long RTT = NanoClock.millis(100);

  /** Acknowledges a whole window, segment pair by segment pair. */
  private static void round(CongestionControl cc, long now) {
    long left = cc.cwndBytes();
    while (left > 0) {
      long n = Math.min(2 * MSS, left);
      cc.onAck(now, n, RTT);
      left -= n;
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"cubic", "newreno"})
  void shouldStartWithTenSegmentsAndDoubleEachRound(String name) {
    CongestionControl cc = CongestionControl.create(name, MSS);
    assertThat(cc.cwndBytes()).isEqualTo(10 * MSS);
    assertThat(cc.inSlowStart()).isTrue();
    round(cc, 0);
    assertThat(cc.cwndBytes()).isEqualTo(20 * MSS);
    round(cc, RTT);
    assertThat(cc.cwndBytes()).isEqualTo(40 * MSS);
  }

  @ParameterizedTest
  @ValueSource(strings = {"cubic", "newreno"})
  void shouldNotLetOneAcknowledgementOpenTheWindowAtWill(String name) {
    CongestionControl cc = CongestionControl.create(name, MSS);
    cc.onAck(0, 1000 * MSS, RTT);
    assertThat(cc.cwndBytes()).isEqualTo(18 * MSS);
  }

  @ParameterizedTest
  @ValueSource(strings = {"cubic", "newreno"})
  void shouldSendOneSegmentAfterATimeout(String name) {
    CongestionControl cc = CongestionControl.create(name, MSS);
    cc.onTimeout(0, 10 * MSS, true);
    assertThat(cc.cwndBytes()).isEqualTo(MSS);
    long ssthresh = cc.ssthreshBytes();
    cc.onTimeout(RTT, MSS, false);
    assertThat(cc.ssthreshBytes()).as("not reduced for the same segment").isEqualTo(ssthresh);
    cc.onAck(2 * RTT, 3 * MSS, RTT);
    assertThat(cc.cwndBytes()).as("one segment per ACK (RFC 3465)").isEqualTo(2 * MSS);
  }

  @ParameterizedTest
  @ValueSource(strings = {"cubic", "newreno"})
  void shouldNeverGoBelowTwoSegmentsOnLoss(String name) {
    CongestionControl cc = CongestionControl.create(name, MSS);
    cc.onCongestionEvent(0, MSS);
    assertThat(cc.cwndBytes()).isEqualTo(2 * MSS);
    assertThat(cc.ssthreshBytes()).isEqualTo(2 * MSS);
  }

  @ParameterizedTest
  @ValueSource(strings = {"cubic", "newreno"})
  void shouldRestartFromTheInitialWindowAfterIdleness(String name) {
    CongestionControl cc = CongestionControl.create(name, MSS);
    for (int i = 0; i < 4; i++) {
      round(cc, i * RTT);
    }
    cc.onCongestionEvent(5 * RTT, 160 * MSS);
    long before = cc.cwndBytes();
    cc.onIdleRestart(100 * RTT);
    assertThat(cc.cwndBytes()).isEqualTo(10 * MSS);
    assertThat(cc.ssthreshBytes()).isEqualTo(before);
  }

  @Test
  void shouldHalveAndGrowByOneSegmentPerRoundAsReno() {
    CongestionControl cc = CongestionControl.create("reno", MSS);
    assertThat(cc.name()).isEqualTo("newreno");
    cc.onCongestionEvent(0, 40 * MSS);
    assertThat(cc.cwndBytes()).isEqualTo(20 * MSS);
    for (int i = 1; i <= 5; i++) {
      round(cc, i * RTT);
      assertThat(cc.cwndBytes()).isEqualTo((20 + i) * (long) MSS);
    }
  }

  @Test
  void shouldFollowTheCubicFunction() {
    Cubic cc = new Cubic(MSS);
    grow(cc, 1000);
    cc.onCongestionEvent(0, 1000L * MSS);
    assertThat(cc.cwndBytes()).isEqualTo(700L * MSS);
    double k = Math.cbrt((1000 - 700) / 0.4);
    long now = 0;
    for (; now < k * 1e9; now += RTT) {
      round(cc, now);
    }
    assertThat(cc.cwndBytes() / (double) MSS).as("the plateau at K").isCloseTo(1000, within(10.0));
    for (long end = now + (long) 5e9; now < end; now += RTT) {
      round(cc, now);
    }
    assertThat(cc.cwndBytes() / (double) MSS)
        .as("convex growth 5 s later")
        .isCloseTo(1000 + 0.4 * 125, within(15.0));
  }

  @Test
  void shouldNotBeSlowerThanRenoOnShortPaths() {
    Cubic cc = new Cubic(MSS);
    grow(cc, 20);
    cc.onCongestionEvent(0, 20 * MSS);
    long shortRtt = NanoClock.millis(1);
    for (int i = 1; i <= 100; i++) {
      long left = cc.cwndBytes();
      cc.onAck(i * shortRtt, left, shortRtt);
    }
    // 100 rounds in 0.1 s: the cubic function has hardly moved, Reno's estimate has.
    assertThat(cc.cwndBytes()).isGreaterThan(40L * MSS);
  }

  @Test
  void shouldRemember85PercentWhenWindowsShrink() {
    Cubic cc = new Cubic(MSS);
    grow(cc, 1000);
    cc.onCongestionEvent(0, 1000L * MSS);
    cc.onCongestionEvent(RTT, 700L * MSS); // below the last maximum: another flow came
    assertThat(cc.cwndBytes()).isEqualTo(490L * MSS);
    double plateau = 700 * 1.7 / 2;
    double k = Math.cbrt((plateau - 490) / 0.4);
    long now = RTT;
    for (; now < RTT + k * 1e9; now += RTT) {
      round(cc, now);
    }
    assertThat(cc.cwndBytes() / (double) MSS).isCloseTo(plateau, within(10.0));
  }

  @Test
  void shouldKeepTheSegmentCountWhenTheMtuFalls() {
    CongestionControl cc = CongestionControl.create("cubic", 1400);
    cc.mss(1200);
    assertThat(cc.cwndBytes()).isEqualTo(12_000);
  }

  @Test
  void shouldNameTheChoicesWhenAskedForAnUnknownOne() {
    assertThatThrownBy(() -> CongestionControl.create("vegas", MSS))
        .hasMessage("unknown congestion control \"vegas\": use cubic or newreno");
    assertThat(CongestionControl.isKnown("vegas")).isFalse();
    assertThat(CongestionControl.isKnown("reno")).isTrue();
  }

  private static void grow(Cubic cc, int segments) {
    while (cc.cwndBytes() < (long) segments * MSS) {
      cc.onAck(0, Math.min(8L * MSS, (long) segments * MSS - cc.cwndBytes()), RTT);
    }
  }
}

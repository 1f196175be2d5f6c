package org.ilnp4j.tcp.congestion;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.ilnp4j.time.NanoClock;
import org.junit.jupiter.api.Test;

/**
 * The model by itself: rounds of 100 ms on a path of 1 MB/s. What it makes of a real queue is in
 * {@code TcpBbrTest}.
 */
class BbrTest {
  private static final int MSS = 1000;
  private static final long RTT = NanoClock.millis(100);
  private static final double BW = 1_000_000;

  private final Bbr bbr = new Bbr(MSS);
  private final AckSample ack = new AckSample();
  private long now = NanoClock.seconds(100);
  private long delivered;
  private long lastRound;

  /** What was sent in the last round arrives, at {@code rate}. */
  private void round(double rate, boolean appLimited) {
    now += RTT;
    ack.nowNanos = now;
    ack.deliveredBytes = (long) (rate * RTT / 1e9);
    ack.rttNanos = RTT;
    ack.srttNanos = RTT;
    ack.priorDelivered = lastRound;
    lastRound = delivered + ack.deliveredBytes;
    delivered += ack.deliveredBytes;
    ack.totalDelivered = delivered;
    ack.sampleDelivered = ack.deliveredBytes;
    ack.rate = rate;
    ack.appLimited = appLimited;
    ack.inFlightBytes = Math.min(bbr.cwndBytes(), ack.deliveredBytes);
    ack.txInFlight = ack.deliveredBytes;
    ack.lostSinceSent = 0;
    bbr.onAck(ack);
  }

  private void fillPipe() {
    for (double rate = BW / 8; rate < BW; rate *= 2) {
      round(rate, false);
    }
    for (int i = 0; i < 8; i++) {
      round(BW, false);
    }
    assertThat(bbr.inSlowStart()).isFalse();
  }

  @Test
  void shouldStartWithTheInitialWindowAndDoubleEachRound() {
    assertThat(bbr.cwndBytes()).isEqualTo(10 * MSS);
    assertThat(bbr.pacingRate(-1)).isEqualTo(Pacer.UNLIMITED);
    assertThat(bbr.pacingRate(RTT)).isEqualTo((long) (2.77 * 100_000));
    round(100_000, false);
    assertThat(bbr.cwndBytes()).isEqualTo(20 * MSS);
  }

  @Test
  void shouldLeaveStartupAfterThreeRoundsWithoutGrowth() {
    round(BW / 2, false);
    round(BW, false);
    round(BW, false);
    round(BW * 1.2, false);
    assertThat(bbr.inSlowStart()).isTrue();
    round(BW * 1.2, false);
    assertThat(bbr.inSlowStart()).isFalse();
  }

  @Test
  void shouldNotTakeAQuietSenderForAFullPipe() {
    round(BW / 2, false);
    for (int i = 0; i < 20; i++) {
      round(BW / 10, true);
    }
    assertThat(bbr.inSlowStart()).isTrue();
    assertThat(bbr.pacingRate(RTT)).isGreaterThan((long) (BW / 2 * 2.7));
  }

  @Test
  void shouldPaceAtWhatThePathDeliversAndHoldTwiceTheProduct() {
    fillPipe();
    assertThat((double) bbr.pacingRate(RTT)).isCloseTo(BW, within(BW * 0.3));
    assertThat(bbr.cwndBytes()).isBetween(150L * MSS, 320L * MSS);
  }

  @Test
  void shouldTurnDownWhenDataIsLostOutsideOfAProbe() {
    fillPipe();
    for (int i = 0; i < 3; i++) {
      bbr.onLost(now, MSS, 100 * MSS, 10 * MSS, false);
      round(BW / 2, false);
    }
    assertThat((double) bbr.pacingRate(RTT)).isLessThan(BW * 0.8);
  }

  @Test
  void shouldTakeMarksForCongestion() {
    round(BW / 2, false);
    round(BW, false);
    bbr.onCongestionEvent(now, 100 * MSS, CongestionControl.Cause.MARK);
    round(BW, false);
    assertThat(bbr.inSlowStart()).as("a marked queue is a full pipe").isFalse();
    for (int i = 0; i < 4; i++) {
      bbr.onCongestionEvent(now, 100 * MSS, CongestionControl.Cause.MARK);
      round(BW / 2, false);
    }
    assertThat((double) bbr.pacingRate(RTT)).isLessThan(BW * 0.8);
  }

  @Test
  void shouldRestoreTheModelWhenALossWasNone() {
    fillPipe();
    long rate = bbr.pacingRate(RTT);
    bbr.saveForUndo();
    bbr.onCongestionEvent(now, 100 * MSS, CongestionControl.Cause.LOSS);
    for (int i = 0; i < 3; i++) {
      bbr.onLost(now, MSS, 100 * MSS, 10 * MSS, false);
      round(BW / 2, false);
    }
    bbr.undo();
    bbr.onRecoveryEnd();
    round(BW, false);
    assertThat((double) bbr.pacingRate(RTT)).isCloseTo(rate, within(BW * 0.3));
  }

  @Test
  void shouldSendOneSegmentAfterATimeoutAndComeBackWhenItIsRepaired() {
    fillPipe();
    long before = bbr.cwndBytes();
    bbr.onTimeout(now, 50 * MSS, true);
    assertThat(bbr.cwndBytes()).isEqualTo(MSS);
    bbr.onRecoveryEnd();
    assertThat(bbr.cwndBytes()).isEqualTo(before);
  }

  @Test
  void shouldProbeTheRttEveryFiveSeconds() {
    fillPipe();
    int drained = 0;
    for (int i = 0; i < 200; i++) {
      round(BW, false);
      if (bbr.cwndBytes() <= 60 * MSS) {
        drained++; // half the product, which is 100 segments
      }
    }
    assertThat(drained).as("rounds in 20 s").isBetween(6, 24);
  }
}

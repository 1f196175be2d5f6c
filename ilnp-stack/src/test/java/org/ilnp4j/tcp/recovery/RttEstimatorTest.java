package org.ilnp4j.tcp.recovery;

import static org.assertj.core.api.Assertions.assertThat;

import org.ilnp4j.time.NanoClock;
import org.junit.jupiter.api.Test;

class RttEstimatorTest {
  private static final long MIN = NanoClock.millis(200);

  private static long ms(long n) {
    return NanoClock.millis(n);
  }

  @Test
  void shouldStartWithOneSecond() {
    RttEstimator rtt = new RttEstimator(MIN);
    assertThat(rtt.rtoNanos()).isEqualTo(ms(1000));
    assertThat(rtt.srttNanos()).isEqualTo(-1);
    assertThat(rtt.hasSample()).isFalse();
  }

  @Test
  void shouldTakeTheFirstSampleAsItIs() {
    RttEstimator rtt = new RttEstimator(MIN);
    rtt.onSample(ms(100));
    assertThat(rtt.srttNanos()).isEqualTo(ms(100));
    assertThat(rtt.rttVarNanos()).isEqualTo(ms(50));
    assertThat(rtt.rtoNanos()).isEqualTo(ms(300)); // 100 + 4 * 50
  }

  @Test
  void shouldSmoothLaterSamples() {
    RttEstimator rtt = new RttEstimator(MIN);
    rtt.onSample(ms(100));
    rtt.onSample(ms(180));
    assertThat(rtt.rttVarNanos()).isEqualTo(ms(50) + (ms(80) - ms(50)) / 4);
    assertThat(rtt.srttNanos()).isEqualTo(ms(110));
    assertThat(rtt.minRttNanos()).isEqualTo(ms(100));
  }

  @Test
  void shouldKeepRoomForDelayedAcknowledgementsOnSteadyPaths() {
    RttEstimator rtt = new RttEstimator(MIN);
    for (int i = 0; i < 100; i++) {
      rtt.onSample(ms(300));
    }
    assertThat(rtt.rtoNanos()).isBetween(ms(500), ms(501));
  }

  @Test
  void shouldDoubleUntilSampledAgain() {
    RttEstimator rtt = new RttEstimator(MIN);
    rtt.onSample(ms(100));
    rtt.backOff();
    rtt.backOff();
    assertThat(rtt.rtoNanos()).isEqualTo(ms(1200));
    assertThat(rtt.isBackedOff()).isTrue();
    rtt.onSample(ms(100));
    assertThat(rtt.isBackedOff()).isFalse();
    assertThat(rtt.rtoNanos()).isLessThan(ms(301));
  }

  @Test
  void shouldStayWithinItsBounds() {
    RttEstimator rtt = new RttEstimator(MIN);
    for (int i = 0; i < 100; i++) {
      rtt.backOff();
    }
    assertThat(rtt.rtoNanos()).isEqualTo(ms(60_000));
    assertThat(new RttEstimator(MIN, 1).rtoNanos()).isEqualTo(MIN);
    rtt.onSample(NanoClock.seconds(3600));
    assertThat(rtt.rtoNanos()).isEqualTo(ms(60_000));
  }

  @Test
  void shouldStartFromThreeSecondsWhenTheSynWasRepeated() {
    RttEstimator rtt = new RttEstimator(MIN);
    rtt.backOff();
    rtt.onSynRetransmitted();
    assertThat(rtt.rtoNanos()).isEqualTo(ms(3000));
  }
}

package org.ilnp4j.tcp.congestion;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.ilnp4j.time.NanoClock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** RFC 9406 §4.2 with the constants of §4.3. */
class HyStartTest {
  private final HyStart hyStart = new HyStart(/* paced= */ false);

  /** So far apart that there is no train. */
  private static final long APART = NanoClock.millis(40);

  private long now;

  private static long us(long micros) {
    return micros * 1000;
  }

  private void round(int samples, long rttNanos) {
    for (int i = 0; i < samples; i++) {
      hyStart.onAck(now += APART, rttNanos, i == 0, true);
    }
  }

  @ParameterizedTest(name = "RTT {0} ms: a rise of {1} ms is not enough, of {2} ms is")
  @CsvSource({"1, 3, 4", "20, 3, 4", "100, 12, 13", "300, 15, 16"})
  void shouldSlowDownWhenTheRttHasRisenByAnEighthWithinBounds(long rtt, long little, long enough) {
    round(8, NanoClock.millis(rtt));
    round(8, NanoClock.millis(rtt + little));
    assertThat(hyStart.isConservative()).isFalse();
    HyStart other = new HyStart(false);
    for (int i = 0; i < 8; i++) {
      other.onAck(now += APART, NanoClock.millis(rtt), i == 0, true);
    }
    for (int i = 0; i < 8; i++) {
      assertThat(other.isConservative()).as("needs eight samples").isFalse();
      other.onAck(now += APART, NanoClock.millis(rtt + enough), i == 0, true);
    }
    assertThat(other.isConservative()).isTrue();
    assertThat(other.slowed(4000)).isEqualTo(1000);
  }

  @Test
  void shouldEndSlowStartAfterFiveConservativeRounds() {
    round(10, NanoClock.millis(20));
    round(10, NanoClock.millis(30)); // the first, in part
    for (int i = 2; i <= HyStart.CSS_ROUNDS; i++) {
      round(10, NanoClock.millis(40));
      assertThat(hyStart.isOver()).isFalse();
    }
    round(1, NanoClock.millis(40));
    assertThat(hyStart.isOver()).isTrue();
  }

  @Test
  void shouldResumeWhenTheRiseWasOnlyNoise() {
    round(10, NanoClock.millis(20));
    round(10, NanoClock.millis(30));
    assertThat(hyStart.isConservative()).isTrue();
    round(7, NanoClock.millis(21));
    assertThat(hyStart.isConservative()).as("seven samples say nothing").isTrue();
    hyStart.onAck(now += APART, NanoClock.millis(21), false, true);
    assertThat(hyStart.isConservative()).isFalse();
    assertThat(hyStart.slowed(4000)).isEqualTo(4000);
    round(10, NanoClock.millis(30));
    assertThat(hyStart.isConservative()).as("and may slow down again").isTrue();
  }

  @Test
  void shouldNotBeMisledByNoiseOnAShortPath() {
    Random random = new Random(1);
    for (int r = 0; r < 1000; r++) {
      for (int i = 0; i < 20; i++) {
        // 50 us, and now and then a scheduler's millisecond.
        long noise = random.nextInt(10) == 0 ? us(random.nextInt(5000)) : us(random.nextInt(50));
        hyStart.onAck(now += APART, us(50) + noise, i == 0, true);
      }
      assertThat(hyStart.isConservative() || hyStart.isOver()).as("round %d", r).isFalse();
    }
  }

  @Test
  void shouldNotBeMisledByDelayedAcknowledgements() {
    for (int r = 0; r < 20; r++) {
      int acks = 5 << Math.min(r, 5);
      for (int i = 0; i < acks; i++) {
        boolean last = i == acks - 1; // the odd segment waits for the other side's timer
        hyStart.onAck(now += APART, NanoClock.millis(last ? 60 : 20), i == 0, true);
      }
      assertThat(hyStart.isConservative()).isFalse();
    }
  }

  /** Acknowledgements of one round, each so much after the one before. */
  private void train(HyStart h, int acks, long gapNanos, boolean windowUsed) {
    for (int i = 0; i < acks; i++) {
      h.onAck(now += gapNanos, NanoClock.millis(100), i == 0, windowUsed);
    }
  }

  @Test
  void shouldSlowDownWhenAcknowledgementsComeForHalfAnRttWithoutAGap() {
    train(hyStart, 40, NanoClock.millis(1), true);
    assertThat(hyStart.isConservative()).as("40 ms of 100").isFalse();
    now += NanoClock.millis(60);
    train(hyStart, 52, NanoClock.millis(1), true);
    assertThat(hyStart.isConservative()).isTrue();
    round(10, NanoClock.millis(99));
    assertThat(hyStart.isConservative()).as("a full path is no noise").isTrue();
  }

  @Test
  void shouldWaitForALongerTrainWhenSegmentsArePaced() {
    HyStart h = new HyStart(/* paced= */ true);
    train(h, 70, NanoClock.millis(1), true);
    assertThat(h.isConservative()).isFalse();
    now += NanoClock.millis(30);
    train(h, 80, NanoClock.millis(1), true);
    assertThat(h.isConservative()).isTrue();
  }

  @Test
  void shouldNotTakeScatteredAcknowledgementsForATrain() {
    for (int r = 0; r < 10; r++) {
      train(hyStart, 14, NanoClock.millis(7), true);
    }
    for (int r = 0; r < 10; r++) {
      train(hyStart, 95, NanoClock.millis(1), false); // a window that is not used
    }
    assertThat(hyStart.isConservative()).isFalse();
  }

  @Test
  void shouldConcludeNothingWhileTheWindowIsNotUsed() {
    for (int i = 0; i < 10; i++) {
      hyStart.onAck(now += APART, NanoClock.millis(20), i == 0, true);
    }
    for (int r = 0; r < 20; r++) {
      for (int i = 0; i < 10; i++) {
        hyStart.onAck(now += APART, NanoClock.millis(30 + 10 * r), i == 0, false);
      }
    }
    assertThat(hyStart.isConservative() || hyStart.isOver()).isFalse();
  }

  @Test
  void shouldWorkWithoutSamplesInSomeRounds() {
    round(10, NanoClock.millis(20));
    round(10, -1);
    round(10, NanoClock.millis(200));
    assertThat(hyStart.isConservative()).as("nothing to compare with").isFalse();
  }
}

package org.ilnp4j.tcp.congestion;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.ilnp4j.time.NanoClock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PacerTest {
  private static final int MSS = 1000;
  private static final long SRTT = NanoClock.millis(100);
  private final Pacer pacer = new Pacer();
  private long now = NanoClock.seconds(5);

  private long sendAll() {
    long sent = 0;
    while (pacer.budgetBytes(now) > 0) {
      pacer.onSent(now, MSS);
      sent += MSS;
    }
    return sent;
  }

  @Test
  void shouldLetEverythingGoBeforeThereIsARate() {
    assertThat(pacer.budgetBytes(now)).isEqualTo(Long.MAX_VALUE);
    pacer.onSent(now, MSS);
    assertThat(pacer.nextSendNanos(now)).isEqualTo(now);
    pacer.rate(now, Pacer.UNLIMITED, -1, MSS);
    assertThat(pacer.budgetBytes(now)).isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void shouldNotPaceBelowAMillisecondOfRtt() {
    pacer.rate(now, 1_000_000, NanoClock.millis(1) - 1, MSS);
    assertThat(pacer.budgetBytes(now)).isEqualTo(Long.MAX_VALUE);
    pacer.rate(now, 1_000_000, NanoClock.millis(1), MSS);
    assertThat(pacer.budgetBytes(now)).isLessThan(100_000);
  }

  @Test
  void shouldLetAnInitialWindowGoAtOnceThenTwoSegmentsAtATime() {
    pacer.rate(now, 1_000_000, SRTT, MSS);
    assertThat(sendAll()).isEqualTo(10 * MSS);
    for (int i = 0; i < 10; i++) {
      long next = pacer.nextSendNanos(now);
      assertThat(next - now).as("two segments at 1 MB/s").isEqualTo(NanoClock.millis(2));
      now = next;
      assertThat(sendAll()).isEqualTo(2 * MSS);
    }
  }

  @Test
  void shouldNotSaveUpMoreThanItMayBurst() {
    pacer.rate(now, 1_000_000, SRTT, MSS);
    sendAll();
    now += NanoClock.seconds(3600);
    assertThat(sendAll()).isEqualTo(10 * MSS);
  }

  @ParameterizedTest
  @ValueSource(longs = {20_000, 1_000_000, 12_500_000, 125_000_000, 180_000_000})
  void shouldHoldItsRateThoughTimersAreAMillisecondLate(long rate) {
    pacer.rate(now, rate, SRTT, MSS);
    sendAll();
    long start = now;
    long sent = 0;
    while (now - start < NanoClock.seconds(2)) {
      now = pacer.nextSendNanos(now) + NanoClock.millis(1);
      long burst = sendAll();
      assertThat(burst).isLessThanOrEqualTo((Pacer.MOST_SEGMENTS + 1) * MSS);
      sent += burst;
    }
    double seconds = (now - start) / 1e9;
    assertThat(sent / seconds).isCloseTo(rate, within(rate * 0.02 + 10 * MSS));
  }

  @Test
  void shouldFollowAChangeOfTheRate() {
    pacer.rate(now, 1_000_000, SRTT, MSS);
    sendAll();
    pacer.rate(now, 2_000_000, SRTT, MSS);
    assertThat(pacer.nextSendNanos(now) - now).isEqualTo(NanoClock.millis(1));
    now += NanoClock.millis(1);
    pacer.rate(now, 1_000, SRTT, MSS);
    assertThat(sendAll()).as("what was earned stays").isEqualTo(2 * MSS);
    assertThat(pacer.nextSendNanos(now) - now).isEqualTo(NanoClock.seconds(2));
  }

  @Test
  void shouldCarryTheDebtOfALargerSegment() {
    pacer.rate(now, 1_000_000, SRTT, MSS);
    pacer.onSent(now, 9_500);
    assertThat(pacer.budgetBytes(now)).isEqualTo(500);
    pacer.onSent(now, MSS);
    assertThat(pacer.budgetBytes(now)).isZero();
    assertThat(pacer.nextSendNanos(now) - now).isEqualTo(NanoClock.millis(2) + 500_000);
  }
}

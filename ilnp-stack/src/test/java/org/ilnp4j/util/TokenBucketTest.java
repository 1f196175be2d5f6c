package org.ilnp4j.util;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TokenBucketTest {
  private static final long SECOND = 1_000_000_000L;

  private static int take(TokenBucket bucket, long nowNanos) {
    int n = 0;
    while (bucket.tryTake(nowNanos)) {
      n++;
    }
    return n;
  }

  @Test
  void shouldGiveItsBurstAtOnceAndThenItsRate() {
    TokenBucket bucket = new TokenBucket(100, 20);
    assertThat(take(bucket, 0)).isEqualTo(20);
    assertThat(bucket.tryTake(SECOND / 100 - 1)).isFalse();
    assertThat(bucket.tryTake(SECOND / 100)).isTrue();
    assertThat(bucket.tryTake(SECOND / 100)).isFalse();
  }

  @Test
  void shouldNotSaveMoreThanItsBurst() {
    TokenBucket bucket = new TokenBucket(100, 20);
    assertThat(take(bucket, 3600 * SECOND)).isEqualTo(20);
    assertThat(take(bucket, Long.MAX_VALUE)).isEqualTo(20);
  }

  @Test
  void shouldHoldItsRateWhateverTheSteps() {
    TokenBucket bucket = new TokenBucket(1000, 2);
    int taken = 0;
    for (long now = 0; now < 10 * SECOND; now += 333_333) {
      taken += bucket.tryTake(now) ? 1 : 0;
    }
    assertThat(taken).isBetween(9_999, 10_002);
  }

  @Test
  void shouldGiveNothingForTimeThatGoesBack() {
    TokenBucket bucket = new TokenBucket(1, 1);
    assertThat(bucket.tryTake(10 * SECOND)).isTrue();
    assertThat(bucket.tryTake(0)).isFalse();
    assertThat(bucket.tryTake(10 * SECOND)).isFalse();
    assertThat(bucket.tryTake(11 * SECOND)).isTrue();
  }

  @ParameterizedTest
  @CsvSource({"0, 1", "-1, 1", "1000000001, 1", "1, 0", "1, 1000000001"})
  void shouldRefuseSenselessRates(long perSecond, long burst) {
    assertThatThrownBy(() -> new TokenBucket(perSecond, burst))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("rate " + perSecond + ", burst " + burst);
  }

  /** A stranger cannot count out what is left of it (CVE-2016-5696, CVE-2020-25705). */
  @Test
  void shouldNotBeCountableWithRandomness() {
    Set<Integer> taken = new HashSet<>();
    for (int seed = 0; seed < 20; seed++) {
      TokenBucket bucket = new TokenBucket(1000, 200, new Random(seed));
      int n = 0;
      while (bucket.tryTake(0)) {
        n++;
      }
      assertThat(n).isBetween(100, 200);
      taken.add(n);
    }
    assertThat(taken).hasSizeGreaterThan(5);
  }
}

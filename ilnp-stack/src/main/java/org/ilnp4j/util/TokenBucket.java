package org.ilnp4j.util;

import java.util.random.RandomGenerator;

/**
 * A token bucket: at most {@code burst} at once, refilled at a steady rate. Time is handed in.
 *
 * <p>A limit that strangers share must not be countable, or one of them learns from what is left of
 * it what was sent to another (CVE-2016-5696, CVE-2020-25705). With a source of randomness, each
 * token therefore costs between one and two.
 */
public final class TokenBucket {
  private final long nanosPerToken;
  private final long fullNanos;
  private final RandomGenerator random;
  private long creditNanos;
  private long lastNanos;

  /**
   * @param perSecond tokens per second, 1 to 10^9; the interval is rounded down to nanoseconds
   * @param burst tokens when full, 1 to 10^9
   */
  public TokenBucket(long perSecond, long burst) {
    this(perSecond, burst, null);
  }

  /**
   * A bucket that cannot be counted out.
   *
   * @param random null for exact costs
   */
  public TokenBucket(long perSecond, long burst, RandomGenerator random) {
    if (perSecond < 1 || perSecond > 1_000_000_000L || burst < 1 || burst > 1_000_000_000L) {
      throw new IllegalArgumentException("rate " + perSecond + ", burst " + burst);
    }
    nanosPerToken = 1_000_000_000L / perSecond;
    fullNanos = nanosPerToken * burst;
    creditNanos = fullNanos;
    this.random = random;
  }

  /** Takes one token if there is one. */
  public boolean tryTake(long nowNanos) {
    if (nowNanos > lastNanos) {
      creditNanos += Math.min(fullNanos - creditNanos, nowNanos - lastNanos);
      lastNanos = nowNanos;
    }
    if (creditNanos < nanosPerToken) {
      return false;
    }
    creditNanos -= random == null ? nanosPerToken : nanosPerToken + random.nextLong(nanosPerToken);
    return true;
  }
}

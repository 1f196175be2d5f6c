package org.ilnp4j.util;

/** A token bucket: at most {@code burst} at once, refilled at a steady rate. Time is handed in. */
public final class TokenBucket {
  private final long nanosPerToken;
  private final long fullNanos;
  private long creditNanos;
  private long lastNanos;

  /**
   * @param perSecond tokens per second, 1 to 10^9; the interval is rounded down to nanoseconds
   * @param burst tokens when full, 1 to 10^9
   */
  public TokenBucket(long perSecond, long burst) {
    if (perSecond < 1 || perSecond > 1_000_000_000L || burst < 1 || burst > 1_000_000_000L) {
      throw new IllegalArgumentException("rate " + perSecond + ", burst " + burst);
    }
    nanosPerToken = 1_000_000_000L / perSecond;
    fullNanos = nanosPerToken * burst;
    creditNanos = fullNanos;
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
    creditNanos -= nanosPerToken;
    return true;
  }
}

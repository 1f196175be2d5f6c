package org.ilnp4j.tcp;

import java.util.random.RandomGenerator;
import org.ilnp4j.time.NanoClock;

/**
 * Bounds acknowledgements sent in answer to segments that fit nowhere (RFC 5961 §7), per connection
 * and for the host. The host's bound is drawn anew each second, for an exact one can be counted out
 * by a third party to learn about other people's connections (CVE-2016-5696).
 */
final class ChallengeAckLimiter {
  private static final int MIN_PER_SECOND = 500;
  private static final int SPREAD = 500;
  private static final long PERIOD_NANOS = NanoClock.seconds(1);

  /** Between two on one connection. */
  static final long CONNECTION_NANOS = NanoClock.millis(250);

  private final RandomGenerator random;
  private long periodStartNanos = -PERIOD_NANOS;
  private int left;

  ChallengeAckLimiter(RandomGenerator random) {
    this.random = random;
  }

  /**
   * @param lastNanos when the connection last sent one, or -1
   */
  boolean allow(long nowNanos, long lastNanos) {
    if (lastNanos >= 0 && nowNanos - lastNanos < CONNECTION_NANOS) {
      return false;
    }
    if (nowNanos - periodStartNanos >= PERIOD_NANOS) {
      periodStartNanos = nowNanos;
      left = MIN_PER_SECOND + random.nextInt(SPREAD);
    }
    if (left == 0) {
      return false;
    }
    left--;
    return true;
  }
}

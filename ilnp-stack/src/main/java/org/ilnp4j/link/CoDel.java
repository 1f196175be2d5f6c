package org.ilnp4j.link;

/**
 * Controlled delay (RFC 8289): once the packets at the head of a queue have waited for longer than
 * the target during a whole interval, they are dropped one by one, more and more often, until the
 * wait is below the target again.
 */
final class CoDel {
  /** The wait that is acceptable (RFC 8289 §4.4). */
  static final long TARGET_NANOS = 5_000_000;

  /** About the round-trip time of a long path (RFC 8289 §4.3). */
  static final long INTERVAL_NANOS = 100_000_000;

  /** How long the rate of dropping is remembered after it ended, in intervals. */
  private static final int MEMORY_INTERVALS = 16;

  private boolean waiting;
  private long actNanos;
  private boolean dropping;
  private long nextDropNanos;
  private long drops;
  private long dropsBefore;

  /**
   * True when the packet at the head is to be dropped; the next one is to be asked about then.
   *
   * @param nowNanos the time at which the packet could leave
   * @param waitedNanos since it came
   * @param isLast whether there is at most one packet's worth in the queue
   */
  boolean drops(long nowNanos, long waitedNanos, boolean isLast) {
    if (!isTooLong(nowNanos, waitedNanos, isLast)) {
      dropping = false;
      return false;
    }
    if (!dropping) {
      dropping = true;
      boolean resumes =
          drops - dropsBefore > 1 && nowNanos - nextDropNanos < MEMORY_INTERVALS * INTERVAL_NANOS;
      drops = resumes ? drops - dropsBefore : 1;
      dropsBefore = drops;
      nextDropNanos = after(nowNanos);
      return true;
    }
    if (nowNanos - nextDropNanos < 0) {
      return false;
    }
    drops++;
    nextDropNanos = after(nextDropNanos);
    return true;
  }

  /** True when the wait has been above the target for an interval. */
  private boolean isTooLong(long nowNanos, long waitedNanos, boolean isLast) {
    if (waitedNanos < TARGET_NANOS || isLast) {
      waiting = false;
      return false;
    }
    if (!waiting) {
      waiting = true;
      actNanos = nowNanos + INTERVAL_NANOS;
      return false;
    }
    return nowNanos - actNanos >= 0;
  }

  /** The control law: each drop follows sooner, so that a sender's rate falls linearly. */
  private long after(long nanos) {
    return nanos + (long) (INTERVAL_NANOS / Math.sqrt(drops));
  }
}

package org.ilnp4j.tcp.congestion;

import org.ilnp4j.time.NanoClock;

/**
 * Spreads what a window allows over the round trip: a bucket that fills at the pacing rate. What
 * leaves at once is a quantum: two segments, which the other side acknowledges without delay, or a
 * millisecond's worth, so that timers need not be finer than that. The bucket holds a millisecond's
 * worth more, so that a timer that is so late costs nothing, and at least an initial window, which
 * any flow may send at once (RFC 6928); never more than {@link #MOST_SEGMENTS}, which a device
 * queue of 500 packets takes. Rates beyond that many a millisecond need acknowledgements to wake
 * the sender more often than timers do.
 *
 * <p>Below an RTT of {@link #LEAST_RTT_NANOS} a window is less than a quantum, and nothing is
 * paced. A segment may leave while anything is in the bucket, so the debt is less than a segment.
 */
public final class Pacer {
  /** The rate of a flow that is not paced. */
  public static final long UNLIMITED = Long.MAX_VALUE;

  /** Most that leave in one turn. */
  public static final int MOST_SEGMENTS = 256;

  static final long LEAST_RTT_NANOS = NanoClock.millis(1);
  private static final long QUANTUM_NANOS = NanoClock.millis(1);
  private static final int LEAST_QUANTUM_SEGMENTS = 2;
  private static final double NANOS = 1e9;

  private long rate = UNLIMITED;
  private double quantumBytes;
  private double mostBytes;
  private double creditBytes = Double.MAX_VALUE;
  private long filledNanos;

  /**
   * Sets the rate; what is in the bucket stays.
   *
   * @param bytesPerSecond at least 1, or {@link #UNLIMITED}
   * @param srttNanos smoothed RTT, -1 when unknown
   */
  public void rate(long nowNanos, long bytesPerSecond, long srttNanos, int mssBytes) {
    fill(nowNanos);
    rate = srttNanos < LEAST_RTT_NANOS ? UNLIMITED : Math.max(1, bytesPerSecond);
    double most = (double) MOST_SEGMENTS * mssBytes;
    quantumBytes =
        Math.min(
            most / 4, Math.max(LEAST_QUANTUM_SEGMENTS * mssBytes, rate * (QUANTUM_NANOS / NANOS)));
    mostBytes =
        Math.min(
            most,
            Math.max(
                quantumBytes + rate * (QUANTUM_NANOS / NANOS),
                WindowBased.INITIAL_SEGMENTS * mssBytes));
    creditBytes = Math.min(creditBytes, mostBytes);
  }

  private void fill(long nowNanos) {
    if (rate != UNLIMITED) {
      creditBytes = Math.min(mostBytes, creditBytes + rate * ((nowNanos - filledNanos) / NANOS));
    }
    filledNanos = nowNanos;
  }

  /** Octets that may leave now; the last segment may be larger than what is left of it. */
  public long budgetBytes(long nowNanos) {
    if (rate == UNLIMITED) {
      return Long.MAX_VALUE;
    }
    fill(nowNanos);
    return Math.max(0, (long) creditBytes);
  }

  /**
   * How much had better leave together: a millisecond's worth. Without pacing, what the device
   * cuts.
   *
   * @param deviceBytes most it takes at once; 0 when it takes single segments
   */
  public long batchBytes(long deviceBytes) {
    if (rate == UNLIMITED) {
      return deviceBytes;
    }
    long batch = Math.min((long) mostBytes, (long) (rate * (QUANTUM_NANOS / NANOS)));
    return deviceBytes == 0 ? batch : Math.min(batch, deviceBytes);
  }

  /** So many octets left. */
  public void onSent(long nowNanos, int bytes) {
    if (rate != UNLIMITED) {
      fill(nowNanos);
      creditBytes -= bytes;
    }
  }

  /** When a quantum may leave; {@code nowNanos} when it may now. */
  public long nextSendNanos(long nowNanos) {
    if (rate == UNLIMITED) {
      return nowNanos;
    }
    fill(nowNanos);
    double missing = quantumBytes - creditBytes;
    return missing <= 0 ? nowNanos : nowNanos + (long) Math.ceil(missing * NANOS / rate);
  }
}

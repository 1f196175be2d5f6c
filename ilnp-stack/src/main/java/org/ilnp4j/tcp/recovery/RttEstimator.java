package org.ilnp4j.tcp.recovery;

import org.ilnp4j.time.NanoClock;

/**
 * Retransmission time-out from round-trip times (RFC 6298) of one path. The caller applies Karn's
 * rule: it hands in no sample of a segment whose acknowledgement may belong to another
 * transmission.
 *
 * <p>Two deviations, both as Linux has them: the variance term, not the sum, has the lower bound,
 * so that a steady long RTT leaves room for the other side's delayed acknowledgement; and the upper
 * bound is 60 s, the least RFC 6298 (2.5) allows.
 */
public final class RttEstimator {
  /** RTO before the first sample (RFC 6298 (2.1)). */
  public static final long INITIAL_RTO_NANOS = NanoClock.seconds(1);

  public static final long MAX_RTO_NANOS = NanoClock.seconds(60);

  private final long minRtoNanos;
  private long srttNanos = -1;
  private long rttVarNanos;
  private long minRttNanos = -1;
  private long baseRtoNanos;
  private int backoff;

  public RttEstimator(long minRtoNanos) {
    this(minRtoNanos, INITIAL_RTO_NANOS);
  }

  /**
   * @param initialRtoNanos RTO before the first sample, bounded to the allowed range
   */
  public RttEstimator(long minRtoNanos, long initialRtoNanos) {
    this.minRtoNanos = minRtoNanos;
    baseRtoNanos = bounded(initialRtoNanos);
  }

  /** A round-trip time was measured; ends any back-off. */
  public void onSample(long rttNanos) {
    long r = Math.max(1, rttNanos);
    minRttNanos = minRttNanos < 0 ? r : Math.min(minRttNanos, r);
    if (srttNanos < 0) {
      srttNanos = r;
      rttVarNanos = r / 2;
    } else {
      rttVarNanos += (Math.abs(srttNanos - r) - rttVarNanos) / 4;
      srttNanos += (r - srttNanos) / 8;
    }
    baseRtoNanos = bounded(srttNanos + Math.max(minRtoNanos, 4 * rttVarNanos));
    backoff = 0;
  }

  private long bounded(long rto) {
    return Math.max(minRtoNanos, Math.min(MAX_RTO_NANOS, rto));
  }

  /** RFC 6298 (5.7): the SYN had to be repeated, so start from 3 s unless a sample came since. */
  public void onSynRetransmitted() {
    backoff = 0;
    if (srttNanos < 0) {
      baseRtoNanos = bounded(NanoClock.seconds(3));
    }
  }

  /** The timer expired: doubles the RTO. */
  public void backOff() {
    if (rtoNanos() < MAX_RTO_NANOS) {
      backoff++;
    }
  }

  public void clearBackOff() {
    backoff = 0;
  }

  public boolean isBackedOff() {
    return backoff > 0;
  }

  public long rtoNanos() {
    return Math.min(MAX_RTO_NANOS, baseRtoNanos << backoff);
  }

  public boolean hasSample() {
    return srttNanos >= 0;
  }

  /** Smoothed RTT, or -1. */
  public long srttNanos() {
    return srttNanos;
  }

  public long rttVarNanos() {
    return srttNanos < 0 ? -1 : rttVarNanos;
  }

  /** Smallest RTT seen, or -1. */
  public long minRttNanos() {
    return minRttNanos;
  }
}

package org.ilnp4j.tcp.congestion;

import org.ilnp4j.time.NanoClock;

/**
 * A congestion window says something about the path only while it is used (RFC 7661, RFC 9438
 * §5.8). Remembers whether and how far it was, so that an unused window does not grow, is given up
 * by and by, and is not what a congestion event is reckoned from; and so that a flow that happened
 * to have little in flight when it met congestion does not fall below what the path has carried
 * ({@code pipeACK}, RFC 7661 §4.2).
 *
 * <p>One deviation: RFC 7661 keeps an unused window for five minutes and relies on pacing when it
 * is used again. Here it is halved for each RTO of silence, or moved half-way to what was used, as
 * RFC 2861 and Linux have it; the slow-start threshold remembers it.
 */
final class WindowValidation {
  /** RFC 7661 §4.2: the sampling period is three RTTs, at least this. */
  private static final long LEAST_PERIOD_NANOS = NanoClock.seconds(1);

  /** The window was full in the round before this one, and in this one. */
  private boolean limitedBefore;

  private boolean limitedNow;

  /** Most in flight in the round before this one, and in this one. */
  private long flightBefore;

  private long flightNow;

  /** When the window was last used up, or was last shrunk because it was not. */
  private long usedNanos = -1;

  /** Most in flight since then. */
  private long usedSince;

  /** Delivered in this round. */
  private long roundBytes;

  /** Most delivered in a round of the sampling period before this one, and of this one. */
  private long pipeAckBefore;

  private long pipeAckNow;
  private long periodNanos;

  /** Notes what is in flight after output. */
  void onOutput(
      long nowNanos, long flightBytes, boolean windowLimited, long cwnd, boolean slowStart) {
    limitedNow |= windowLimited;
    flightNow = Math.max(flightNow, flightBytes);
    if (usedNanos < 0 || isLimited(cwnd, slowStart)) {
      usedNanos = nowNanos;
      usedSince = 0;
    } else {
      usedSince = Math.max(usedSince, flightBytes);
    }
  }

  void onDelivered(AckSample ack) {
    roundBytes += ack.deliveredBytes;
    if (!ack.roundEnded) {
      return;
    }
    limitedBefore = limitedNow;
    limitedNow = false;
    flightBefore = flightNow;
    flightNow = 0;
    long period = Math.max(LEAST_PERIOD_NANOS, 3 * ack.srttNanos);
    if (ack.nowNanos - periodNanos > period) {
      pipeAckBefore = ack.nowNanos - periodNanos > 2 * period ? 0 : pipeAckNow;
      pipeAckNow = 0;
      periodNanos = ack.nowNanos;
    }
    pipeAckNow = Math.max(pipeAckNow, roundBytes);
    roundBytes = 0;
  }

  /**
   * The window was used in the last round trip or two; in slow start it need not have been full,
   * for it doubles ahead of what is sent.
   */
  boolean isLimited(long cwnd, boolean slowStart) {
    return limitedBefore
        || limitedNow
        || (slowStart && 2 * Math.max(flightBefore, flightNow) >= cwnd);
  }

  /** RFC 7661 §4.4.1: what of the window is known to have been used. */
  long usedBytes(long cwnd, long flightBytes) {
    long pipeAck = Math.max(roundBytes, Math.max(pipeAckBefore, pipeAckNow));
    return Math.min(cwnd, Math.max(flightBytes, pipeAck));
  }

  /** The window that is left after it has not been used for an RTO. */
  long decayed(long nowNanos, long cwnd, long initialWindow, long rtoNanos) {
    if (nowNanos - usedNanos < rtoNanos) {
      return cwnd;
    }
    long used = Math.max(usedSince, initialWindow);
    usedNanos = nowNanos;
    usedSince = 0;
    return used < cwnd ? (cwnd + used) / 2 : cwnd;
  }

  /** The window that is left after nothing was sent. */
  long afterIdle(long nowNanos, long idleNanos, long cwnd, long initialWindow, long rtoNanos) {
    long window = cwnd;
    for (long left = idleNanos - rtoNanos; left > 0 && window > initialWindow; left -= rtoNanos) {
      window /= 2;
    }
    if (idleNanos > rtoNanos) {
      limitedBefore = false;
      limitedNow = false;
      flightBefore = 0;
      flightNow = 0;
      usedNanos = nowNanos;
      usedSince = 0;
    }
    return Math.max(window, Math.min(cwnd, initialWindow));
  }
}

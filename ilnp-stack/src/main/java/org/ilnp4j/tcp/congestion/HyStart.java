package org.ilnp4j.tcp.congestion;

import org.ilnp4j.time.NanoClock;

/**
 * HyStart++ (RFC 9406): ends the first slow start when the RTT rises, before the queue overflows.
 * Rounds are told by the caller; the names are those of §4.2. While the window is not used, samples
 * count and nothing is concluded from them: a rise is then not of this flow's making.
 */
final class HyStart {
  static final long MIN_RTT_THRESH_NANOS = NanoClock.millis(4);
  static final long MAX_RTT_THRESH_NANOS = NanoClock.millis(16);
  static final int MIN_RTT_DIVISOR = 8;
  static final int N_RTT_SAMPLE = 8;
  static final int CSS_GROWTH_DIVISOR = 4;
  static final int CSS_ROUNDS = 5;

  private enum Phase {
    SLOW_START,
    /** Conservative slow start: looks whether the rise was only noise. */
    CONSERVATIVE,
    OVER
  }

  private Phase phase = Phase.SLOW_START;
  private long lastRoundMinRttNanos = Long.MAX_VALUE;
  private long currentRoundMinRttNanos = Long.MAX_VALUE;
  private long cssBaselineMinRttNanos;
  private int rttSampleCount;

  /** Rounds of conservative slow start begun, a partial one included. */
  private int cssRounds;

  /**
   * An acknowledgement came in slow start.
   *
   * @param rttNanos its RTT sample, -1 for none
   * @param roundEnded true when it is the first of a new round
   * @param windowUsed true when the window was used, so that it grows
   */
  void onAck(long rttNanos, boolean roundEnded, boolean windowUsed) {
    if (roundEnded) {
      startRound(windowUsed);
    }
    if (rttNanos >= 0) {
      currentRoundMinRttNanos = Math.min(currentRoundMinRttNanos, rttNanos);
      rttSampleCount++;
    }
    if (!windowUsed || rttSampleCount < N_RTT_SAMPLE) {
      return;
    }
    if (phase == Phase.SLOW_START && hasRisen()) {
      phase = Phase.CONSERVATIVE;
      cssBaselineMinRttNanos = currentRoundMinRttNanos;
      cssRounds = 1;
    } else if (phase == Phase.CONSERVATIVE && currentRoundMinRttNanos < cssBaselineMinRttNanos) {
      phase = Phase.SLOW_START;
    }
  }

  private void startRound(boolean windowUsed) {
    lastRoundMinRttNanos = currentRoundMinRttNanos;
    currentRoundMinRttNanos = Long.MAX_VALUE;
    rttSampleCount = 0;
    if (phase == Phase.CONSERVATIVE && windowUsed && ++cssRounds > CSS_ROUNDS) {
      phase = Phase.OVER;
    }
  }

  private boolean hasRisen() {
    if (lastRoundMinRttNanos == Long.MAX_VALUE) {
      return false;
    }
    long threshold =
        Math.max(
            MIN_RTT_THRESH_NANOS,
            Math.min(lastRoundMinRttNanos / MIN_RTT_DIVISOR, MAX_RTT_THRESH_NANOS));
    return currentRoundMinRttNanos >= lastRoundMinRttNanos + threshold;
  }

  /** What the window grows by where plain slow start would by {@code bytes}. */
  long slowed(long bytes) {
    return phase == Phase.CONSERVATIVE ? bytes / CSS_GROWTH_DIVISOR : bytes;
  }

  /** The limit was found: congestion avoidance begins. */
  boolean isOver() {
    return phase == Phase.OVER;
  }

  boolean isConservative() {
    return phase == Phase.CONSERVATIVE;
  }
}

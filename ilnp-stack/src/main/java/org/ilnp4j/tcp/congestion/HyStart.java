package org.ilnp4j.tcp.congestion;

import org.ilnp4j.time.NanoClock;

/**
 * HyStart++ (RFC 9406): ends the first slow start when the RTT rises, before the queue overflows.
 * Rounds are told by the caller; the names are those of §4.2. While the window is not used, samples
 * count and nothing is concluded from them: a rise is then not of this flow's making.
 *
 * <p>The lowest RTT of a round is that of its first segments, which were sent before the queue
 * grew: on a long path the rise shows a round late, with twice the window in flight. So a second
 * sign leads to conservative slow start as well, the ACK train of hybrid slow start (RFC 9438
 * §4.10, as in Linux): acknowledgements that come without a gap for half an RTT keep a window in
 * flight that is as large as the path.
 */
final class HyStart {
  static final long MIN_RTT_THRESH_NANOS = NanoClock.millis(4);
  static final long MAX_RTT_THRESH_NANOS = NanoClock.millis(16);
  static final int MIN_RTT_DIVISOR = 8;
  static final int N_RTT_SAMPLE = 8;
  static final int CSS_GROWTH_DIVISOR = 4;
  static final int CSS_ROUNDS = 5;

  /** A train has no gap longer than the RTT divided by this. */
  static final int TRAIN_GAP_DIVISOR = 16;

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

  private final boolean paced;
  private long minRttNanos = Long.MAX_VALUE;
  private boolean inTrain;
  private long trainStartNanos;
  private long lastAckNanos;

  /**
   * @param paced true when segments leave spread over half an RTT: so do acknowledgements then
   */
  HyStart(boolean paced) {
    this.paced = paced;
  }

  /**
   * An acknowledgement came in slow start.
   *
   * @param rttNanos its RTT sample, -1 for none
   * @param roundEnded true when it is the first of a new round
   * @param windowUsed true when the window was used, so that it grows
   */
  void onAck(long nowNanos, long rttNanos, boolean roundEnded, boolean windowUsed) {
    if (roundEnded) {
      startRound(windowUsed);
      inTrain = true;
      trainStartNanos = nowNanos;
    } else if (nowNanos - lastAckNanos > minRttNanos / TRAIN_GAP_DIVISOR) {
      inTrain = false;
    }
    lastAckNanos = nowNanos;
    if (rttNanos >= 0) {
      currentRoundMinRttNanos = Math.min(currentRoundMinRttNanos, rttNanos);
      minRttNanos = Math.min(minRttNanos, rttNanos);
      rttSampleCount++;
    }
    if (!windowUsed || rttSampleCount < N_RTT_SAMPLE) {
      return;
    }
    if (phase == Phase.SLOW_START && hasRisen()) {
      slowDown(currentRoundMinRttNanos);
    } else if (phase == Phase.SLOW_START && isTrainLong(nowNanos)) {
      slowDown(0); // whatever the RTT is, the path is full
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

  private void slowDown(long baselineNanos) {
    phase = Phase.CONSERVATIVE;
    cssBaselineMinRttNanos = baselineNanos;
    cssRounds = 1;
  }

  private boolean isTrainLong(long nowNanos) {
    long enough = paced ? minRttNanos / 4 * 3 : minRttNanos / 2;
    return inTrain && nowNanos - trainStartNanos >= enough;
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

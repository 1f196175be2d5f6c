package org.ilnp4j.tcp;

import org.ilnp4j.time.NanoClock;

/**
 * When received text is acknowledged (RFC 9293 §3.8.6.3, RFC 5681 §4.2): every second full segment
 * at once, anything else a little later; at once also while the other side's window is small, as at
 * its start, after an idle time and after losses, when it waits for each acknowledgement. In a
 * dialogue, where answers carry them, no others are needed.
 *
 * <p>How much later depends on how fast text was coming: when the last segment of a flight has no
 * second after several usual gaps, none is coming, and the other side waits for the
 * acknowledgement.
 */
final class AckPolicy {
  /** The longest and the shortest delay. */
  static final long DELAY_NANOS = NanoClock.millis(40);

  static final long LEAST_DELAY_NANOS = NanoClock.millis(1) / 4;

  private static final int DELAY_GAPS = 4;

  static final int QUICK_ACKS = 16;

  /** After such a pause the other side starts from a small window. */
  private static final long IDLE_NANOS = NanoClock.millis(200);

  private static final int LEAST_MSS = 536;

  private final TcpTimers timers;
  private final int quickAcks;
  private int mssBytes = LEAST_MSS;
  private boolean due;
  private int unackedBytes;
  private int quickLeft;

  /** The last acknowledgement travelled with text of ours, and the next one may as well. */
  private boolean dialogue;

  private long textNanos = -1;

  /** Usual time between two segments with text: that of a flight, not of the pause behind it. */
  private long gapNanos = DELAY_NANOS;

  /**
   * @param quickAcks acknowledgements not delayed while the other side's window is likely to be
   *     small
   */
  AckPolicy(TcpTimers timers, int quickAcks) {
    this.timers = timers;
    this.quickAcks = quickAcks;
    quickLeft = quickAcks;
  }

  /** The largest segment that came; at least 536. */
  int mssBytes() {
    return mssBytes;
  }

  void noteSegment(int bytes) {
    mssBytes = Math.max(mssBytes, Math.min(bytes, 0xffff));
  }

  boolean isDue() {
    return due;
  }

  /** The next turn acknowledges. */
  void atOnce() {
    due = true;
  }

  /** Something was lost, overtaken or filled in: the other side must know, now and for a while. */
  void onDisorder() {
    due = true;
    quickLeft = quickAcks;
    dialogue = false;
  }

  /** Nothing of ours went out to carry it. */
  void onDelayOver() {
    due = true;
    dialogue = false;
  }

  /**
   * Text came in order.
   *
   * @param windowLeftBytes of what is on offer
   */
  void onText(long nowNanos, int bytes, int windowLeftBytes) {
    if (textNanos >= 0) {
      noteGap(nowNanos - textNanos);
    }
    textNanos = nowNanos;
    unackedBytes += bytes;
    // With less than a segment left on offer, the other side can but wait.
    boolean quick = quickLeft > 0 && !dialogue;
    if (quick || unackedBytes >= 2 * mssBytes || windowLeftBytes < mssBytes) {
      due = true;
    } else if (!due && !timers.isArmed(TimerKind.DELAYED_ACK)) {
      timers.arm(TimerKind.DELAYED_ACK, nowNanos + delayNanos());
    }
  }

  private void noteGap(long nanos) {
    if (nanos > IDLE_NANOS) {
      quickLeft = quickAcks;
    }
    // A pause behind a flight is no gap: one sample cannot change much, many do.
    long change = Math.min(nanos, 2 * gapNanos) - gapNanos;
    gapNanos += change < 0 ? change / 2 : change / 8;
    gapNanos = Math.max(LEAST_DELAY_NANOS / DELAY_GAPS, Math.min(gapNanos, DELAY_NANOS));
  }

  private long delayNanos() {
    return Math.max(LEAST_DELAY_NANOS, Math.min(DELAY_GAPS * gapNanos, DELAY_NANOS));
  }

  /**
   * An acknowledgement left.
   *
   * @param withText true when it travelled with text of ours
   */
  void onSent(boolean withText) {
    if (unackedBytes > 0) {
      dialogue |= withText;
      quickLeft = Math.max(0, quickLeft - 1);
    }
    due = false;
    unackedBytes = 0;
    timers.cancel(TimerKind.DELAYED_ACK);
  }
}

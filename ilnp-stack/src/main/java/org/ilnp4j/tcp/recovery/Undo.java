package org.ilnp4j.tcp.recovery;

import org.ilnp4j.util.Seq;

/**
 * Takes a reduction of the congestion window back when the losses behind it turn out to be none: by
 * the timestamp echoed (Eifel, RFC 3522), or because each repetition is reported as a duplicate
 * (RFC 3708). The response is that of RFC 4015. One instance per connection and path.
 */
public final class Undo {
  private final PathState path;
  private boolean possible;

  private boolean hasSent;

  /** Of the first segment sent since the path was entered. */
  private int enteredTsVal;

  /** Repetitions since the reduction that are not known to have been useless. */
  private int repetitions;

  private boolean hasRepeated;
  private int firstTsVal;

  /** What was repeated lies between these. */
  private int leftSeq;

  private int rightSeq;

  Undo(PathState path) {
    this.path = path;
  }

  /** Call before the window is reduced. */
  void onReduction() {
    path.congestion.saveForUndo();
    possible = true;
    repetitions = 0;
    hasRepeated = false;
  }

  /** The path is current from now on. */
  void onEntered() {
    forget();
    hasSent = false;
  }

  /** A segment was sent. */
  void onSent(SentSegment s) {
    if (!hasSent) {
      hasSent = true;
      enteredTsVal = s.tsVal;
    }
    if (s.isRetransmitted()) {
      onRepeated(s);
    }
  }

  private void onRepeated(SentSegment s) {
    if (possible) {
      repetitions++;
      if (!hasRepeated) {
        hasRepeated = true;
        firstTsVal = s.tsVal;
        leftSeq = s.seq;
        rightSeq = s.endSeq();
      } else {
        leftSeq = Seq.min(leftSeq, s.seq);
        rightSeq = Seq.max(rightSeq, s.endSeq());
      }
    }
  }

  /** A second reduction: what was saved is old. */
  void forget() {
    possible = false;
  }

  /**
   * The acknowledgement was sent before the first repetition could arrive (RFC 3522 §3.2). What was
   * sent before the path was entered took another: that it arrived shows nothing.
   */
  boolean isShownByEcho(Delivery delivery) {
    return possible
        && hasRepeated
        && delivery.echoesBefore(firstTsVal)
        && !delivery.echoesBefore(enteredTsVal);
  }

  /** The last of the repetitions is reported as a duplicate (RFC 3708 §3). */
  boolean isShownByDsack(Delivery delivery) {
    if (!possible
        || !hasRepeated
        || !delivery.hasDsack()
        || Seq.lt(delivery.dsackLeft(), leftSeq)
        || Seq.gt(delivery.dsackRight(), rightSeq)) {
      return false;
    }
    int octets = delivery.dsackRight() - delivery.dsackLeft();
    repetitions -= Math.max(1, (octets + path.mssBytes() - 1) / path.mssBytes());
    return repetitions == 0;
  }

  /** Brings window and threshold back to what they were (RFC 4015 §3.2). */
  void run() {
    possible = false;
    path.congestion.undo();
  }
}

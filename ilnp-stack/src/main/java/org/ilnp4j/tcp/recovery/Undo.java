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

  /** A segment was sent again. */
  void onRepeated(SentSegment s) {
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

  /** A second reduction, or a path that was left: what was saved is old. */
  void forget() {
    possible = false;
  }

  /** The acknowledgement was sent before the first repetition could arrive (RFC 3522 §3.2). */
  boolean isShownByEcho(Delivery delivery) {
    return possible && hasRepeated && delivery.echoesBefore(firstTsVal);
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

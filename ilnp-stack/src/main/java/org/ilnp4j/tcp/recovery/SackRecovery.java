package org.ilnp4j.tcp.recovery;

import org.ilnp4j.tcp.recovery.SentSegment.Fate;
import org.ilnp4j.util.Seq;
import org.ilnp4j.wire.TcpHeader;

/**
 * The SACK scoreboard and its loss rule (RFC 2018, RFC 6675).
 *
 * <p>{@code IsLost} is applied to transmissions, not to octets: a transmission is lost when three
 * that were sent after it <em>on the same path</em> have arrived. For segments sent once this is
 * RFC 6675's rule. Beyond it, the rule finds lost retransmissions, and it never takes a segment for
 * lost because one on another path was faster.
 */
public final class SackRecovery {
  private final RetransmitQueue queue;

  /** Blocks of the last acknowledgement: what they cover is marked already. */
  private final int[] knownLeft = new int[TcpHeader.MAX_SACK_BLOCKS];

  private final int[] knownRight = new int[TcpHeader.MAX_SACK_BLOCKS];
  private int known;

  /** Before this, no record that was sent once is still in flight on the current path. */
  private int examined;

  private PathState examinedPath;

  /** Lowest serial number among retransmissions in flight, or MAX_VALUE. */
  private long oldestRetransmission = Long.MAX_VALUE;

  public SackRecovery(RetransmitQueue queue) {
    this.queue = queue;
  }

  /**
   * Marks what the SACK blocks name. Blocks outside {@code (sndUna, sndMax]} are ignored, which
   * includes D-SACK blocks (RFC 2883).
   */
  public void onBlocks(TcpHeader h, int sndUna, int sndMax, Delivery delivery) {
    for (int b = 0; b < h.sackCount; b++) {
      int left = h.sackLeft[b];
      int right = h.sackRight[b];
      if (Seq.lt(left, right) && Seq.gt(left, sndUna) && Seq.leq(right, sndMax)) {
        mark(left, right, delivery);
      }
    }
    known = 0;
    for (int b = 0; b < h.sackCount; b++) {
      if (Seq.lt(h.sackLeft[b], h.sackRight[b])
          && Seq.gt(h.sackLeft[b], sndUna)
          && Seq.leq(h.sackRight[b], sndMax)) {
        knownLeft[known] = h.sackLeft[b];
        knownRight[known++] = h.sackRight[b];
      }
    }
  }

  private void mark(int left, int right, Delivery delivery) {
    int from = left;
    for (int k = 0; k < known; k++) {
      // Whole records inside a known block need no second look.
      if (Seq.leq(knownLeft[k], from) && Seq.gt(knownRight[k], from)) {
        from = knownRight[k];
      }
    }
    if (Seq.geq(from, right)) {
      return;
    }
    int i = queue.indexAfter(left == from ? left : from - 1);
    for (; i < queue.size(); i++) {
      SentSegment s = queue.get(i);
      if (Seq.gt(s.endSeq(), right)) {
        return;
      }
      if (Seq.geq(s.seq, left) && s.fate != Fate.SACKED && s.path != null) {
        delivery.add(s, s.length);
        queue.markSacked(s);
      }
    }
  }

  /** Call for each retransmission, after {@link RetransmitQueue#sent}. */
  public void onRetransmitted(SentSegment s) {
    oldestRetransmission = Math.min(oldestRetransmission, s.order);
  }

  /**
   * Marks what must be lost, and reduces the window of each path on which a loss is the first of
   * its window of data. Returns the number of octets newly marked.
   */
  public long detect(long nowNanos, PathState current, int sndUna, int sndNxt) {
    boolean onePath = queue.inFlightBytes() == current.inFlightBytes;
    if (current != examinedPath || Seq.lt(examined, sndUna)) {
      examined = sndUna;
      examinedPath = current;
    }
    boolean again = oldestRetransmission < current.overtakenBefore();
    int from = onePath && !again ? queue.indexAfter(examined) : 0;
    if (again || !onePath) {
      oldestRetransmission = Long.MAX_VALUE;
    }
    long marked = 0;
    boolean contiguous = true;
    for (int i = from; i < queue.size(); i++) {
      SentSegment s = queue.get(i);
      if (s.fate != Fate.IN_FLIGHT) {
        continue;
      }
      if (s.order < s.path.overtakenBefore()) {
        marked += s.length;
        lose(nowNanos, s, sndNxt);
      } else if (s.isRetransmitted()) {
        oldestRetransmission = Math.min(oldestRetransmission, s.order);
      } else if (s.path == current) {
        // Everything behind an original was sent later still.
        if (contiguous) {
          examined = s.seq;
        }
        if (onePath) {
          return marked;
        }
        contiguous = false;
      }
    }
    if (contiguous) {
      examined = sndNxt;
    }
    return marked;
  }

  private void lose(long nowNanos, SentSegment s, int sndNxt) {
    PathState p = s.path;
    if (p.phase() == PathState.Phase.OPEN) {
      p.enterRecovery(nowNanos, sndNxt, flightBytes(p), p.newlyDeliveredBytes());
    } else if (s.isRetransmitted()) {
      p.onRetransmissionLost(nowNanos, s.order, p.inFlightBytes);
    }
    queue.markLost(s, false);
  }

  /** FlightSize of RFC 5681 §2 for one path. */
  private long flightBytes(PathState p) {
    long flight = 0;
    for (int i = 0; i < queue.size(); i++) {
      SentSegment s = queue.get(i);
      if (s.path == p && s.fate != Fate.LOST) {
        flight += s.length;
      }
    }
    return flight;
  }

  /** Scoreboard and queue have been turned over: time-out, move, or reneging. */
  public void reset() {
    known = 0;
    examinedPath = null;
    oldestRetransmission = Long.MAX_VALUE;
  }
}

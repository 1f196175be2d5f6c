package org.ilnp4j.tcp.recovery;

import org.ilnp4j.tcp.recovery.SentSegment.Fate;
import org.ilnp4j.util.Seq;
import org.ilnp4j.wire.TcpHeader;

/**
 * Which segments the other side has out of order (RFC 2018, RFC 6675 §3), and what it says it has
 * received twice (RFC 2883).
 */
public final class SackScoreboard {
  private final RetransmitQueue queue;

  /** Blocks of the last acknowledgement: what they cover is marked already. */
  private final int[] knownLeft = new int[TcpHeader.MAX_SACK_BLOCKS];

  private final int[] knownRight = new int[TcpHeader.MAX_SACK_BLOCKS];
  private int known;

  public SackScoreboard(RetransmitQueue queue) {
    this.queue = queue;
  }

  /**
   * Marks what the SACK blocks name. Blocks outside {@code (sndUna, sndMax]} are ignored; a first
   * block that tells of a duplicate (RFC 2883 §4) goes to {@code delivery}.
   */
  public void onBlocks(TcpHeader h, int sndUna, int sndMax, Delivery delivery) {
    int first = 0;
    if (isDsack(h, sndMax)) {
      delivery.dsack(h.sackLeft[0], h.sackRight[0]);
      first = 1;
    }
    for (int b = first; b < h.sackCount; b++) {
      if (isSensible(h.sackLeft[b], h.sackRight[b], sndUna, sndMax)) {
        mark(h.sackLeft[b], h.sackRight[b], delivery);
      }
    }
    known = 0;
    for (int b = first; b < h.sackCount; b++) {
      if (isSensible(h.sackLeft[b], h.sackRight[b], sndUna, sndMax)) {
        knownLeft[known] = h.sackLeft[b];
        knownRight[known++] = h.sackRight[b];
      }
    }
  }

  private static boolean isSensible(int left, int right, int sndUna, int sndMax) {
    return Seq.lt(left, right) && Seq.gt(left, sndUna) && Seq.leq(right, sndMax);
  }

  /** Before the acknowledgement, or inside the second block. */
  private static boolean isDsack(TcpHeader h, int sndMax) {
    if (h.sackCount == 0 || Seq.geq(h.sackLeft[0], h.sackRight[0])) {
      return false;
    }
    boolean inside =
        h.sackCount > 1
            && Seq.geq(h.sackLeft[0], h.sackLeft[1])
            && Seq.leq(h.sackRight[0], h.sackRight[1]);
    return Seq.leq(h.sackRight[0], sndMax) && (Seq.lt(h.sackLeft[0], h.ack) || inside);
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
      // A FIN came with the text before it, whether or not the block counts it in.
      int end = s.isFin() && s.length > 1 ? s.endSeq() - 1 : s.endSeq();
      if (Seq.gt(end, right)) {
        return;
      }
      if (Seq.geq(s.seq, left) && s.fate != Fate.SACKED && s.path != null) {
        delivery.addSacked(s);
        queue.markSacked(s);
      }
    }
  }

  /** Scoreboard and queue have been turned over: time-out, move, or reneging. */
  public void reset() {
    known = 0;
  }
}

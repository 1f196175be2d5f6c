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

  /**
   * Blocks of this one, in sequence: the latest comes first on the wire (RFC 2018 §4), which must
   * not look as if what it covers had overtaken the others (RFC 8985 §6.2 step 3).
   */
  private final int[] left = new int[TcpHeader.MAX_SACK_BLOCKS];

  private final int[] right = new int[TcpHeader.MAX_SACK_BLOCKS];

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
    int blocks = 0;
    for (int b = first; b < h.sackCount; b++) {
      if (isSensible(h.sackLeft[b], h.sackRight[b], sndUna, sndMax)) {
        insert(blocks++, h.sackLeft[b], h.sackRight[b]);
      }
    }
    for (int b = 0; b < blocks; b++) {
      mark(left[b], right[b], delivery);
    }
    System.arraycopy(left, 0, knownLeft, 0, blocks);
    System.arraycopy(right, 0, knownRight, 0, blocks);
    known = blocks;
  }

  /** Files a block by its place in sequence among {@code count} others. */
  private void insert(int count, int blockLeft, int blockRight) {
    int i = count;
    for (; i > 0 && Seq.lt(blockLeft, left[i - 1]); i--) {
      left[i] = left[i - 1];
      right[i] = right[i - 1];
    }
    left[i] = blockLeft;
    right[i] = blockRight;
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

  private void mark(int blockLeft, int blockRight, Delivery delivery) {
    int from = blockLeft;
    for (int k = 0; k < known; k++) {
      // Whole records inside a known block need no second look.
      if (Seq.leq(knownLeft[k], from) && Seq.gt(knownRight[k], from)) {
        from = knownRight[k];
      }
    }
    if (Seq.geq(from, blockRight)) {
      return;
    }
    int i = queue.indexAfter(blockLeft == from ? from : from - 1);
    for (; i < queue.size() && Seq.lt(queue.get(i).seq, blockRight); i++) {
      if (queue.get(i).fate != Fate.SACKED && queue.get(i).path != null) {
        i = markCovered(i, blockLeft, blockRight, delivery);
      }
    }
  }

  /**
   * Marks the whole segments of the record at {@code i} that the block covers, as a record of their
   * own; returns its position.
   */
  private int markCovered(int i, int blockLeft, int blockRight, Delivery delivery) {
    SentSegment s = queue.get(i);
    int at = i;
    int unit = Math.max(1, s.segmentPayload());
    int from = Math.max(0, (blockLeft - s.seq + unit - 1) / unit * unit);
    // A FIN came with the text before it, whether or not the block counts it in.
    int end = s.isFin() && s.length > 1 ? s.endSeq() - 1 : s.endSeq();
    int to = Seq.leq(end, blockRight) ? s.length : (blockRight - s.seq) / unit * unit;
    if (from >= to) {
      return at;
    }
    if (to < s.length) {
      queue.split(at, to);
    }
    if (from > 0) {
      queue.split(at++, from);
    }
    SentSegment covered = queue.get(at);
    delivery.addSacked(covered);
    queue.markSacked(covered);
    return at;
  }

  /** Scoreboard and queue have been turned over: time-out, move, or reneging. */
  public void reset() {
    known = 0;
  }
}

package org.ilnp4j.tcp.recovery;

import org.ilnp4j.time.NanoClock;
import org.ilnp4j.util.Seq;

/**
 * Loss detection by time (RACK, RFC 8985 §6) on one path: a segment is lost when one that was sent
 * after it <em>on the same path</em> has arrived, and a reordering window more than the RTT has
 * gone by since. It finds lost retransmissions too, and never takes a segment for lost because one
 * on another path was faster.
 */
final class Rack {
  /** RFC 8985 §6.2 step 4: so many SACKed segments, and nobody waits for late ones any more. */
  static final int DUP_THRESH = 3;

  /** Recoveries without D-SACK until the reordering window is narrow again. */
  private static final int PERSIST_RECOVERIES = 16;

  /** The reordering window is at most an SRTT; more quarters of the RTT than this are no use. */
  private static final int MOST_QUARTERS = 64;

  private final PathState path;

  /**
   * The latest transmission known to have arrived: its serial number, what it or the part of it
   * that arrived ended with, its time, its RTT.
   */
  private long latestOrder = -1;

  private int latestEndSeq;
  private long latestSentNanos;
  private long latestRttNanos;

  private int forwardmostSeq;
  private boolean hasForwardmost;
  private boolean reorderingSeen;

  private int windowQuarters = 1;
  private int persist;
  private int dsackRound;
  private boolean inDsackRound;

  Rack(PathState path) {
    this.path = path;
  }

  /**
   * Steps 2 and 3: {@code s} arrived.
   *
   * @param endSeq of what arrived of it
   * @param last false when an earlier transmission than the last must be what arrived
   */
  void onDelivered(long nowNanos, SentSegment s, int endSeq, boolean last) {
    if (!s.isRetransmitted()) {
      if (!hasForwardmost || Seq.gt(endSeq, forwardmostSeq)) {
        forwardmostSeq = endSeq;
        hasForwardmost = true;
      } else if (Seq.lt(endSeq, forwardmostSeq)) {
        reorderingSeen = true;
      }
    }
    boolean later =
        s.order > latestOrder || (s.order == latestOrder && Seq.gt(endSeq, latestEndSeq));
    if (last && later) {
      latestOrder = s.order;
      latestEndSeq = endSeq;
      latestSentNanos = s.sentNanos;
      latestRttNanos = nowNanos - s.sentNanos;
    }
  }

  /** RFC 8985 §6.2: what left at once is in the order of its sequence numbers. */
  private boolean isSentBeforeLatest(SentSegment s) {
    return s.order < latestOrder || (s.order == latestOrder && Seq.lt(s.endSeq(), latestEndSeq));
  }

  /** See {@link PathState#forgetArrivals}. */
  void forgetArrivals() {
    latestOrder = -1;
  }

  /** A D-SACK tells of a repetition that was not needed: waits longer, once a round. */
  void onDsack(int sndUna, int sndNxt) {
    if (inDsackRound && Seq.geq(sndUna, dsackRound)) {
      inDsackRound = false;
    }
    if (!inDsackRound) {
      inDsackRound = true;
      dsackRound = sndNxt;
      windowQuarters = Math.min(MOST_QUARTERS, windowQuarters + 1);
      persist = PERSIST_RECOVERIES;
    }
  }

  void onRecoveryEnd() {
    if (--persist <= 0) {
      windowQuarters = 1;
    }
  }

  /** True once an original overtook another on this path. */
  boolean isReorderingSeen() {
    return reorderingSeen;
  }

  /** Step 4. */
  private long reorderWindowNanos() {
    if (!reorderingSeen
        && (path.phase() != PathState.Phase.OPEN || path.sackedSegments() >= DUP_THRESH)) {
      return 0;
    }
    long minRtt = Math.max(0, path.rtt.minRttNanos());
    return Math.min(windowQuarters * minRtt / 4, Math.max(minRtt, path.rtt.srttNanos()));
  }

  /** True when the time-out of RFC 8985 §6.3 takes {@code s} for lost as well. */
  boolean isOverdue(long nowNanos, SentSegment s) {
    return latestOrder < 0 || s.sentNanos + latestRttNanos + reorderWindowNanos() <= nowNanos;
  }

  /**
   * Step 5: marks what must be lost, and begins or prolongs the recovery of the path.
   *
   * @return when to look again, {@link NanoClock#NEVER} when nothing waits
   */
  long detect(long nowNanos, RetransmitQueue queue, int sndNxt) {
    long patienceNanos = latestRttNanos + reorderWindowNanos();
    for (SentSegment s = path.oldestInFlight(); s != null && isSentBeforeLatest(s); ) {
      if (s.sentNanos + patienceNanos > nowNanos) {
        return latestSentNanos + patienceNanos;
      }
      SentSegment next = s.later;
      if (!s.isProbe()) {
        path.onLoss(nowNanos, s, sndNxt);
        queue.markLost(s, false);
      }
      s = next;
    }
    return NanoClock.NEVER;
  }
}

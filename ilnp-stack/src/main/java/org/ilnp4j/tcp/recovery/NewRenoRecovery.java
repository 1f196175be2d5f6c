package org.ilnp4j.tcp.recovery;

import org.ilnp4j.util.Seq;

/**
 * Loss recovery with a peer that has no SACK (RFC 5681 §3.2, RFC 6582). Each duplicate ACK stands
 * for one segment that left the network, which covers both window inflation and limited transmit
 * (RFC 3042).
 */
public final class NewRenoRecovery {
  private final RetransmitQueue queue;
  private int duplicates;

  /** Highest sequence number sent when the last recovery or time-out began. */
  private int recover;

  private boolean hasRecover;

  public NewRenoRecovery(RetransmitQueue queue) {
    this.queue = queue;
  }

  /**
   * A duplicate ACK came. While data sent on another path is outstanding it means nothing: paths
   * overtake each other. Returns the octets it stands for.
   */
  public long onDuplicateAck(long nowNanos, PathState path, int sndUna, int sndNxt) {
    SentSegment head = queue.first();
    if (head == null || queue.inFlightBytes() != path.inFlightBytes) {
      return 0;
    }
    int mss = path.mssBytes();
    path.assumedDeliveredBytes(Math.min(path.assumedDeliveredBytes() + mss, path.inFlightBytes));
    duplicates++;
    // RFC 6582 §3.2 step 2: not for duplicates caused by a time-out's own retransmissions.
    boolean repeated = hasRecover && Seq.lt(sndUna, recover);
    if (path.phase() == PathState.Phase.OPEN && duplicates == 3 && !repeated) {
      path.enterRecovery(nowNanos, sndNxt, path.inFlightBytes, mss);
      noteRecover(sndNxt);
      queue.markLost(head, false);
    }
    return mss;
  }

  /**
   * New data was acknowledged. Call before {@link PathState#onCumulativeAck}. Returns the octets of
   * it that no duplicate ACK stood for.
   */
  public long onNewAck(PathState path, int sndUna, long ackedBytes) {
    int mss = path.mssBytes();
    long unreported = Math.max(0, ackedBytes - path.assumedDeliveredBytes());
    duplicates = 0;
    if (path.phase() == PathState.Phase.RECOVERY && Seq.lt(sndUna, path.recoveryPoint())) {
      // A partial ACK: the next segment is missing too (RFC 6582 §3.2 step 3).
      path.assumedDeliveredBytes(path.assumedDeliveredBytes() - Math.max(0, ackedBytes - mss));
      SentSegment head = queue.first();
      if (head != null && head.fate == SentSegment.Fate.IN_FLIGHT && head.path == path) {
        queue.markLost(head, false);
        path.demandRetransmit();
      }
    } else {
      path.assumedDeliveredBytes(0);
    }
    if (hasRecover && Seq.geq(sndUna, recover)) {
      hasRecover = false;
    }
    return unreported;
  }

  public void onTimeout(int sndNxt) {
    duplicates = 0;
    noteRecover(sndNxt);
  }

  public void onMove() {
    duplicates = 0;
  }

  private void noteRecover(int sndNxt) {
    recover = sndNxt;
    hasRecover = true;
  }
}

package org.ilnp4j.tcp;

import org.ilnp4j.tcp.recovery.Delivery;
import org.ilnp4j.tcp.recovery.NewRenoRecovery;
import org.ilnp4j.tcp.recovery.PathState;
import org.ilnp4j.tcp.recovery.RetransmitQueue;
import org.ilnp4j.tcp.recovery.RttEstimator;
import org.ilnp4j.tcp.recovery.SackRecovery;
import org.ilnp4j.tcp.recovery.SentSegment;
import org.ilnp4j.tcp.recovery.SentSegment.Fate;
import org.ilnp4j.time.NanoClock;
import org.ilnp4j.util.Counter;
import org.ilnp4j.util.Seq;
import org.ilnp4j.wire.TcpHeader;

/**
 * What a connection has sent and not seen acknowledged: which of it is lost, when the
 * retransmission timer runs (RFC 6298), and how acknowledgements move the congestion window of the
 * path.
 */
final class LossRecovery {
  final RetransmitQueue queue = new RetransmitQueue();
  private final Tcb tcb;
  private final NewRenoRecovery newReno = new NewRenoRecovery(queue);

  /** Null when the other side has not permitted SACK. */
  private SackRecovery sack;

  private long order;
  private long reportedLost;
  long retransmittedSegments;
  int timeouts;

  LossRecovery(Tcb tcb) {
    this.tcb = tcb;
  }

  void sackPermitted(boolean permitted) {
    sack = permitted ? new SackRecovery(queue) : null;
  }

  boolean isSackPermitted() {
    return sack != null;
  }

  /** A segment left. */
  void onSent(long nowNanos, SentSegment s, PathState path, int tsVal) {
    boolean again = s.transmissions() > 0;
    if (again) {
      retransmittedSegments++;
      tcb.count(Counter.TCP_RETRANSMITTED);
      if (s.isLostByMove()) {
        tcb.count(Counter.TCP_RETRANSMITTED_AFTER_MOVE);
      }
    }
    queue.sent(s, path, nowNanos, ++order, tsVal);
    if (again && sack != null) {
      sack.onRetransmitted(s);
    }
    if (!s.isProbe() && !tcb.timers.isArmed(TimerKind.RETRANSMIT)) {
      armTimer(nowNanos, path);
    }
  }

  /** All that is in flight is one octet sent into a closed window. */
  boolean isProbing() {
    return queue.size() == 1 && queue.first().isProbe();
  }

  // ---- acknowledgements -----------------------------------------------------------------------

  /** Takes the records that {@code ack} covers out of the queue. */
  void acknowledge(int ack, Delivery delivery) {
    SentSegment head = queue.first();
    while (head != null && Seq.leq(head.endSeq(), ack)) {
      if (head.fate() != Fate.SACKED) {
        delivery.add(head, head.length());
      }
      queue.removeFirst();
      head = queue.first();
    }
    if (head != null && Seq.lt(head.seq(), ack)) {
      int n = ack - head.seq();
      if (head.fate() != Fate.SACKED) {
        delivery.add(head, n);
      }
      queue.trimFirst(n);
    }
  }

  /**
   * Takes what an acknowledgement says about losses, after {@link #acknowledge}.
   *
   * @param ackedBytes by which {@code SND.UNA} advanced
   * @param duplicate true for a duplicate ACK (RFC 5681 §2)
   */
  void onAck(long nowNanos, TcpHeader h, Delivery delivery, long ackedBytes, boolean duplicate) {
    PathState path = tcb.paths.current();
    Sender snd = tcb.snd;
    boolean advanced = ackedBytes > 0;
    PathState.Phase phase = path.phase();
    long lostBefore = queue.lostSegments();
    long delivered;
    if (sack != null) {
      sack.onBlocks(h, snd.sndUna, snd.sndMax, delivery);
      delivered = delivery.currentPathBytes();
      if (delivery.bytes() > 0) {
        sack.detect(nowNanos, path, snd.sndUna, snd.sndNxt);
      }
    } else if (advanced) {
      delivered = newReno.onNewAck(path, snd.sndUna, ackedBytes);
    } else {
      delivered = duplicate ? newReno.onDuplicateAck(nowNanos, path, snd.sndUna, snd.sndNxt) : 0;
    }
    path.onRecoveryAck(delivered, advanced && queue.lostSegments() == lostBefore);
    if (advanced) {
      path.onCumulativeAck(snd.sndUna);
    }
    sample(nowNanos, h, advanced, delivery);
    boolean inRecovery =
        phase == PathState.Phase.RECOVERY || path.phase() == PathState.Phase.RECOVERY;
    if (delivery.currentPathBytes() > 0) {
      path.onAck(nowNanos, delivery.currentPathBytes(), delivery.latestRttNanos(), inRecovery);
    }
    if (phase == PathState.Phase.OPEN && path.phase() == PathState.Phase.RECOVERY) {
      tcb.count(Counter.TCP_FAST_RECOVERIES);
    }
    if (advanced) {
      restartTimer(nowNanos, path);
    }
  }

  private void sample(long nowNanos, TcpHeader h, boolean advanced, Delivery delivery) {
    PathState path = delivery.samplePath();
    if (path != null) {
      path.rtt.onSample(nowNanos - delivery.firstSentNanos());
      return;
    }
    PathState echo = delivery.echoPath();
    if (advanced && echo != null && tcb.snd.timestamps && h.hasTimestamps) {
      // RFC 7323 §4.2: the echo tells which transmission it was, if it is that of the last one.
      int elapsedMs = tcb.timestamp(nowNanos) - h.tsEcr;
      if (Seq.geq(h.tsEcr, delivery.echoTsVal()) && elapsedMs >= 0) {
        echo.rtt.onSample(NanoClock.millis(Math.max(1, elapsedMs)));
      }
    }
  }

  /** RFC 6298 (5.2), (5.3). */
  private void restartTimer(long nowNanos, PathState path) {
    if (isTimed(path)) {
      armTimer(nowNanos, path);
    } else {
      tcb.timers.cancel(TimerKind.RETRANSMIT);
    }
  }

  /**
   * The RTO watches the current path. What is still under way on a path that was left has a
   * deadline of its own.
   */
  private boolean isTimed(PathState path) {
    return !queue.isEmpty()
        && !isProbing()
        && (path.inFlightBytes() > 0 || queue.lostBytes() > 0 || queue.inFlightBytes() == 0);
  }

  private void armTimer(long nowNanos, PathState path) {
    tcb.timers.arm(TimerKind.RETRANSMIT, nowNanos + path.rtt.rtoNanos());
  }

  // ---- losses ---------------------------------------------------------------------------------

  /** RFC 6298 (5.4) to (5.7). */
  void onTimeout(long nowNanos, PathState path) {
    SentSegment head = queue.first();
    if (head == null) {
      return;
    }
    if (head.fate() == Fate.SACKED) {
      queue.forgetSacks(); // it has thrown away what it had acknowledged
    }
    long due = oldestInFlightNanos(path) + path.rtt.rtoNanos();
    if (due > nowNanos) {
      // The timer has run since an acknowledgement that only the old path held up.
      tcb.timers.arm(TimerKind.RETRANSMIT, due);
      return;
    }
    tcb.snd.moves.release();
    if (tcb.snd.sndWnd() == 0) {
      // The window was drawn back: no congestion; the head serves as probe.
      path.onClosedWindowTimeout();
      queue.markLost(head, false);
      armTimer(nowNanos, path);
      return;
    }
    tcb.count(Counter.TCP_TIMEOUTS);
    timeouts++;
    path.onTimeout(nowNanos, tcb.snd.sndNxt, Math.max(path.inFlightBytes(), head.length()));
    for (int i = 0; i < queue.size(); i++) {
      SentSegment s = queue.get(i);
      if (s.fate() == Fate.IN_FLIGHT && s.path() == path) {
        queue.markLost(s, s.isLostByMove());
      }
    }
    reset();
    newReno.onTimeout(tcb.snd.sndNxt);
    armTimer(nowNanos, path);
  }

  /** When the oldest segment in flight on {@code path} was sent; far back when there is none. */
  private long oldestInFlightNanos(PathState path) {
    long oldest = NanoClock.NEVER;
    for (int i = 0; i < queue.size(); i++) {
      SentSegment s = queue.get(i);
      if (s.fate() == Fate.IN_FLIGHT && s.path() == path) {
        oldest = Math.min(oldest, s.sentNanos());
      }
    }
    return oldest == NanoClock.NEVER ? -RttEstimator.MAX_RTO_NANOS : oldest;
  }

  void reset() {
    if (sack != null) {
      sack.reset();
    }
  }

  /** The window had been drawn back from what was in flight: it fell on closed doors. */
  void loseAll() {
    for (int i = 0; i < queue.size(); i++) {
      if (queue.get(i).fate() == Fate.IN_FLIGHT) {
        queue.markLost(queue.get(i), false);
      }
    }
    reset();
  }

  /** The path takes smaller packets only: what was sent larger did not arrive (RFC 8201 §4). */
  void loseLargerThan(PathState path, int payloadBytes) {
    for (int i = 0; i < queue.size(); i++) {
      SentSegment s = queue.get(i);
      if (s.fate() == Fate.IN_FLIGHT && s.path() == path && s.payloadLength() > payloadBytes) {
        queue.markLost(s, false);
      }
    }
    reset();
  }

  /** Adds what was newly taken for lost to the host's counters. */
  void reportLost() {
    long lost = queue.lostSegments();
    tcb.count(Counter.TCP_LOST, lost - reportedLost);
    reportedLost = lost;
  }

  /** Another path is current: nothing of the old one's timer or duplicates counts. */
  void onPathChange(long nowNanos, PathState path) {
    reset();
    newReno.onMove();
    tcb.timers.cancel(TimerKind.RETRANSMIT);
    watchTimer(nowNanos, path);
  }

  /** Runs the timer if something on the current path is to be watched. */
  void watchTimer(long nowNanos, PathState path) {
    if (isTimed(path) && !tcb.timers.isArmed(TimerKind.RETRANSMIT)) {
      armTimer(nowNanos, path);
    }
  }
}

package org.ilnp4j.tcp;

import org.ilnp4j.tcp.recovery.PathState;
import org.ilnp4j.tcp.recovery.RetransmitQueue;
import org.ilnp4j.tcp.recovery.RttEstimator;
import org.ilnp4j.tcp.recovery.SentSegment;
import org.ilnp4j.tcp.recovery.SentSegment.Fate;
import org.ilnp4j.time.NanoClock;
import org.ilnp4j.util.Counter;
import org.ilnp4j.util.Seq;

/**
 * What becomes of data in flight when the path changes: what was on a broken path is lost, what is
 * on one that was left can still arrive.
 *
 * <p>What to repeat first after a path broke: acknowledgements were under way as well and are gone,
 * so the sender's picture is old by up to a round trip: repeating from its head would fill the
 * first window on the new path with what the other side has. Until the other side is heard, only
 * what most likely did not arrive is sent.
 */
final class AfterMove {
  /**
   * The other side moved: its first acknowledgement from the new place follows on the heels of the
   * news. It may be lost, though.
   */
  static final long GRACE_NANOS = NanoClock.millis(10);

  /** Data sent on a path that was left is given at least this long to be acknowledged. */
  static final long MIN_OLD_PATH_NANOS = NanoClock.millis(200);

  /** The old path's deadlines are looked at no more often than this. */
  private static final long OLD_PATH_STEP_NANOS = NanoClock.millis(10);

  private final Tcb tcb;
  private final LossRecovery recovery;
  private final RetransmitQueue queue;

  private boolean holding;
  private boolean newDataAllowed;
  private boolean headDue;
  private int below;

  AfterMove(Tcb tcb, LossRecovery recovery) {
    this.tcb = tcb;
    this.recovery = recovery;
    queue = recovery.queue;
  }

  /** We moved: segments before {@code firstLost} left so early that they should have arrived. */
  private void weMoved(int firstLost) {
    holding = true;
    newDataAllowed = true;
    headDue = false;
    below = firstLost;
  }

  /** The other side moved: one segment as a probe, then its own word is waited for. */
  private void theyMoved(int sndNxt) {
    holding = true;
    newDataAllowed = false;
    headDue = true;
    below = sndNxt;
  }

  /** The other side was heard, or will not be. */
  void release() {
    holding = false;
  }

  /** True when a lost segment must wait. */
  private boolean holds(int seq) {
    return holding && Seq.lt(seq, below);
  }

  /** The one probe; asks once. */
  private boolean takeHeadDue() {
    boolean due = holding && headDue;
    headDue = false;
    return due;
  }

  // ---- what may go ----------------------------------------------------------------------------

  /** Position in the queue of the segment to repeat next, or -1. */
  int nextLostIndex() {
    int i = queue.firstLostIndex();
    if (i < 0 || !holds(queue.get(i).seq()) || takeHeadDue()) {
      return i;
    }
    return queue.firstLostIndexFrom(below);
  }

  /** New data may be sent: nothing waits to be repeated, or what does has to wait still. */
  boolean mayNewDataGo() {
    return queue.lostBytes() == 0
        || (holding && newDataAllowed && queue.firstLostIndexFrom(below) < 0);
  }

  /** Something must go out that the other side answers. */
  boolean isSilent(PathState path) {
    return holding && path.inFlightBytes() == 0 && queue.lostBytes() > 0;
  }

  // ---- changes --------------------------------------------------------------------------------

  /**
   * Another path is current now. What is in flight on a path that can still deliver is left alone;
   * what was on a broken one is lost, which says nothing about congestion.
   *
   * @param weMoved true when the change is on our side
   * @param outageNanos since when there was no path at all, so that everything in flight is lost;
   *     -1 when there always was one
   */
  void onPathChange(long nowNanos, PathState path, boolean weMoved, long outageNanos) {
    boolean outage = outageNanos >= 0;
    loseUnusable(outage);
    release();
    if (queue.lostBytes() > 0) {
      if (weMoved) {
        weMoved(firstNotArrived(outage ? outageNanos : nowNanos));
      } else {
        theyMoved(tcb.snd.sndNxt);
        tcb.timers.arm(TimerKind.AFTER_MOVE, nowNanos + AfterMove.GRACE_NANOS);
      }
    }
    recovery.onPathChange(nowNanos, path);
    tcb.snd.mtuProbing.onPathChange();
    tcb.snd.probeAfterMove();
    watchOldPaths(nowNanos);
  }

  /** The first lost segment that was sent too late to have arrived when the path broke. */
  private int firstNotArrived(long brokenNanos) {
    for (int i = 0; i < queue.size(); i++) {
      SentSegment s = queue.get(i);
      // What queues there are stand in the direction of the data.
      RttEstimator rtt = s.path().rtt;
      long oneWay = Math.max(0, rtt.srttNanos() - rtt.minRttNanos() / 2);
      if (s.fate() == Fate.LOST && s.sentNanos() + oneWay >= brokenNanos) {
        return s.seq();
      }
    }
    return tcb.snd.sndNxt;
  }

  /** Takes everything for lost that is under way on paths that cannot deliver any more. */
  void loseUnusable(boolean outage) {
    for (int i = 0; i < queue.size(); i++) {
      SentSegment s = queue.get(i);
      if (s.fate() != Fate.SACKED && (outage || !tcb.route.isUsable(s.path().pair))) {
        queue.markLost(s, true);
      }
    }
  }

  /** Looks after what is in flight on paths that were left. */
  void watchOldPaths(long nowNanos) {
    PathState path = tcb.paths.current();
    if (queue.inFlightBytes() == path.inFlightBytes()) {
      tcb.timers.cancel(TimerKind.OLD_PATH);
      recovery.watchTimer(nowNanos, path);
      return;
    }
    long next = NanoClock.NEVER;
    for (int i = 0; i < queue.size(); i++) {
      SentSegment s = queue.get(i);
      if (s.fate() != Fate.IN_FLIGHT || s.path() == path) {
        continue;
      }
      long deadline = s.sentNanos() + Math.max(MIN_OLD_PATH_NANOS, s.path().rtt.rtoNanos());
      if (deadline <= nowNanos) {
        queue.markLost(s, true);
        tcb.count(Counter.TCP_OLD_PATH_EXPIRED);
      } else {
        next = Math.min(next, deadline);
      }
    }
    if (next != NanoClock.NEVER) {
      tcb.timers.arm(TimerKind.OLD_PATH, Math.max(next, nowNanos + OLD_PATH_STEP_NANOS));
    }
  }
}

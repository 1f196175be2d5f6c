package org.ilnp4j.tcp;

import org.ilnp4j.tcp.recovery.Delivery;
import org.ilnp4j.tcp.recovery.ForwardRto;
import org.ilnp4j.tcp.recovery.NewRenoRecovery;
import org.ilnp4j.tcp.recovery.PathState;
import org.ilnp4j.tcp.recovery.PathState.Phase;
import org.ilnp4j.tcp.recovery.RetransmitQueue;
import org.ilnp4j.tcp.recovery.SackScoreboard;
import org.ilnp4j.tcp.recovery.SentSegment;
import org.ilnp4j.tcp.recovery.SentSegment.Fate;
import org.ilnp4j.tcp.recovery.TailLossProbe;
import org.ilnp4j.time.NanoClock;
import org.ilnp4j.util.Counter;
import org.ilnp4j.util.Seq;
import org.ilnp4j.wire.TcpHeader;

/**
 * What a connection has sent and not seen acknowledged: which of it is lost, whether that was a
 * mistake, when the retransmission timer and the tail loss probe are due (RFC 6298, RFC 8985), and
 * how acknowledgements move the congestion window of the path.
 */
final class LossRecovery {
  final RetransmitQueue queue = new RetransmitQueue();
  private final Tcb tcb;
  private final NewRenoRecovery newReno = new NewRenoRecovery(queue);
  private final TailLossProbe tail = new TailLossProbe();
  private final ForwardRto forwardRto = new ForwardRto();

  /** Null when the other side has not permitted SACK. */
  private SackScoreboard sack;

  private long order;
  private long reportedLost;

  /** When the retransmission timer is due, even while an earlier probe has the slot. */
  private long rtoDeadlineNanos;

  private boolean probeDue;
  private boolean newDataFirst;
  long retransmittedSegments;
  int timeouts;
  int tailProbes;
  int spuriousRecoveries;

  LossRecovery(Tcb tcb) {
    this.tcb = tcb;
  }

  void sackPermitted(boolean permitted) {
    sack = permitted ? new SackScoreboard(queue) : null;
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
    if (s.isProbe()) {
      return;
    }
    boolean isRepair = again && s == queue.first() && path.phase() == Phase.RECOVERY;
    if (!isTimerArmed() || isRepair) {
      // A repair of the head has a whole RTO to be acknowledged in, as in Linux: where the RTO is
      // less than two round trips, the last acknowledgement before the loss is too long ago.
      armTimer(nowNanos, path);
    } else if (!again && tcb.timers.isArmed(TimerKind.TAIL_LOSS)) {
      scheduleTail(nowNanos, path);
    }
  }

  /** All that is in flight is one octet sent into a closed window. */
  boolean isProbing() {
    return queue.size() == 1 && queue.first().isProbe();
  }

  /** New data goes out although something counts as lost (F-RTO); asks once. */
  boolean takeNewDataFirst() {
    boolean first = newDataFirst;
    newDataFirst = false;
    return first;
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
    Phase phase = path.phase();
    long lostBefore = queue.lostSegments();
    long delivered;
    if (sack != null) {
      sack.onBlocks(h, snd.sndUna, snd.sndMax, delivery);
      delivered = delivery.currentPathBytes();
    } else if (advanced) {
      delivered = newReno.onNewAck(path, snd.sndUna, ackedBytes);
    } else {
      delivered = duplicate ? newReno.onDuplicateAck(nowNanos, path, snd.sndUna, snd.sndNxt) : 0;
    }
    if (delivery.hasDsack()) {
      path.onDsack(snd.sndUna, snd.sndNxt);
    }
    sample(nowNanos, h, advanced, delivery);
    boolean undone = undoIfSpurious(path, delivery, advanced, duplicate);
    if (sack != null && delivery.bytes() > 0) {
      detectLosses(nowNanos);
    }
    boolean wasReducing = path.isReducing();
    path.onRecoveryAck(delivered, advanced && queue.lostSegments() == lostBefore);
    if (advanced) {
      path.onCumulativeAck(snd.sndUna);
    }
    // The acknowledgement that ends a recovery tells of new arrivals too, if SACK told of the rest.
    boolean ends = sack == null && phase == Phase.RECOVERY;
    boolean repairs = undone || wasReducing || ends || path.phase() == Phase.RECOVERY;
    if (delivery.currentPathBytes() > 0) {
      // Out of order is as it should be where segments overtake each other, or two paths do.
      boolean ordered = !path.isReorderingSeen() && queue.inFlightBytes() == path.inFlightBytes();
      boolean held = repairs || (ordered && !advanced);
      path.onAck(nowNanos, delivery.currentPathBytes(), delivery.latestRttNanos(), held);
    }
    if (phase == Phase.OPEN && path.phase() == Phase.RECOVERY) {
      tcb.count(Counter.TCP_FAST_RECOVERIES);
    }
    boolean nothingNew = !advanced && delivery.bytes() == 0;
    if (tail.onAck(h.ack, delivery, nothingNew) && path.phase() == Phase.OPEN) {
      path.onRepairedLoss(nowNanos);
    }
    if (advanced) {
      restartTimer(nowNanos, path);
    } else if (tcb.timers.isArmed(TimerKind.TAIL_LOSS) && !mayProbeTail(path)) {
      tcb.timers.arm(TimerKind.RETRANSMIT, rtoDeadlineNanos);
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

  // ---- mistakes -------------------------------------------------------------------------------

  /** RFC 3522, RFC 3708, RFC 5682: was the last reduction of the window without reason? */
  private boolean undoIfSpurious(
      PathState path, Delivery delivery, boolean advanced, boolean duplicate) {
    boolean news = duplicate || (delivery.bytes() > 0 && !advanced);
    boolean spurious =
        path.phase() == Phase.LOSS
            && forwardRto.onAck(delivery, advanced, news, tcb.snd.hasRoomForNewData());
    if (spurious && advanced) {
      path.forgetArrivals();
    }
    newDataFirst = forwardRto.sendsNewData();
    spurious |= path.isReductionSpurious(delivery, advanced);
    if (spurious) {
      tcb.count(Counter.TCP_SPURIOUS_RECOVERIES);
      spuriousRecoveries++;
      forwardRto.stop();
      newDataFirst = false;
      for (int i = 0; i < queue.size(); i++) {
        SentSegment s = queue.get(i);
        if (s.fate() == Fate.LOST && s.path() == path && !s.isLostByMove()) {
          queue.markInFlight(s);
        }
      }
      path.undoRecovery();
    }
    return spurious;
  }

  // ---- timers ---------------------------------------------------------------------------------

  private boolean isTimerArmed() {
    return tcb.timers.isArmed(TimerKind.RETRANSMIT) || tcb.timers.isArmed(TimerKind.TAIL_LOSS);
  }

  /** RFC 6298 (5.1); the tail loss probe comes first where it may. */
  private void armTimer(long nowNanos, PathState path) {
    rtoDeadlineNanos = nowNanos + path.rtt.rtoNanos();
    if (mayProbeTail(path)) {
      scheduleTail(nowNanos, path);
    } else {
      tcb.timers.arm(TimerKind.RETRANSMIT, rtoDeadlineNanos);
    }
  }

  /** RFC 8985 §7.2. */
  private boolean mayProbeTail(PathState path) {
    return sack != null
        && tcb.handshake == null
        && path.phase() == Phase.OPEN
        && !tail.isOutstanding()
        && path.sackedSegments() == 0
        && queue.lostBytes() == 0
        && path.inFlightBytes() > 0
        && !tcb.timers.isArmed(TimerKind.REORDER)
        && tcb.snd.sndWnd() > 0;
  }

  private void scheduleTail(long nowNanos, PathState path) {
    boolean lone = queue.size() == 1 && queue.first().segments() == 1;
    long deadline = nowNanos + TailLossProbe.timeoutNanos(path, lone);
    tcb.timers.arm(TimerKind.TAIL_LOSS, Math.min(deadline, rtoDeadlineNanos));
  }

  /** RFC 6298 (5.2), (5.3). */
  private void restartTimer(long nowNanos, PathState path) {
    if (isTimed(path)) {
      armTimer(nowNanos, path);
    } else {
      tcb.timers.cancel(TimerKind.RETRANSMIT);
      tcb.timers.cancel(TimerKind.TAIL_LOSS);
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

  /** RFC 8985 §7.3: a probe is to be sent with the next output. */
  void onTailTimeout(PathState path) {
    tcb.timers.arm(TimerKind.RETRANSMIT, rtoDeadlineNanos);
    probeDue = mayProbeTail(path);
  }

  /** A tail loss probe is to be sent; asks once. */
  boolean takeProbeDue() {
    boolean due = probeDue;
    probeDue = false;
    return due;
  }

  void onTailProbeSent(long nowNanos, boolean repeatsData) {
    tcb.count(Counter.TCP_TAIL_PROBES);
    tailProbes++;
    tail.onSent(tcb.snd.sndNxt, repeatsData);
    // Without an answer, the time-out is not put off by the probe (RFC 8985 §7.3).
    tcb.timers.arm(TimerKind.RETRANSMIT, Math.max(rtoDeadlineNanos, nowNanos + 1));
  }

  /** RFC 6298 (5.4) to (5.7). */
  void onTimeout(long nowNanos, PathState path) {
    SentSegment head = queue.first();
    if (head == null) {
      return;
    }
    if (head.fate() == Fate.SACKED) {
      queue.forgetSacks(); // it has thrown away what it had acknowledged
    }
    if (!isTimed(path)) {
      return; // SACK has told of all that was sent here since the timer was set
    }
    SentSegment oldest = path.oldestInFlight();
    if (oldest != null && oldest.sentNanos() + path.rtt.rtoNanos() > nowNanos) {
      // The timer has run since an acknowledgement that only the old path held up.
      rtoDeadlineNanos = oldest.sentNanos() + path.rtt.rtoNanos();
      tcb.timers.arm(TimerKind.RETRANSMIT, rtoDeadlineNanos);
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
    tcb.onUnanswered();
    boolean first = path.phase() != Phase.LOSS;
    queue.splitFirstSegment(0);
    path.onTimeout(nowNanos, tcb.snd.sndNxt, Math.max(path.inFlightBytes(), head.length()));
    SentSegment s = path.oldestInFlight();
    while (s != null) {
      SentSegment next = s.nextInFlight();
      if (sack == null || s == head || path.isOverdue(nowNanos, s)) {
        queue.markLost(s, s.isLostByMove());
      }
      s = next;
    }
    tcb.snd.mtuProbing.onTimeout(nowNanos, path, !first);
    reset();
    newReno.onTimeout(tcb.snd.sndNxt);
    if (first) {
      forwardRto.onTimeout(order);
    } else {
      forwardRto.stop();
    }
    armTimer(nowNanos, path);
  }

  void reset() {
    if (sack != null) {
      sack.reset();
    }
    tail.reset();
    forwardRto.stop();
    newDataFirst = false;
    probeDue = false;
    tcb.timers.cancel(TimerKind.REORDER);
  }

  // ---- losses ---------------------------------------------------------------------------------

  /** RFC 8985 §6.2 step 5, on the current path and on those that were left. */
  void detectLosses(long nowNanos) {
    PathState path = tcb.paths.current();
    long again = path.detectLosses(nowNanos, queue, tcb.snd.sndNxt);
    if (queue.inFlightBytes() > path.inFlightBytes()) {
      tcb.paths.forEachLeft(p -> p.detectLosses(nowNanos, queue, tcb.snd.sndNxt));
    }
    if (again == NanoClock.NEVER) {
      tcb.timers.cancel(TimerKind.REORDER);
    } else {
      tcb.timers.arm(TimerKind.REORDER, again);
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
      if (s.fate() == Fate.IN_FLIGHT && s.path() == path && s.segmentPayload() > payloadBytes) {
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
    tcb.timers.cancel(TimerKind.TAIL_LOSS);
    watchTimer(nowNanos, path);
  }

  /** Runs the timer if something on the current path is to be watched. */
  void watchTimer(long nowNanos, PathState path) {
    if (isTimed(path) && !isTimerArmed()) {
      armTimer(nowNanos, path);
    }
  }
}

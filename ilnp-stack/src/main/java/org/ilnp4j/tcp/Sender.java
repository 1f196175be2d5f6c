package org.ilnp4j.tcp;

import io.netty.buffer.ByteBuf;
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
 * The sending half of a connection: sequence space, queue, what is in flight, acknowledgements,
 * loss recovery and the retransmission and persist timers. {@link SegmentOutput} puts the segments
 * on the wire.
 *
 * <p>Invariant: {@code sndUna <= sndNxt <= sndMax}; the records in {@link #queue} cover {@code
 * [sndUna, sndNxt)} without gaps once the handshake is done.
 */
final class Sender {
  /** Data sent on a path that was left is given at least this long to be acknowledged. */
  static final long MIN_OLD_PATH_NANOS = NanoClock.millis(200);

  /** The old path's deadlines are looked at no more often than this. */
  private static final long OLD_PATH_STEP_NANOS = NanoClock.millis(10);

  /** Least segment size believed; a smaller one would cost more than it carries. */
  static final int LEAST_MSS = 64;

  /** RFC 9293 §3.7.1: what IPv6 peers take that do not say. */
  static final int DEFAULT_MSS = 1220;

  private final Tcb tcb;

  /** May be queued however small the congestion window is. */
  private static final int LEAST_LIMIT_BYTES = 256 << 10;

  private final int capacityBytes;
  final SendBuffer buffer;
  final RetransmitQueue queue = new RetransmitQueue();
  private final NewRenoRecovery newReno = new NewRenoRecovery(queue);
  private final AfterMove afterMove = new AfterMove();

  /** Null when the other side has not permitted SACK. */
  private SackRecovery sack;

  int iss;
  int sndUna;

  /** Sequence number of the first octet in {@link #buffer}. */
  private int dataUna;

  int sndNxt;

  /** Highest sequence number ever sent: {@code sndNxt}, unless a window probe was taken back. */
  int sndMax;

  private long sndWnd;
  private long maxSndWnd;
  private int sndWl1;
  private int sndWl2;
  private int windowShift;

  /** What the other side takes; unknown before its SYN. */
  int peerMss = 0xffff;

  boolean timestamps;
  boolean noDelay;

  private boolean finQueued;
  boolean finSent;

  /** End of the last segment sent that was not full (Minshall's form of Nagle's rule). */
  private int smallEnd;

  private boolean smallOutstanding;
  private long order;
  private int persistBackOff;
  boolean probeDue;
  private boolean belowHalf;
  private long progressNanos;

  long bytesSent;
  long bytesAcked;
  long retransmittedSegments;
  private long reportedLost;
  int timeouts;

  Sender(Tcb tcb, SendBuffer buffer, int capacityBytes) {
    this.tcb = tcb;
    this.buffer = buffer;
    this.capacityBytes = capacityBytes;
  }

  /** Sets the initial sequence number; SYN takes the first. */
  void start(long nowNanos, int initialSeq) {
    progressNanos = nowNanos;
    watchProgress(nowNanos);
    iss = initialSeq;
    sndUna = initialSeq;
    dataUna = initialSeq + 1;
    sndNxt = initialSeq + 1;
    sndMax = sndNxt;
  }

  /** What the other side's SYN said. */
  void negotiated(int mss, boolean sackPermitted, boolean useTimestamps, int shift) {
    peerMss = mss < 0 ? DEFAULT_MSS : Math.max(mss, LEAST_MSS);
    sack = sackPermitted ? new SackRecovery(queue) : null;
    timestamps = useTimestamps;
    windowShift = shift;
  }

  boolean isSackPermitted() {
    return sack != null;
  }

  /** Our SYN is acknowledged; the window of a SYN is not scaled. */
  void established(long nowNanos, TcpHeader h) {
    sndUna = iss + 1;
    progressNanos = nowNanos;
    sndWnd = h.has(TcpHeader.SYN) ? h.window : (long) h.window << windowShift;
    maxSndWnd = Math.max(maxSndWnd, sndWnd);
    sndWl1 = h.seq;
    sndWl2 = h.ack;
  }

  // ---- the user's side ------------------------------------------------------------------------

  /**
   * What the user may queue; who sees less than half of the limit is told when it is half again.
   */
  int spaceBytes() {
    if (finQueued) {
      return 0;
    }
    long limit = limitBytes();
    long space = Math.max(0, limit - buffer.bytes());
    belowHalf |= space < limit / 2;
    return (int) space;
  }

  /**
   * What may be queued: a few congestion windows keep a path busy, and what waits behind a peer
   * that does not read is not worth more memory.
   */
  private long limitBytes() {
    PathState path = tcb.paths.current();
    long busy = path == null ? 0 : 4 * path.congestion.cwndBytes();
    return Math.min(capacityBytes, Math.max(LEAST_LIMIT_BYTES, busy));
  }

  void queue(long nowNanos, ByteBuf data) {
    noteWork(nowNanos);
    buffer.append(data);
  }

  /** True once when the space, below half before, is at least half again. */
  boolean takeWritable() {
    long limit = limitBytes();
    if (belowHalf && !finQueued && limit - buffer.bytes() >= limit / 2) {
      belowHalf = false;
      return true;
    }
    return false;
  }

  void queueFin(long nowNanos) {
    noteWork(nowNanos);
    finQueued = true;
  }

  /** The user timeout runs from when there is something to do. */
  private void noteWork(long nowNanos) {
    if (!hasWork()) {
      progressNanos = nowNanos;
    }
    watchProgress(nowNanos);
  }

  void watchProgress(long nowNanos) {
    if (!tcb.timers.isArmed(TimerKind.USER_TIMEOUT)) {
      tcb.timers.arm(TimerKind.USER_TIMEOUT, nowNanos + tcb.config.userTimeoutNanos());
    }
  }

  boolean isFinQueued() {
    return finQueued;
  }

  /** Our FIN, and with it everything, is acknowledged. */
  boolean isFinAcked() {
    return finSent && sndUna == sndMax;
  }

  // ---- what can be sent -----------------------------------------------------------------------

  /** Stream position of a sequence number not acknowledged. */
  long position(int seq) {
    return buffer.startPosition() + (seq - dataUna);
  }

  long unsentBytes() {
    return finSent ? 0 : buffer.endPosition() - position(sndNxt);
  }

  boolean isFinDue() {
    return finQueued && !finSent;
  }

  /** Octets the other side's window still takes; negative after it was drawn back. */
  long windowRoom() {
    return sndWnd - (sndNxt - sndUna);
  }

  long sndWnd() {
    return sndWnd;
  }

  long maxSndWnd() {
    return maxSndWnd;
  }

  boolean hasOutstanding() {
    return !queue.isEmpty();
  }

  /** Anything is queued or in flight. */
  boolean hasWork() {
    return !queue.isEmpty() || unsentBytes() > 0 || isFinDue();
  }

  boolean isInWindow(SentSegment s) {
    return s.endSeq() - sndUna <= sndWnd;
  }

  /** Nagle's rule in Minshall's form (RFC 9293 §3.7.4): one small segment in flight at a time. */
  boolean isSmallHeldBack() {
    return !noDelay && smallOutstanding && Seq.gt(smallEnd, sndUna);
  }

  void noteSmall(int endSeq) {
    smallEnd = endSeq;
    smallOutstanding = true;
  }

  // ---- sending --------------------------------------------------------------------------------

  /** Position in {@link #queue} of the segment to repeat next, or -1. */
  int nextLostIndex() {
    int i = queue.firstLostIndex();
    if (i < 0 || !afterMove.holds(queue.get(i).seq()) || afterMove.takeHeadDue()) {
      return i;
    }
    return queue.firstLostIndexFrom(afterMove.below());
  }

  /** New data may be sent: nothing waits to be repeated, or what does has to wait still. */
  boolean mayNewDataGo() {
    return queue.lostBytes() == 0
        || (afterMove.isNewDataAllowed() && queue.firstLostIndexFrom(afterMove.below()) < 0);
  }

  /** After a move something must go out that the other side answers. */
  boolean isSilentAfterMove(PathState path) {
    return afterMove.isHolding() && path.inFlightBytes() == 0 && queue.lostBytes() > 0;
  }

  void endHold() {
    afterMove.release();
  }

  /** Records a new segment; it is sent next. */
  SentSegment appendRecord(int length, boolean fin, boolean probe) {
    SentSegment s = queue.append(sndNxt, length, fin, probe);
    sndNxt += length;
    sndMax = Seq.max(sndMax, sndNxt);
    if (fin) {
      finSent = true;
    }
    return s;
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
    } else {
      bytesSent += s.payloadLength();
    }
    queue.sent(s, path, nowNanos, ++order, tsVal);
    if (again && sack != null) {
      sack.onRetransmitted(s);
    }
    if (!s.isProbe() && !tcb.timers.isArmed(TimerKind.RETRANSMIT)) {
      armRetransmit(nowNanos, path);
    }
  }

  /** After output: waits for a window if that is what is missing. */
  void afterOutput(long nowNanos, PathState path, boolean windowMissing) {
    boolean idle = queue.isEmpty() || isProbing();
    if (windowMissing && idle) {
      if (!tcb.timers.isArmed(TimerKind.PERSIST)) {
        long interval =
            Math.min(
                RttEstimator.MAX_RTO_NANOS, path.rtt.rtoNanos() << Math.min(persistBackOff, 16));
        tcb.timers.arm(TimerKind.PERSIST, nowNanos + interval);
      }
    } else if (tcb.timers.isArmed(TimerKind.PERSIST)) {
      tcb.timers.cancel(TimerKind.PERSIST);
    }
    if (queue.isEmpty() && unsentBytes() == 0) {
      queue.trim();
    }
  }

  /** All that is in flight is one octet sent into a closed window. */
  boolean isProbing() {
    return queue.size() == 1 && queue.first().isProbe();
  }

  private void armRetransmit(long nowNanos, PathState path) {
    tcb.timers.arm(TimerKind.RETRANSMIT, nowNanos + path.rtt.rtoNanos());
  }

  // ---- acknowledgements -----------------------------------------------------------------------

  /**
   * Nothing beyond what was sent, and nothing older than a window (RFC 5961 §5.2) unless a nonce
   * proves the sender: after a move to a faster path, much is acknowledged while segments with text
   * and an old acknowledgement are still under way on the slower one.
   */
  boolean isAckAcceptable(int ack, boolean proved) {
    return Seq.leq(ack, sndMax) && (proved || Seq.geq(ack, (int) (sndUna - maxSndWnd)));
  }

  /**
   * Takes the acknowledgement, window and SACK of an acceptable segment.
   *
   * @param bare true when it carries neither text nor SYN nor FIN
   */
  void onAck(long nowNanos, TcpHeader h, boolean bare, Delivery delivery) {
    PathState path = tcb.paths.current();
    afterMove.release();
    delivery.reset(nowNanos, path, timestamps && h.hasTimestamps, h.tsEcr);
    boolean advanced = Seq.gt(h.ack, sndUna);
    PathState.Phase phase = path.phase();
    boolean grows = mayGrow(path);
    int before = sndUna;
    if (advanced) {
      acknowledge(nowNanos, h.ack, delivery);
    }
    long oldWnd = sndWnd;
    updateWindow(nowNanos, h);
    long lostBefore = queue.lostSegments();
    long delivered;
    if (sack != null) {
      sack.onBlocks(h, sndUna, sndMax, delivery);
      delivered = delivery.currentPathBytes();
      if (delivery.bytes() > 0) {
        sack.detect(nowNanos, path, sndUna, sndNxt);
      }
    } else if (advanced) {
      delivered = newReno.onNewAck(path, sndUna, sndUna - before);
    } else {
      boolean duplicate = bare && h.ack == sndUna && oldWnd == sndWnd && sndWnd > 0;
      delivered = duplicate ? newReno.onDuplicateAck(nowNanos, path, sndUna, sndNxt) : 0;
    }
    path.onRecoveryAck(delivered, advanced && queue.lostSegments() == lostBefore);
    if (advanced) {
      path.onCumulativeAck(sndUna);
    }
    sample(nowNanos, h, advanced, delivery);
    boolean inRecovery =
        phase == PathState.Phase.RECOVERY || path.phase() == PathState.Phase.RECOVERY;
    if (grows && !inRecovery && delivery.currentPathBytes() > 0) {
      path.congestion.onAck(nowNanos, delivery.currentPathBytes(), path.rtt.srttNanos());
    }
    if (phase == PathState.Phase.OPEN && path.phase() == PathState.Phase.RECOVERY) {
      tcb.count(Counter.TCP_FAST_RECOVERIES);
    }
    if (advanced) {
      restartTimers(nowNanos, path);
    }
  }

  /** The window grows only when it is what limits: unused room proves nothing (RFC 7661). */
  private static boolean mayGrow(PathState path) {
    return path.isWindowLimited()
        || (path.congestion.inSlowStart() && 2 * path.pipeBytes() >= path.congestion.cwndBytes());
  }

  /** Adds what was newly taken for lost to the host's counters. */
  void reportLost() {
    long lost = queue.lostSegments();
    tcb.count(Counter.TCP_LOST, lost - reportedLost);
    reportedLost = lost;
  }

  private void acknowledge(long nowNanos, int ack, Delivery delivery) {
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
    long data = Math.min(ack - sndUna, buffer.endPosition() - buffer.startPosition());
    buffer.acknowledge(buffer.startPosition() + data);
    bytesAcked += data;
    sndUna = ack;
    dataUna = ack;
    sndNxt = Seq.max(sndNxt, ack);
    progressNanos = nowNanos;
    persistBackOff = 0;
    tcb.timers.cancel(TimerKind.PERSIST);
    if (Seq.leq(smallEnd, sndUna)) {
      smallOutstanding = false;
    }
  }

  /** RFC 9293 §3.10.7.4: only a segment sent later than the last one that did may set it. */
  private void updateWindow(long nowNanos, TcpHeader h) {
    if (Seq.gt(h.ack, sndMax) || Seq.lt(h.ack, sndUna)) {
      return;
    }
    boolean opened = false;
    if (Seq.lt(sndWl1, h.seq) || (sndWl1 == h.seq && Seq.leq(sndWl2, h.ack))) {
      opened = sndWnd == 0 && h.window > 0;
      sndWnd = (long) h.window << windowShift;
      maxSndWnd = Math.max(maxSndWnd, sndWnd);
      sndWl1 = h.seq;
      sndWl2 = h.ack;
    }
    if (sndWnd == 0) {
      // It answers, so it lives: a closed window is borne for ever (RFC 9293 §3.8.6.1).
      if (!tcb.isUserClosed()) {
        progressNanos = nowNanos;
      }
    } else if (isProbing()) {
      takeProbeBack();
    } else if (opened && queue.inFlightBytes() > 0) {
      // The window had been drawn back from what was in flight: it fell on closed doors.
      loseAll();
      tcb.paths.current().rtt.clearBackOff();
    }
  }

  private void loseAll() {
    for (int i = 0; i < queue.size(); i++) {
      if (queue.get(i).fate() == Fate.IN_FLIGHT) {
        queue.markLost(queue.get(i), false);
      }
    }
    resetRecovery();
  }

  /** The window opened: the probe's octet goes out again, in a full segment. */
  private void takeProbeBack() {
    queue.removeLast();
    sndNxt -= 1;
    persistBackOff = 0;
    tcb.timers.cancel(TimerKind.PERSIST);
  }

  private void sample(long nowNanos, TcpHeader h, boolean advanced, Delivery delivery) {
    PathState path = delivery.samplePath();
    if (path != null) {
      path.rtt.onSample(nowNanos - delivery.firstSentNanos());
      return;
    }
    PathState echo = delivery.echoPath();
    if (advanced && echo != null && timestamps && h.hasTimestamps) {
      // RFC 7323 §4.2: the echo tells which transmission it was, if it is that of the last one.
      int elapsedMs = tcb.timestamp(nowNanos) - h.tsEcr;
      if (Seq.geq(h.tsEcr, delivery.echoTsVal()) && elapsedMs >= 0) {
        echo.rtt.onSample(NanoClock.millis(Math.max(1, elapsedMs)));
      }
    }
  }

  /** RFC 6298 (5.2), (5.3). */
  private void restartTimers(long nowNanos, PathState path) {
    if (isRetransmitTimed(path)) {
      armRetransmit(nowNanos, path);
    } else {
      tcb.timers.cancel(TimerKind.RETRANSMIT);
    }
  }

  /**
   * The RTO watches the current path. What is still under way on a path that was left has a
   * deadline of its own.
   */
  private boolean isRetransmitTimed(PathState path) {
    return !queue.isEmpty()
        && !isProbing()
        && (path.inFlightBytes() > 0 || queue.lostBytes() > 0 || queue.inFlightBytes() == 0);
  }

  // ---- timers ---------------------------------------------------------------------------------

  /** RFC 6298 (5.4) to (5.7). */
  void onRetransmitTimeout(long nowNanos, PathState path) {
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
    afterMove.release();
    if (sndWnd == 0) {
      // The window was drawn back: no congestion; the head serves as probe.
      path.onClosedWindowTimeout();
      queue.markLost(head, false);
      armRetransmit(nowNanos, path);
      return;
    }
    tcb.count(Counter.TCP_TIMEOUTS);
    timeouts++;
    path.onTimeout(nowNanos, sndNxt, Math.max(path.inFlightBytes(), head.length()));
    for (int i = 0; i < queue.size(); i++) {
      SentSegment s = queue.get(i);
      if (s.fate() == Fate.IN_FLIGHT && s.path() == path) {
        queue.markLost(s, s.isLostByMove());
      }
    }
    resetRecovery();
    newReno.onTimeout(sndNxt);
    armRetransmit(nowNanos, path);
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

  private void resetRecovery() {
    if (sack != null) {
      sack.reset();
    }
  }

  void onPersistTimeout() {
    persistBackOff++;
    probeDue = true;
  }

  /**
   * The connection has been without progress for the user timeout; otherwise waits for the rest of
   * it.
   */
  boolean isUserTimeout(long nowNanos) {
    if (tcb.state().isSynchronized() && !hasWork()) {
      return false;
    }
    long deadline = progressNanos + tcb.config.userTimeoutNanos();
    if (nowNanos >= deadline) {
      return true;
    }
    tcb.timers.arm(TimerKind.USER_TIMEOUT, deadline);
    return false;
  }

  // ---- moves ----------------------------------------------------------------------------------

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
    afterMove.release();
    if (queue.lostBytes() > 0) {
      if (weMoved) {
        afterMove.weMoved(firstNotArrived(outage ? outageNanos : nowNanos));
      } else {
        afterMove.theyMoved(sndNxt);
        tcb.timers.arm(TimerKind.AFTER_MOVE, nowNanos + AfterMove.GRACE_NANOS);
      }
    }
    resetRecovery();
    newReno.onMove();
    tcb.timers.cancel(TimerKind.RETRANSMIT);
    if (isRetransmitTimed(path)) {
      armRetransmit(nowNanos, path);
    }
    if (sndWnd == 0 && (queue.isEmpty() || isProbing()) && unsentBytes() > 0) {
      persistBackOff = 0;
      probeDue = true; // the word that the window has opened may be what was lost
    }
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
    return sndNxt;
  }

  /** Takes everything for lost that is under way on paths that cannot deliver any more. */
  void loseUnusable(boolean outage) {
    for (int i = 0; i < queue.size(); i++) {
      SentSegment s = queue.get(i);
      if (s.fate() != Fate.SACKED && (outage || !tcb.isUsable(s.path()))) {
        queue.markLost(s, true);
      }
    }
  }

  /** Looks after what is in flight on paths that were left. */
  void watchOldPaths(long nowNanos) {
    PathState path = tcb.paths.current();
    if (queue.inFlightBytes() == path.inFlightBytes()) {
      tcb.timers.cancel(TimerKind.OLD_PATH);
      if (isRetransmitTimed(path) && !tcb.timers.isArmed(TimerKind.RETRANSMIT)) {
        armRetransmit(nowNanos, path);
      }
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

  /** The path takes smaller packets only: what was sent larger did not arrive (RFC 8201 §4). */
  void loseLargerThan(PathState path, int payloadBytes) {
    for (int i = 0; i < queue.size(); i++) {
      SentSegment s = queue.get(i);
      if (s.fate() == Fate.IN_FLIGHT && s.path() == path && s.payloadLength() > payloadBytes) {
        queue.markLost(s, false);
      }
    }
    resetRecovery();
  }

  /** Releases everything. */
  void clear() {
    queue.clear();
    buffer.clear();
  }
}

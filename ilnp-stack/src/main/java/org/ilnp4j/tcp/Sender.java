package org.ilnp4j.tcp;

import io.netty.buffer.ByteBuf;
import org.ilnp4j.tcp.recovery.Delivery;
import org.ilnp4j.tcp.recovery.PathState;
import org.ilnp4j.tcp.recovery.RetransmitQueue;
import org.ilnp4j.tcp.recovery.RttEstimator;
import org.ilnp4j.tcp.recovery.SentSegment;
import org.ilnp4j.time.NanoClock;
import org.ilnp4j.util.Seq;
import org.ilnp4j.wire.TcpHeader;

/**
 * The sending half of a connection: sequence space, what the user has queued, the other side's
 * window and the persist timer. What is in flight is with {@link LossRecovery}, what a move does to
 * it with {@link AfterMove}. {@link SegmentOutput} puts the segments on the wire.
 *
 * <p>Invariant: {@code sndUna <= sndNxt <= sndMax}; the records in {@link #queue} cover {@code
 * [sndUna, sndNxt)} without gaps once the handshake is done.
 */
final class Sender {
  /** Least segment size believed; a smaller one would cost more than it carries. */
  static final int LEAST_MSS = 64;

  /** RFC 9293 §3.7.1: what IPv6 peers take that do not say. */
  static final int DEFAULT_MSS = 1220;

  private final Tcb tcb;

  /** May wait to be sent however small the congestion window is. */
  private static final int LEAST_UNSENT_BYTES = 32 << 10;

  /** In this time a program that is told of room has filled it. */
  private static final long UNHURRIED_NANOS = NanoClock.millis(20);

  private final int capacityBytes;
  final SendBuffer buffer;
  final LossRecovery recovery;
  final RetransmitQueue queue;
  final AfterMove moves;
  final MtuProbing mtuProbing;

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
  private int persistBackOff;
  boolean probeDue;
  private boolean tight;

  long bytesSent;
  long bytesAcked;

  Sender(Tcb tcb, SendBuffer buffer, int capacityBytes) {
    this.tcb = tcb;
    this.buffer = buffer;
    this.capacityBytes = capacityBytes;
    recovery = new LossRecovery(tcb);
    queue = recovery.queue;
    moves = new AfterMove(tcb, recovery);
    mtuProbing = new MtuProbing(tcb);
  }

  /** Sets the initial sequence number; SYN takes the first. */
  void start(long nowNanos, int initialSeq) {
    tcb.userTimeout.begin(nowNanos);
    iss = initialSeq;
    sndUna = initialSeq;
    dataUna = initialSeq + 1;
    sndNxt = initialSeq + 1;
    sndMax = sndNxt;
  }

  /** What the other side's SYN said. */
  void negotiated(int mss, boolean sackPermitted, boolean useTimestamps, int shift) {
    peerMss = mss < 0 ? DEFAULT_MSS : Math.max(mss, LEAST_MSS);
    recovery.sackPermitted(sackPermitted);
    timestamps = useTimestamps;
    windowShift = shift;
  }

  /** Our SYN is acknowledged; the window of a SYN is not scaled. */
  void established(long nowNanos, TcpHeader h) {
    sndUna = iss + 1;
    tcb.userTimeout.progress(nowNanos);
    sndWnd = h.has(TcpHeader.SYN) ? h.window : (long) h.window << windowShift;
    maxSndWnd = Math.max(maxSndWnd, sndWnd);
    sndWl1 = h.seq;
    sndWl2 = h.ack;
  }

  // ---- the user's side ------------------------------------------------------------------------

  /** What the user may queue; who sees less than {@link #enough} is told when it is that again. */
  int spaceBytes() {
    if (finQueued) {
      return 0;
    }
    long space = space();
    tight |= space < enough();
    return (int) space;
  }

  private long space() {
    long waiting = Math.max(0, unsentBytes() - Math.max(0, leavingBytes()));
    long limit = Math.min(capacityBytes, buffer.bytes() - waiting + unsentLimit());
    return Math.max(0, tcb.engine.memory().allowed(limit) - buffer.bytes());
  }

  /**
   * What both windows let go with the next output, and so does not wait. In slow start that is
   * twice what was acknowledged: the user has to fill it before, or would do so a round trip late.
   */
  private long leavingBytes() {
    PathState path = tcb.paths.current();
    return path == null ? 0 : Math.min(windowRoom(), path.windowBytes() - path.pipeBytes());
  }

  /** Half of what may wait, but a quarter of the buffer at most: the rest has to be in flight. */
  private long enough() {
    return tcb.engine.memory().allowed(Math.min(capacityBytes / 2, unsentLimit())) / 2;
  }

  /**
   * How much may wait for its first transmission, beside what is in flight: one congestion window.
   * It lasts a round trip, so that the user need not hurry; more would only make data old in here.
   * On a short path a round trip is less than a program may need.
   */
  private long unsentLimit() {
    PathState path = tcb.paths.current();
    if (path == null) {
      return LEAST_UNSENT_BYTES;
    }
    long cwnd = path.congestion.cwndBytes();
    long srtt = path.rtt.srttNanos();
    long unhurried = srtt <= 0 ? cwnd : (long) ((double) cwnd * UNHURRIED_NANOS / srtt);
    return Math.max(LEAST_UNSENT_BYTES, Math.max(cwnd, unhurried));
  }

  void queue(long nowNanos, ByteBuf data) {
    noteWork(nowNanos);
    buffer.append(data);
  }

  /** True once when the space is {@link #enough} again. */
  boolean takeWritable() {
    if (tight && !finQueued && space() >= enough()) {
      tight = false;
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
      tcb.userTimeout.progress(nowNanos);
    }
    tcb.userTimeout.watch(nowNanos);
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

  /**
   * Of an acknowledgement or a reset: {@code SND.NXT}, or the edge of the window where a probe or a
   * window drawn back puts that beyond it; there the other side would hear nothing but a stray.
   */
  int seqWithoutText() {
    return tcb.handshake == null && windowRoom() < 0 ? sndUna + (int) sndWnd : sndNxt;
  }

  /** Something new could go as far as the other side's window is concerned. */
  boolean hasRoomForNewData() {
    return (unsentBytes() > 0 && windowRoom() > 0) || isFinDue();
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
    if (s.transmissions() == 0) {
      bytesSent += s.payloadLength();
    }
    recovery.onSent(nowNanos, s, path, tsVal);
  }

  /** After output: waits for a window if that is what is missing. */
  void afterOutput(long nowNanos, PathState path, boolean windowMissing) {
    boolean idle = queue.isEmpty() || recovery.isProbing();
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
    moves.release();
    delivery.reset(nowNanos, path, timestamps && h.hasTimestamps, h.tsEcr);
    int before = sndUna;
    if (Seq.gt(h.ack, sndUna)) {
      acknowledge(nowNanos, h.ack, delivery);
    }
    long windowBefore = sndWnd;
    updateWindow(nowNanos, h);
    boolean duplicate =
        bare && h.ack == before && sndUna == before && windowBefore == sndWnd && sndWnd > 0;
    recovery.onAck(nowNanos, h, delivery, sndUna - before, duplicate);
    mtuProbing.judge(nowNanos);
  }

  private void acknowledge(long nowNanos, int ack, Delivery delivery) {
    recovery.acknowledge(ack, delivery);
    long data = Math.min(ack - sndUna, buffer.endPosition() - buffer.startPosition());
    buffer.acknowledge(buffer.startPosition() + data);
    bytesAcked += data;
    sndUna = ack;
    dataUna = ack;
    sndNxt = Seq.max(sndNxt, ack);
    tcb.userTimeout.progress(nowNanos);
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
        tcb.userTimeout.progress(nowNanos);
      }
    } else if (recovery.isProbing()) {
      takeProbeBack();
    } else if (opened && queue.inFlightBytes() > 0) {
      recovery.loseAll();
      tcb.paths.current().rtt.clearBackOff();
    }
  }

  /** The window opened: the probe's octet goes out again, in a full segment. */
  private void takeProbeBack() {
    queue.removeLast();
    sndNxt -= 1;
    persistBackOff = 0;
    tcb.timers.cancel(TimerKind.PERSIST);
  }

  // ---- timers ---------------------------------------------------------------------------------

  /** On another path a closed window is asked for at once: the word that it opened may be lost. */
  void probeAfterMove() {
    if (sndWnd == 0 && (queue.isEmpty() || recovery.isProbing()) && unsentBytes() > 0) {
      persistBackOff = 0;
      tcb.timers.cancel(TimerKind.PERSIST);
      probeDue = true;
    }
  }

  void onPersistTimeout() {
    persistBackOff++;
    probeDue = true;
  }

  /** Releases everything. */
  void clear(long nowNanos) {
    mtuProbing.abandonProbe(nowNanos);
    queue.clear();
    buffer.clear();
  }
}

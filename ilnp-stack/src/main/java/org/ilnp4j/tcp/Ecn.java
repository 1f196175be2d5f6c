package org.ilnp4j.tcp;

import org.ilnp4j.tcp.recovery.PathState;
import org.ilnp4j.time.NanoClock;
import org.ilnp4j.util.Counter;
import org.ilnp4j.util.Seq;
import org.ilnp4j.wire.Ip6;
import org.ilnp4j.wire.PacketView;
import org.ilnp4j.wire.TcpHeader;

/**
 * Explicit congestion notification of a connection whose two SYNs agreed on it (RFC 3168 §6.1, RFC
 * 8311). As receiver it echoes a mark until the other side says that it has slowed down; as sender
 * it reduces the window of the path once per window of data that was marked.
 *
 * <p>Whether a path can carry marks is found out on each anew: where everything is marked however
 * little is sent, or where what nobody may mark is marked, they mean nothing.
 */
final class Ecn {
  /**
   * Marks in so many windows on end, each the smallest there is, on a path where nothing waits, are
   * not about congestion.
   */
  private static final int HOPELESS_REDUCTIONS = 6;

  /** Round trips vary by as much without a queue. */
  private static final long JITTER_NANOS = NanoClock.millis(1);

  private final Tcb tcb;
  private final boolean mayMark;

  /** What this path does to marks is understood. */
  private boolean pathSound = true;

  /** By which pair of Locators the text came that is furthest on in the stream. */
  private long latestSrcL64;

  private long latestDstL64;
  private int latestEnd;
  private boolean textCame;

  private boolean echoing;

  private boolean cwrDue;
  private boolean reduced;

  /** An echo for data before this says nothing new. */
  private int reducedUpTo;

  private int hopelessReductions;
  private long marks;
  private long reductions;

  /**
   * @param mayMark false when one of our SYNs did not offer it: then no packet of ours may carry
   *     ECT (RFC 3168 §6.1.1)
   */
  Ecn(Tcb tcb, boolean mayMark) {
    this.tcb = tcb;
    this.mayMark = mayMark;
  }

  /** Segments that came with a mark. */
  long marks() {
    return marks;
  }

  /** How often the other side's echo reduced the window. */
  long reductions() {
    return reductions;
  }

  // ---- as receiver ----------------------------------------------------------------------------

  /** An acceptable segment came. */
  void onSegment(PacketView view, TcpHeader h) {
    int mark = Ip6.ecn(view.trafficClass);
    if (h.payloadLength == 0) {
      if (mark == Ip6.ECN_CE || mark == Ip6.ECN_ECT1) {
        pathSound = false; // an acknowledgement leaves without ECT: something writes these bits
      }
      return;
    }
    noteWay(view, h);
    if (h.has(TcpHeader.CWR)) {
      echoing = false;
      tcb.rcv.ackNow(); // its window may be down to what we are about to acknowledge
    }
    if (mark == Ip6.ECN_CE && pathSound && !isFromPathLeft(view, h)) {
      marks++;
      tcb.count(Counter.TCP_ECN_MARKS);
      if (!echoing) {
        echoing = true;
        tcb.rcv.ackNow();
      }
    }
  }

  /**
   * Other text, sent later, took another way: the mark is about a path the sender has left, and its
   * echo would slow it down on the new one.
   */
  private boolean isFromPathLeft(PacketView view, TcpHeader h) {
    return Seq.lt(h.seq + h.payloadLength, latestEnd)
        && (view.srcL64 != latestSrcL64 || view.dstL64 != latestDstL64);
  }

  private void noteWay(PacketView view, TcpHeader h) {
    int end = h.seq + h.payloadLength;
    if (!textCame || Seq.geq(end, latestEnd)) {
      textCame = true;
      latestEnd = end;
      latestSrcL64 = view.srcL64;
      latestDstL64 = view.dstL64;
    }
  }

  /** Every acknowledgement carries ECE now. */
  boolean isEchoing() {
    return echoing;
  }

  // ---- as sender ------------------------------------------------------------------------------

  /** The ECN field of a segment with data that was never sent before. */
  int fieldOfNewData() {
    return mayMark && pathSound ? Ip6.ECN_ECT0 : 0;
  }

  /** True when the next segment with new data will carry CWR. */
  boolean isCwrDue() {
    return cwrDue;
  }

  /** The next segment with new data carries CWR; asks once. */
  boolean takeCwr() {
    boolean due = cwrDue;
    cwrDue = false;
    return due;
  }

  /**
   * An acceptable acknowledgement came, before anything else is made of it.
   *
   * @param ack what it acknowledges
   * @param echo true when it carries ECE
   */
  void onAck(long nowNanos, PathState path, int ack, boolean echo) {
    boolean news = !reduced || Seq.gt(ack, reducedUpTo);
    if (!news) {
      return;
    }
    if (!echo) {
      if (Seq.gt(ack, tcb.snd.sndUna)) {
        hopelessReductions = 0;
      }
      return;
    }
    cwrDue = true;
    reduced = true;
    reducedUpTo = tcb.snd.sndNxt;
    if (!pathSound || path.phase() != PathState.Phase.OPEN) {
      return; // reduced for a loss in the same window
    }
    reductions++;
    tcb.count(Counter.TCP_ECN_REDUCTIONS);
    if (path.windowBytes() > 2L * path.mssBytes() || isQueueSeen(path)) {
      hopelessReductions = 0;
    } else if (++hopelessReductions >= HOPELESS_REDUCTIONS) {
      pathSound = false;
    }
    path.onMark(nowNanos, tcb.snd.sndNxt);
  }

  private static boolean isQueueSeen(PathState path) {
    long least = path.rtt.minRttNanos();
    return path.rtt.srttNanos() > least + least / 4 + JITTER_NANOS;
  }

  /**
   * Another path is current. What was marked on the old one says nothing about it: an echo of that
   * is answered, so that it ends, and reduces nothing.
   */
  void onPathChange() {
    pathSound = true;
    echoing = false;
    hopelessReductions = 0;
    reduced = true;
    reducedUpTo = tcb.snd.sndNxt;
    cwrDue = true;
  }
}

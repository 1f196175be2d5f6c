package org.ilnp4j.tcp;

import io.netty.buffer.ByteBuf;
import org.ilnp4j.tcp.recovery.PathState;
import org.ilnp4j.time.NanoClock;
import org.ilnp4j.util.Counter;
import org.ilnp4j.util.DropReason;
import org.ilnp4j.util.Seq;
import org.ilnp4j.wire.PacketView;
import org.ilnp4j.wire.TcpHeader;

/**
 * The receiving half of a connection: sequence space, reassembly, window, timestamps of the other
 * side, and the decision when to acknowledge (RFC 9293 §3.8.6, RFC 7323, RFC 2018, RFC 2883).
 */
final class Receiver {
  /** RFC 7323 §5.5: a timestamp this old says nothing any more. */
  private static final long TIMESTAMP_VALID_NANOS = NanoClock.seconds(24L * 86400);

  /**
   * How far, in milliseconds, the timestamp of a segment may lie behind when it may have been
   * overtaken. Below the time sequence numbers take to wrap.
   */
  private static final int OVERTAKEN_MS = 2000;

  private final Tcb tcb;
  private final ReceiveBuffer buffer;
  private final int capacityBytes;
  private final ReceiveAutotune autotune;
  private final AckPolicy acks;

  int irs;
  int rcvNxt;

  /** Right edge of the window as the other side knows it; never moves left. */
  private int rcvAdv;

  private int lastAckSent;
  private int windowShift;

  private boolean timestamps;
  private int tsRecent;
  private long tsRecentNanos;
  private long tsRecentSrcL64;
  private long tsRecentDstL64;

  private boolean finKnown;
  private int finSeq;
  private boolean finReached;

  private boolean dsackDue;
  private int dsackLeft;
  private int dsackRight;

  long bytesReceived;

  Receiver(Tcb tcb, ReceiveBuffer buffer, int capacityBytes) {
    this.tcb = tcb;
    this.buffer = buffer;
    this.capacityBytes = capacityBytes;
    autotune = new ReceiveAutotune(capacityBytes);
    acks = new AckPolicy(tcb.timers, tcb.config.quickAcks());
  }

  /** The shift to offer: the least that lets the whole buffer be advertised (RFC 7323 §2.3). */
  static int offeredShift(int capacityBytes) {
    int shift = 0;
    while (shift < 14 && 0xffffL << shift < capacityBytes) {
      shift++;
    }
    return shift;
  }

  /** The other side's SYN is known. */
  void start(long nowNanos, int synSeq, boolean useTimestamps, int tsVal, boolean scaled) {
    irs = synSeq;
    rcvNxt = synSeq + 1;
    rcvAdv = rcvNxt + Math.min(capacityBytes, 0xffff);
    lastAckSent = rcvNxt;
    windowShift = scaled ? tcb.config.windowShift() : 0;
    timestamps = useTimestamps;
    tsRecent = tsVal;
    tsRecentNanos = nowNanos;
  }

  int readableBytes() {
    return buffer.readableBytes();
  }

  long heldBytes() {
    return buffer.heldBytes();
  }

  boolean hasEarly() {
    return buffer.hasEarly();
  }

  /** The other side's FIN and everything before it came in. */
  boolean isFinReached() {
    return finReached;
  }

  int windowBytes() {
    return Math.max(0, rcvAdv - rcvNxt);
  }

  // ---- acceptance -----------------------------------------------------------------------------

  /** The acceptance test of RFC 9293 §3.10.7.4, first step. */
  boolean isAcceptable(int seq, int length) {
    int window = windowBytes();
    if (length == 0) {
      // The right edge itself counts: an ACK behind a full window of data that is still under way
      // (or lost) must be heard.
      return Seq.geq(seq, rcvNxt) && Seq.leq(seq, rcvNxt + window);
    }
    return window > 0
        && (Seq.within(seq, rcvNxt, rcvNxt + window)
            || Seq.within(seq + length - 1, rcvNxt, rcvNxt + window));
  }

  /** RFC 9293 §3.10.7.4: in the window, strictly; for RST (RFC 5961 §3.2). */
  boolean isInWindow(int seq) {
    return seq == rcvNxt || Seq.within(seq, rcvNxt, rcvNxt + windowBytes());
  }

  /** PAWS (RFC 7323 §5): true when the segment must be an old duplicate. */
  boolean isOldDuplicate(long nowNanos, PacketView view, TcpHeader h) {
    if (!timestamps || !h.hasTimestamps || !Seq.lt(h.tsVal, tsRecent)) {
      // Peers that leave timestamps out of keep-alives or of the handshake's last ACK are borne.
      return false;
    }
    if (nowNanos - tsRecentNanos > TIMESTAMP_VALID_NANOS) {
      return false;
    }
    // On two paths at once, later segments on the faster one are no proof of age; and an
    // acknowledgement that was overtaken still has something to say.
    boolean otherPath = view.srcL64 != tsRecentSrcL64 || view.dstL64 != tsRecentDstL64;
    boolean mayBeOvertaken = otherPath || h.sequenceLength() == 0;
    return !(mayBeOvertaken && tsRecent - h.tsVal <= OVERTAKEN_MS);
  }

  /** How long the text of a segment took after what it answers. */
  private void sampleRtt(long nowNanos, TcpHeader h) {
    PathState path = tcb.paths.current();
    if (path != null) {
      autotune.onPathRtt(path.rtt.srttNanos());
    }
    if (timestamps && h.hasTimestamps && h.payloadLength >= acks.mssBytes()) {
      autotune.onEcho(h.tsEcr, tcb.timestamp(nowNanos) - h.tsEcr);
    }
  }

  /** RFC 7323 §4.3: remembers the timestamp to echo. */
  void noteTimestamp(long nowNanos, PacketView view, TcpHeader h) {
    sampleRtt(nowNanos, h);
    if (!timestamps || !h.hasTimestamps || !Seq.leq(h.seq, lastAckSent)) {
      return;
    }
    boolean stale = nowNanos - tsRecentNanos > TIMESTAMP_VALID_NANOS;
    if (stale || Seq.geq(h.tsVal, tsRecent)) {
      tsRecent = h.tsVal;
      tsRecentNanos = nowNanos;
      tsRecentSrcL64 = view.srcL64;
      tsRecentDstL64 = view.dstL64;
    }
  }

  int tsRecent() {
    return tsRecent;
  }

  // ---- text -----------------------------------------------------------------------------------

  /**
   * Takes the text of an acceptable segment.
   *
   * @param fin true when FIN stands behind it
   */
  DropReason onText(long nowNanos, PacketView view, int seq, int index, int length, boolean fin) {
    ByteBuf packet = view.buf;
    int left = seq;
    int right = seq + length;
    int at = index;
    acks.noteSegment(view.segmentBytes > 0 ? view.segmentBytes : length);
    if (fin && !finKnown && Seq.geq(right, rcvNxt) && Seq.leq(right, rcvNxt + windowBytes())) {
      finKnown = true;
      finSeq = right;
    }
    boolean repeats = length > 0 && Seq.lt(left, rcvNxt);
    if (repeats) {
      noteDuplicate(left, Seq.min(right, rcvNxt));
      at += Math.min(length, rcvNxt - left);
      left = Seq.min(rcvNxt, right);
    }
    right = Seq.min(right, rcvNxt + windowBytes());
    if (finKnown) {
      right = Seq.min(right, finSeq);
    }
    DropReason drop = null;
    if (Seq.lt(left, right)) {
      if (!repeats) {
        noteHeld(left, right); // one duplicate is told of each segment, the first
      }
      drop = take(nowNanos, packet, left, at, right - left);
    } else if (length > 0) {
      acks.atOnce();
    }
    if (finKnown && !finReached && rcvNxt == finSeq) {
      finReached = true;
      rcvNxt++;
      rcvAdv = Seq.max(rcvAdv, rcvNxt);
      acks.atOnce();
    } else if (fin && !finReached) {
      acks.atOnce();
    }
    return drop;
  }

  private DropReason take(long nowNanos, ByteBuf packet, int seq, int index, int length) {
    if (seq != rcvNxt) {
      acks.onDisorder();
      boolean held = buffer.holds(seq, seq + length);
      if (!held && tcb.engine.memory().isExhausted()) {
        return DropReason.TCP_MEMORY;
      }
      // What is held already is not kept twice, but its run is the next to be told of.
      return buffer.insert(packet, seq, index, length) || held
          ? null
          : DropReason.TCP_REASSEMBLY_FULL;
    }
    if (!tcb.engine.memory().admit(buffer.heldBytes())) {
      acks.atOnce(); // what the window promised cannot be kept; it tells what is left of it
      return DropReason.TCP_MEMORY;
    }
    buffer.appendInOrder(packet, index, length);
    int before = rcvNxt;
    rcvNxt += length;
    if (buffer.hasEarly()) {
      rcvNxt = buffer.promote(rcvNxt);
      acks.onDisorder(); // a gap was filled, in part at least
    }
    bytesReceived += rcvNxt - before;
    acks.onText(nowNanos, length, windowBytes());
    return null;
  }

  /** Text that lies before the window came again (RFC 2883 §4). */
  void noteStray(int seq, int length) {
    if (length > 0 && Seq.leq(seq + length, rcvNxt)) {
      noteDuplicate(seq, seq + length);
    }
  }

  /** Text came early before, in part at least (RFC 2883 §4.2). */
  private void noteHeld(int left, int right) {
    int from = buffer.firstHeld(left, right);
    if (from != right) {
      noteDuplicate(from, buffer.heldUpTo(from, right));
    }
  }

  private void noteDuplicate(int left, int right) {
    dsackDue = true;
    dsackLeft = left;
    dsackRight = right;
    acks.onDisorder();
    tcb.count(Counter.TCP_DUPLICATES);
  }

  // ---- acknowledging --------------------------------------------------------------------------

  boolean isAckDue() {
    return acks.isDue();
  }

  void ackNow() {
    acks.atOnce();
  }

  void onAckDelayOver() {
    acks.onDelayOver();
  }

  /** Fills in what every segment tells about this half: ACK, window, timestamps, SACK. */
  void writeTo(TcpHeader out, boolean syn) {
    out.ack = rcvNxt;
    out.window = syn ? synWindow() : advertise();
  }

  /** RFC 2018 §4, RFC 2883 §4: a duplicate first, then the most recent blocks. */
  void writeSack(TcpHeader out) {
    int room = out.sackRoom();
    if (dsackDue) {
      out.sackLeft[out.sackCount] = dsackLeft;
      out.sackRight[out.sackCount++] = dsackRight;
    }
    int first = out.sackCount;
    buffer.writeSackBlocks(out, room);
    for (int i = first; finKnown && i < out.sackCount; i++) {
      if (out.sackRight[i] == finSeq) {
        out.sackRight[i]++; // senders count the FIN in, and would miss it here
      }
    }
  }

  boolean hasSack() {
    return dsackDue || buffer.hasEarly();
  }

  /** How many blocks {@link #writeSack} would write, at most {@code room}. */
  int sackBlocks(int room) {
    return Math.min(room, (dsackDue ? 1 : 0) + buffer.recentRuns());
  }

  /** An acknowledgement left with the last segment, which carried text or did not. */
  void onAckSent(boolean withText) {
    lastAckSent = rcvNxt;
    dsackDue = false;
    acks.onSent(withText);
  }

  // ---- window ---------------------------------------------------------------------------------

  /** The window of a SYN is never scaled (RFC 7323 §2.2). */
  int synWindow() {
    return Math.min(capacityBytes, 0xffff);
  }

  /**
   * Moves the right edge as far as worthwhile (RFC 9293 §3.8.6.2.2) and gives the field. Data up to
   * the edge is taken, whatever the field's coarse unit makes the other side believe.
   */
  private int advertise() {
    int most = rcvNxt + free();
    if (most - rcvAdv >= Math.min(limitBytes() / 2, acks.mssBytes())) {
      rcvAdv = most;
    }
    int window = windowBytes();
    int unit = 1 << windowShift;
    int roundedUp = (window + unit - 1) & -unit;
    // Rounding down seems to draw the edge back (RFC 7323 §2.4), so it is the second choice; but
    // rounding up each time would never close the window.
    if (Seq.leq(rcvNxt + roundedUp, most)) {
      rcvAdv = rcvNxt + roundedUp;
      window = roundedUp;
    }
    return Math.min(window >>> windowShift, 0xffff);
  }

  /** What may be unread and on offer together. */
  private int limitBytes() {
    return (int) tcb.engine.memory().allowed(autotune.targetBytes());
  }

  /** What the buffer takes and the window field can say. */
  private int free() {
    int room = Math.max(0, limitBytes() - buffer.readableBytes());
    return (int) Math.min(room, 0xffffL << windowShift);
  }

  /**
   * Reads for the user. A window that opened by much is told to the other side, unless it has
   * plenty: then the acknowledgement of its data does.
   */
  ByteBuf read(long nowNanos, int maxBytes) {
    ByteBuf out = buffer.read(maxBytes);
    if (out == null) {
      return null;
    }
    autotune.onRead(nowNanos, out.readableBytes(), acks.mssBytes());
    int half = limitBytes() / 2;
    if (!finReached
        && windowBytes() < half
        && rcvNxt + free() - rcvAdv >= Math.min(2 * acks.mssBytes(), half)) {
      acks.atOnce();
    }
    return out;
  }

  /** Another path is current. */
  void onPathChange() {
    autotune.onPathChange();
  }

  /** No more data is wanted: what came early is worthless. */
  void discardEarly() {
    buffer.clearEarly();
  }

  void clear() {
    buffer.clear();
  }
}

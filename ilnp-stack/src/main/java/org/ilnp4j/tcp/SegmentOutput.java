package org.ilnp4j.tcp;

import io.netty.buffer.ByteBuf;
import org.ilnp4j.ilnp.Correspondent;
import org.ilnp4j.ilnp.LocatorPair;
import org.ilnp4j.ilnp.Nonce;
import org.ilnp4j.ip6.Ip6Output;
import org.ilnp4j.ip6.PathMtu;
import org.ilnp4j.tcp.recovery.PathState;
import org.ilnp4j.tcp.recovery.SentSegment;
import org.ilnp4j.time.NanoClock;
import org.ilnp4j.util.Counter;
import org.ilnp4j.util.Counters;
import org.ilnp4j.util.Seq;
import org.ilnp4j.wire.Ip6;
import org.ilnp4j.wire.PacketView;
import org.ilnp4j.wire.TcpHeader;
import org.ilnp4j.wire.TcpHeader.OptionOrder;

/**
 * Decides which segments of a connection leave now and builds them: lost ones first, then new data
 * as the two windows allow (RFC 9293 §3.8.6.2.1, RFC 6675 §5), then what is left to say. Locators,
 * MTU and nonce are those of this very moment. One instance per host.
 */
final class SegmentOutput {
  /** Octets of the timestamps option with its padding. */
  static final int TIMESTAMPS_BYTES = 12;

  /** Less payload than this is copied behind its headers: that costs less than a piece. */
  private static final int LEAST_GATHERED_BYTES = 256;

  private final Ip6Output out;
  private final Counters counters;
  private final TcpHeader header = new TcpHeader();

  SegmentOutput(Ip6Output out, Counters counters, OptionOrder optionOrder) {
    this.out = out;
    this.counters = counters;
    header.optionOrder = optionOrder;
  }

  PathMtu pathMtu() {
    return out.pathMtu();
  }

  /** Sends what is due and may go; keeps it when there is no path. */
  void flush(long nowNanos, Tcb t) {
    PathState path = t.route.path(nowNanos);
    if (path == null) {
      return;
    }
    t.route.fitSegments(nowNanos, path);
    if (t.handshake != null) {
      if (t.handshake.synDue) {
        sendSyn(nowNanos, t, path);
      }
    } else if (t.state() != TcpState.TIME_WAIT) {
      path.startOutput(nowNanos);
      t.snd.mtuProbing.judge(nowNanos);
      boolean newDataFirst = t.snd.recovery.takeNewDataFirst();
      if (!newDataFirst) {
        retransmit(nowNanos, t, path);
      }
      sendNew(nowNanos, t, path, newDataFirst);
      probeTail(nowNanos, t, path);
      if (t.snd.moves.isSilent(path)) {
        t.snd.moves.release();
        retransmit(nowNanos, t, path);
      }
      path.onOutput(nowNanos);
      if (t.keepAlive.takeDue()) {
        counters.add(Counter.TCP_KEEPALIVE_PROBES);
        sendEmpty(nowNanos, t, path, t.snd.sndUna - 1, TcpHeader.ACK);
      }
    }
    if (t.rcv.isAckDue() && t.state() != TcpState.SYN_SENT) {
      sendEmpty(nowNanos, t, path, t.snd.seqWithoutText(), TcpHeader.ACK);
    }
    t.snd.recovery.reportLost();
  }

  private void sendSyn(long nowNanos, Tcb t, PathState path) {
    Handshake shake = t.handshake;
    boolean answer = t.state() == TcpState.SYN_RECEIVED;
    begin(t, t.snd.iss, answer ? TcpHeader.SYN | TcpHeader.ACK : TcpHeader.SYN);
    header.mss = offeredMss();
    header.windowScale = shake.offerScale ? t.config.windowShift() : -1;
    header.sackPermitted = shake.offerSack;
    header.flags |= shake.takeEcnFlags(answer);
    if (shake.offerTimestamps) {
      header.hasTimestamps = true;
      header.tsVal = t.timestamp(nowNanos);
      header.tsEcr = answer ? t.rcv.tsRecent() : 0;
    }
    header.userTimeoutSeconds = t.userTimeout.takeTellDue();
    if (answer) {
      t.rcv.writeTo(header, true);
      t.rcv.onAckSent(false);
    } else {
      header.window = t.rcv.synWindow();
    }
    emit(t, path, 0, 0, 0, 0);
    if (shake.transmissions() > 0) {
      counters.add(Counter.TCP_RETRANSMITTED);
      t.snd.recovery.retransmittedSegments++;
    }
    shake.onSent(nowNanos, t, path, header.tsVal);
  }

  /** What a packet of the link carries, options not counted (RFC 6691). */
  private int offeredMss() {
    return out.pathMtu().linkMtu() - Ip6.HEADER_BYTES - TcpHeader.MIN_BYTES;
  }

  // ---- lost segments --------------------------------------------------------------------------

  private void retransmit(long nowNanos, Tcb t, PathState path) {
    Sender snd = t.snd;
    path.windowLimited(false);
    while (true) {
      int i = snd.moves.nextLostIndex();
      if (i < 0) {
        return;
      }
      SentSegment s = snd.queue.get(i);
      int most = path.mssBytes();
      if (s.payloadLength() > most) {
        // One by one; or the path takes smaller packets than when it was sent.
        snd.queue.split(i, Math.min(s.segmentPayload(), most));
      }
      if (waitsForPace(nowNanos, t, path)) {
        return;
      }
      boolean due = path.isRetransmitDue();
      if (!due && !fits(path, s.length())) {
        path.windowLimited(true);
        return;
      }
      if (!snd.isInWindow(s) && i > 0) {
        return; // beyond a window that was drawn back; the head serves as probe
      }
      path.takeRetransmitDue();
      sendRecord(nowNanos, t, path, s);
    }
  }

  private static boolean waitsForPace(long nowNanos, Tcb t, PathState path) {
    long nextNanos = path.nextSendNanos(nowNanos);
    if (nextNanos <= nowNanos) {
      return false;
    }
    t.timers.arm(TimerKind.PACE, nextNanos);
    return true;
  }

  private static boolean fits(PathState path, int bytes) {
    long pipe = path.pipeBytes();
    return pipe == 0 || pipe + bytes <= path.windowBytes();
  }

  /**
   * RFC 6675 §4 NextSeg (4): when nothing else can be sent, the last segment once more; but not
   * before its acknowledgement could be here.
   */
  private void rescue(long nowNanos, Tcb t, PathState path) {
    if (path.phase() != PathState.Phase.RECOVERY) {
      return;
    }
    SentSegment last = t.snd.queue.splitLastSegment();
    if (last != null
        && last.fate() == SentSegment.Fate.IN_FLIGHT
        && last.path() == path
        && Seq.leq(last.endSeq(), path.recoveryPoint())
        && last.payloadLength() <= path.mssBytes()
        && t.snd.queue.lostBytes() == 0
        && nowNanos - last.sentNanos() > path.rtt.srttNanos()
        && fits(path, last.length())
        && path.takeRescue()) {
      sendRecord(nowNanos, t, path, last);
    }
  }

  /**
   * The tail loss probe (RFC 8985 §7.3): new data if there is some, whatever the congestion window
   * says, else the last segment once more.
   */
  private void probeTail(long nowNanos, Tcb t, PathState path) {
    Sender snd = t.snd;
    if (!snd.recovery.takeProbeDue()) {
      return;
    }
    int length = (int) Math.min(path.mssBytes() - sackBytes(t), snd.unsentBytes());
    SentSegment last = snd.queue.splitLastSegment();
    if (length > 0 && length <= snd.windowRoom()) {
      boolean fin = length == snd.unsentBytes() && snd.isFinDue();
      sendRecord(nowNanos, t, path, snd.appendRecord(length + (fin ? 1 : 0), fin, false));
      snd.recovery.onTailProbeSent(nowNanos, false);
    } else if (last != null
        && last.fate() == SentSegment.Fate.IN_FLIGHT
        && last.payloadLength() <= path.mssBytes()) {
      sendRecord(nowNanos, t, path, last);
      snd.recovery.onTailProbeSent(nowNanos, true);
    }
  }

  // ---- new data -------------------------------------------------------------------------------

  private void sendNew(long nowNanos, Tcb t, PathState path, boolean first) {
    Sender snd = t.snd;
    boolean windowMissing = false;
    if (first || snd.moves.mayNewDataGo()) {
      if (snd.queue.isEmpty() && snd.unsentBytes() > 0) {
        path.onSendingStarts(nowNanos);
      }
      probeMtu(nowNanos, t, path);
      windowMissing = sendWhatFits(nowNanos, t, path);
      if (snd.recovery.isSackPermitted()) {
        rescue(nowNanos, t, path);
      }
    }
    if (windowMissing && snd.probeDue) {
      probe(nowNanos, t, path);
    }
    snd.probeDue = false;
    snd.afterOutput(nowNanos, path, windowMissing);
  }

  /** A segment larger than others, when the path MTU is searched for (RFC 8899 §4.1). */
  private void probeMtu(long nowNanos, Tcb t, PathState path) {
    int payload = t.snd.mtuProbing.probePayload(nowNanos, path);
    if (payload > 0 && !waitsForPace(nowNanos, t, path)) {
      SentSegment s = t.snd.appendRecord(payload, false, false);
      t.snd.mtuProbing.onProbe(nowNanos, path, s);
      sendRecord(nowNanos, t, path, s);
    }
  }

  /** True when the other side's window is what holds the rest back. */
  private boolean sendWhatFits(long nowNanos, Tcb t, PathState path) {
    Sender snd = t.snd;
    int startSeq = snd.sndNxt;
    while (true) {
      long unsent = snd.unsentBytes();
      if (unsent == 0 && !snd.isFinDue()) {
        return false;
      }
      int most = mostPayload(nowNanos, t, path);
      long room = Math.max(0, snd.windowRoom());
      int length = (int) Math.min(Math.min(unsent, batchBytes(nowNanos, t, path, most)), room);
      if (length > most && length < unsent) {
        length -= length % most; // the rest will fill a segment with what comes behind it
      }
      boolean last = length == unsent;
      boolean fin = last && snd.isFinDue();
      if (length < most && !last && !isWorthwhile(snd, length)) {
        // Silly window (RFC 9293 §3.8.6.2.1); the persist timer overrides it.
        return true;
      }
      if (last && length % most != 0 && !fin && snd.isSmallHeldBack()) {
        if (length < most) {
          return false;
        }
        length -= length % most;
      }
      if (!fits(path, length + (fin ? 1 : 0))) {
        path.windowLimited(true);
        return false;
      }
      // What cannot be one packet is a burst: once begun it goes on to the end of the window.
      boolean begins = out.gatherBytes() > 0 || snd.sndNxt == startSeq;
      if (begins && !last && isBatchAwaited(nowNanos, t, path, room, unsent)) {
        path.windowLimited(path.windowBytes() - path.pipeBytes() <= room);
        return false;
      }
      if (waitsForPace(nowNanos, t, path)) {
        return false;
      }
      SentSegment s = snd.appendRecord(length + (fin ? 1 : 0), fin, false);
      if (length % most != 0 || length == 0) {
        snd.noteSmall(s.endSeq());
      }
      sendRecord(nowNanos, t, path, s, most);
    }
  }

  private boolean isBatchAwaited(
      long nowNanos, Tcb t, PathState path, long windowRoom, long unsent) {
    long room = Math.min(windowRoom, path.windowBytes() - path.pipeBytes());
    long window = Math.min(t.snd.sndWnd(), path.windowBytes());
    return path.isBatchAwaited(nowNanos, room, window, unsent, deviceBytes(t));
  }

  /** Octets of payload that the device cuts; 0 when it takes single segments. */
  private long deviceBytes(Tcb t) {
    return out.gatherBytes() == 0
        ? 0
        : out.gatherBytes() - Ip6Output.overhead(t.correspondent()) - TcpHeader.MAX_BYTES;
  }

  /** Octets of payload in a full segment of new data. */
  private int mostPayload(long nowNanos, Tcb t, PathState path) {
    int most = path.mssBytes() - sackBytes(t);
    return out.gatherBytes() == 0
        ? most
        : Math.min(
            most,
            Ip6Output.mostCutBytes(t.correspondent(), out.pathMtu().get(nowNanos, path.pair)));
  }

  /**
   * How much new data may leave as one packet, in full segments of {@code most} octets, one at
   * least: what the device cuts, but no more than window and pace let go. Without SACK, one
   * segment: each is counted by its duplicate ACK.
   */
  private long batchBytes(long nowNanos, Tcb t, PathState path, int most) {
    if (out.gatherBytes() == 0
        || !t.snd.recovery.isSackPermitted()
        || (t.ecn != null && t.ecn.isCwrDue())) {
      return most;
    }
    return Math.max(1, Math.min(deviceBytes(t), path.batchBytes(nowNanos)) / most) * most;
  }

  /** Room to leave for SACK blocks. */
  private static int sackBytes(Tcb t) {
    int blocks = t.snd.recovery.isSackPermitted() ? t.rcv.sackBlocks(t.snd.timestamps ? 3 : 4) : 0;
    return blocks == 0 ? 0 : 4 + 8 * blocks;
  }

  private static boolean isWorthwhile(Sender snd, int length) {
    return length > 0 && length >= snd.maxSndWnd() / 2;
  }

  /** The persist timer expired: sends what the window takes, or one octet beyond it. */
  private void probe(long nowNanos, Tcb t, PathState path) {
    Sender snd = t.snd;
    if (snd.recovery.isProbing()) {
      counters.add(Counter.TCP_PERSIST_PROBES);
      sendRecord(nowNanos, t, path, snd.queue.first());
    } else if (snd.queue.isEmpty()) {
      long room = Math.max(0, snd.windowRoom());
      int length = (int) Math.min(Math.min(snd.unsentBytes(), path.mssBytes()), room);
      if (length == 0) {
        counters.add(Counter.TCP_PERSIST_PROBES);
      }
      sendRecord(nowNanos, t, path, snd.appendRecord(Math.max(1, length), false, length == 0));
    }
  }

  // ---- building -------------------------------------------------------------------------------

  private void sendRecord(long nowNanos, Tcb t, PathState path, SentSegment s) {
    sendRecord(nowNanos, t, path, s, s.payloadLength());
  }

  /**
   * @param most octets of payload in each segment
   */
  private void sendRecord(long nowNanos, Tcb t, PathState path, SentSegment s, int most) {
    Sender snd = t.snd;
    int payload = s.payloadLength();
    s.segmentBytes(Math.min(payload, most));
    int flags = TcpHeader.ACK;
    if (s.isFin()) {
      flags |= TcpHeader.FIN;
    }
    if (payload > 0 && snd.position(s.seq()) + payload == snd.buffer.endPosition()) {
      flags |= TcpHeader.PSH;
    }
    int ecnField = 0;
    if (t.ecn != null && payload > 0 && s.transmissions() == 0 && !s.isProbe()) {
      ecnField = t.ecn.fieldOfNewData(); // never on what is sent again (RFC 3168 §6.1.5)
      flags |= t.ecn.takeCwr() ? TcpHeader.CWR : 0;
    }
    begin(t, s.seq(), flags);
    addState(nowNanos, t, path.mssBytes() - s.segmentPayload(), payload > 0);
    emit(t, path, snd.position(s.seq()), payload, s.segmentPayload(), ecnField);
    t.segmentsOut += s.segments() - 1;
    snd.onSent(nowNanos, s, path, header.tsVal);
  }

  /** A segment without text: acknowledgement, probe of a silent peer, reset. */
  private void sendEmpty(long nowNanos, Tcb t, PathState path, int seq, int flags) {
    begin(t, seq, flags);
    header.userTimeoutSeconds = t.userTimeout.takeTellDue();
    addState(nowNanos, t, Integer.MAX_VALUE, false);
    emit(t, path, 0, 0, 0, 0);
  }

  /** Ends the other side's half as well; without a path nothing can be said. */
  void sendReset(long nowNanos, Tcb t) {
    PathState path = t.route.path(nowNanos);
    if (path != null) {
      counters.add(Counter.TCP_RESETS_OUT);
      sendEmpty(nowNanos, t, path, t.snd.seqWithoutText(), TcpHeader.RST | TcpHeader.ACK);
    }
  }

  private void begin(Tcb t, int seq, int flags) {
    header.clear();
    header.srcPort = t.localPort();
    header.dstPort = t.remotePort();
    header.seq = seq;
    header.flags = flags;
  }

  private void addState(long nowNanos, Tcb t, int spareBytes, boolean withText) {
    t.rcv.writeTo(header, false);
    if (t.ecn != null && t.ecn.isEchoing() && !header.has(TcpHeader.RST)) {
      header.flags |= TcpHeader.ECE;
    }
    if (t.snd.timestamps) {
      header.hasTimestamps = true;
      header.tsVal = t.timestamp(nowNanos);
      header.tsEcr = t.rcv.tsRecent();
    }
    boolean complete = true;
    if (t.snd.recovery.isSackPermitted() && t.rcv.hasSack()) {
      t.rcv.writeSack(header);
      int room = spareBytes < 12 ? 0 : (spareBytes - 4) / 8;
      complete = room >= header.sackCount;
      header.sackCount = Math.min(header.sackCount, room);
    }
    if (complete) {
      t.rcv.onAckSent(withText);
    } // else a retransmission had no room for the blocks; an acknowledgement of its own has
  }

  private void emit(
      Tcb t, PathState path, long position, int payload, int segmentBytes, int ecnField) {
    Correspondent c = t.correspondent();
    boolean gathers =
        out.gatherBytes() > 0 && (payload >= LEAST_GATHERED_BYTES || payload > segmentBytes);
    int bytes = header.headerBytes() + (gathers ? 0 : payload);
    ByteBuf packet = out.start(c, path.pair, Ip6.PROTO_TCP, bytes, t.trafficClass() | ecnField);
    int upper = packet.writerIndex();
    header.write(packet);
    t.segmentsOut++;
    counters.add(Counter.TCP_SEGMENTS_OUT);
    if (gathers) {
      t.snd.buffer.gatherTo(out.gather(packet, upper, segmentBytes), position, payload);
      out.finishGathered(packet, upper, Ip6.PROTO_TCP, TcpHeader.CHECKSUM_OFFSET, c.isIlnp());
    } else {
      if (payload > 0) {
        t.snd.buffer.copyTo(packet, position, payload);
      }
      out.finish(packet, upper, Ip6.PROTO_TCP, TcpHeader.CHECKSUM_OFFSET, c.isIlnp());
    }
  }

  /** Octets of payload and TCP options in a packet to {@code c} on {@code pair}. */
  int segmentBytes(long nowNanos, Correspondent c, LocatorPair pair, int peerMss) {
    int headers = Ip6.HEADER_BYTES + TcpHeader.MIN_BYTES;
    int nonce = Ip6Output.overhead(c) - Ip6.HEADER_BYTES;
    int mss = Math.min(peerMss, out.pathMtu().get(nowNanos, pair) - headers);
    return Math.max(Sender.LEAST_MSS, mss - nonce);
  }

  // ---- without a connection -------------------------------------------------------------------

  /** Answers a segment that belongs nowhere (RFC 9293 §3.10.7.1), in the way it came. */
  void sendResetTo(PacketView view, TcpHeader in) {
    header.clear();
    header.srcPort = in.dstPort;
    header.dstPort = in.srcPort;
    if (in.has(TcpHeader.ACK)) {
      header.seq = in.ack;
      header.flags = TcpHeader.RST;
    } else {
      header.ack = in.seq + in.sequenceLength();
      header.flags = TcpHeader.RST | TcpHeader.ACK;
    }
    ByteBuf packet =
        out.startPlain(
            /* srcL64= */ view.dstL64,
            /* srcNid= */ view.dstNid,
            /* dstL64= */ view.srcL64,
            /* dstNid= */ view.srcNid,
            Ip6.PROTO_TCP,
            TcpHeader.MIN_BYTES);
    finishReset(packet, view.hasNonce());
  }

  /**
   * Answers a SYN in the way it came, without a connection (RFC 4987 §3.6).
   *
   * @param kept what the answer agrees to
   * @param nonce null in classic mode
   * @param tsVal {@link SynCookies#mark}
   */
  void sendCookie(
      PacketView view,
      TcpHeader syn,
      SynOptions kept,
      int isn,
      Nonce nonce,
      int tsVal,
      TcpConfig config) {
    header.clear();
    header.srcPort = syn.dstPort;
    header.dstPort = syn.srcPort;
    header.seq = isn;
    header.ack = syn.seq + 1;
    header.flags = TcpHeader.SYN | TcpHeader.ACK | (kept.ecnSetup() ? TcpHeader.ECE : 0);
    header.window = Math.min(config.receiveBufferBytes(), 0xffff);
    header.mss = offeredMss();
    header.hasTimestamps = kept.hasTimestamps();
    header.tsVal = tsVal;
    header.tsEcr = kept.tsVal();
    header.sackPermitted = kept.sackPermitted();
    header.windowScale = kept.windowScale() < 0 ? -1 : config.windowShift();
    ByteBuf packet =
        out.start(
            /* srcL64= */ view.dstL64,
            /* srcNid= */ view.dstNid,
            /* dstL64= */ view.srcL64,
            /* dstNid= */ view.srcNid,
            nonce,
            Ip6.PROTO_TCP,
            header.headerBytes(),
            /* trafficClass= */ 0);
    int upper = packet.writerIndex();
    header.write(packet);
    counters.add(Counter.TCP_SYN_COOKIES_SENT);
    counters.add(Counter.TCP_SEGMENTS_OUT);
    out.finish(packet, upper, Ip6.PROTO_TCP, TcpHeader.CHECKSUM_OFFSET, nonce != null);
  }

  /** Answers a SYN that is not wanted: "connection refused". */
  void sendRefusal(Correspondent c, LocatorPair pair, int localPort, int remotePort, int ack) {
    header.clear();
    header.srcPort = localPort;
    header.dstPort = remotePort;
    header.ack = ack;
    header.flags = TcpHeader.RST | TcpHeader.ACK;
    finishReset(out.start(c, pair, Ip6.PROTO_TCP, TcpHeader.MIN_BYTES), c.isIlnp());
  }

  private void finishReset(ByteBuf packet, boolean nidOnly) {
    int upper = packet.writerIndex();
    header.write(packet);
    counters.add(Counter.TCP_RESETS_OUT);
    counters.add(Counter.TCP_SEGMENTS_OUT);
    out.finish(packet, upper, Ip6.PROTO_TCP, TcpHeader.CHECKSUM_OFFSET, nidOnly);
  }

  /** Milliseconds for timestamps. */
  static int milliseconds(long nowNanos) {
    return (int) (nowNanos / NanoClock.millis(1));
  }
}

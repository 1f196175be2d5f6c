package org.ilnp4j.tcp;

import org.ilnp4j.ip6.Ip6Output;
import org.ilnp4j.ip6.PathMtu;
import org.ilnp4j.ip6.Plpmtud;
import org.ilnp4j.tcp.recovery.PathState;
import org.ilnp4j.tcp.recovery.SentSegment;
import org.ilnp4j.tcp.recovery.SentSegment.Fate;
import org.ilnp4j.util.Counter;
import org.ilnp4j.util.Seq;
import org.ilnp4j.wire.Ip6;
import org.ilnp4j.wire.TcpHeader;

/**
 * One connection's part in finding the path MTU (RFC 8899 with RFC 4821 §7): it notices when large
 * segments vanish, and sends some larger than others as probes. What comes of it is known to all
 * connections on that pair of Locators, in {@link PathMtu}.
 *
 * <p>The loss of a probe is no sign of congestion (RFC 8899 §3). It takes SACK to tell, so without
 * SACK there are no probes; and there must be enough data behind it that its loss shows quickly.
 */
final class MtuProbing {
  /** Full segments to follow a probe: the loss rules need as many. */
  private static final int FOLLOWERS = 4;

  private final Tcb tcb;

  /** Size of the packet that is under way as a probe, or 0. */
  private int probeBytes;

  private int probeSeq;
  private int probeEnd;
  private PathState probePath;

  /** Size of the packets that seem to vanish, or 0. */
  private int suspectBytes;

  private int suspectEnd;
  private PathState suspectPath;

  MtuProbing(Tcb tcb) {
    this.tcb = tcb;
  }

  private PathMtu mtu() {
    return tcb.engine.output().pathMtu();
  }

  /** Octets of a packet beside the payload. */
  private int headerBytes() {
    return Ip6Output.overhead(tcb.correspondent())
        + TcpHeader.MIN_BYTES
        + (tcb.snd.timestamps ? SegmentOutput.TIMESTAMPS_BYTES : 0);
  }

  // ---- probes ---------------------------------------------------------------------------------

  /** Octets of payload to send as a probe now, or 0. */
  int probePayload(long nowNanos, PathState path) {
    Plpmtud search = mtu().search(nowNanos, path.pair);
    Sender snd = tcb.snd;
    if (search == null
        || probeBytes != 0
        || path.phase() != PathState.Phase.OPEN
        || snd.queue.lostBytes() > 0
        || !snd.recovery.isSackPermitted()) {
      return 0;
    }
    int most = Math.min(mtu().linkMtu(), snd.peerMss + Ip6.HEADER_BYTES + TcpHeader.MIN_BYTES);
    int bytes = search.nextProbe(nowNanos, most);
    int payload = bytes - headerBytes();
    long all = payload + (long) FOLLOWERS * path.mssBytes();
    return bytes != 0
            && snd.unsentBytes() >= all
            && snd.windowRoom() >= all
            && path.pipeBytes() + all <= path.windowBytes()
        ? payload
        : 0;
  }

  /** The probe is sent next. */
  void onProbe(long nowNanos, PathState path, SentSegment s) {
    s.sizeProbe();
    probeBytes = s.length() + headerBytes();
    probeSeq = s.seq();
    probeEnd = s.endSeq();
    probePath = path;
    mtu().search(nowNanos, path.pair).onProbeSent(nowNanos, probeBytes);
    tcb.count(Counter.TCP_MTU_PROBES);
  }

  private void judgeProbe(long nowNanos) {
    Plpmtud search = mtu().search(nowNanos, probePath.pair);
    SentSegment s = probed();
    if (s == null || s.fate() == Fate.SACKED) {
      if (search != null) {
        search.onProbeArrived(nowNanos, probeBytes);
      }
    } else if (s.fate() != Fate.LOST) {
      return;
    } else if (search != null) {
      if (s.isLostByMove()) {
        search.onProbeUndecided(probeBytes);
      } else {
        search.onProbeLost(nowNanos, probeBytes);
      }
    }
    probeBytes = 0;
  }

  /** The record of the probe; null when it is acknowledged. */
  private SentSegment probed() {
    return Seq.geq(tcb.snd.sndUna, probeEnd)
        ? null
        : tcb.snd.queue.get(tcb.snd.queue.indexAfter(probeSeq));
  }

  // ---- black holes ----------------------------------------------------------------------------

  /**
   * The retransmission timer expired. When that is not the first time, and nothing as large has
   * arrived since, the head goes out again as small as any path takes it: if that arrives, it was
   * the size.
   *
   * @param again true when the timer had expired before without any progress
   */
  void onTimeout(long nowNanos, PathState path, boolean again) {
    abandonProbe(nowNanos);
    SentSegment head = tcb.snd.queue.first();
    int base = Ip6.MIN_MTU - headerBytes();
    if (!again
        || head.transmissions() < 2
        || head.payloadLength() <= base
        || hasArrived(path, base)) {
      return;
    }
    suspectBytes = head.payloadLength() + headerBytes();
    suspectPath = path;
    tcb.snd.queue.split(0, base);
    suspectEnd = tcb.snd.queue.first().endSeq();
  }

  /** Something larger has arrived on the path, in disorder. */
  private boolean hasArrived(PathState path, int bytes) {
    for (int i = 0; i < tcb.snd.queue.size(); i++) {
      SentSegment s = tcb.snd.queue.get(i);
      if (s.fate() == Fate.SACKED && s.path() == path && s.segmentPayload() > bytes) {
        return true;
      }
    }
    return false;
  }

  private void judgeSuspect(long nowNanos) {
    if (Seq.lt(tcb.snd.sndUna, suspectEnd)) {
      return;
    }
    if (suspectPath == tcb.paths.current()
        && mtu().get(nowNanos, suspectPath.pair) >= suspectBytes) {
      mtu().blackHole(nowNanos, suspectPath.pair, suspectBytes);
      tcb.count(Counter.TCP_MTU_BLACK_HOLES);
    }
    suspectBytes = 0;
  }

  // ---- changes --------------------------------------------------------------------------------

  /**
   * To be called when an acknowledgement has been dealt with, and before anything is sent again:
   * afterwards it could not be told any more which transmission arrived.
   */
  void judge(long nowNanos) {
    if (probeBytes != 0) {
      judgeProbe(nowNanos);
    }
    if (suspectBytes != 0) {
      judgeSuspect(nowNanos);
    }
  }

  /** It was the path, not the size: an outage looks like a black hole. */
  void onPathChange() {
    suspectBytes = 0;
  }

  /** What becomes of the probe says nothing, or nobody will hear. */
  void abandonProbe(long nowNanos) {
    if (probeBytes != 0) {
      Plpmtud search = mtu().search(nowNanos, probePath.pair);
      if (search != null) {
        search.onProbeUndecided(probeBytes);
      }
      probeBytes = 0;
    }
  }
}

package org.ilnp4j.pkt;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.ilnp4j.wire.TcpHeader;

/**
 * One connection as a script sees it: its ports, and how the script's sequence numbers and
 * timestamps are those on the wire. A script counts from each SYN; only SYNs themselves are given
 * with the number the script has chosen for them.
 */
final class Flow {
  final int localPort;
  final int remotePort;

  /** Number of the peer's SYN in the script, and on the wire. */
  private long scriptRemoteIsn;

  private long liveRemoteIsn;
  private long scriptLocalIsn;
  private long liveLocalIsn;
  private boolean localKnown;
  private boolean remoteFixed;
  private boolean remoteScaled;
  private int localShift = -1;

  private final Map<Long, Long> liveTimestamps = new HashMap<>();
  private boolean timestampSeen;
  private long firstScriptTimestamp;
  private long firstLiveTimestamp;

  /**
   * @param remoteIsn of the peer's SYN on the wire when the script writes 0
   */
  Flow(int localPort, int remotePort, long remoteIsn) {
    this.localPort = localPort;
    this.remotePort = remotePort;
    liveRemoteIsn = remoteIsn;
  }

  /** The stack has acknowledged the peer's SYN. */
  void remoteAnswered() {
    remoteFixed = true;
  }

  boolean carries(Segment s) {
    return s.tcp != null && s.tcp.srcPort == localPort && s.tcp.dstPort == remotePort;
  }

  private static long low32(long v) {
    return v & 0xffff_ffffL;
  }

  /** The script sends a SYN of the peer's. Once it was answered, another one is a stray. */
  void remoteSyn(long scriptSeq, List<TcpOption> options) {
    if (remoteFixed) {
      return;
    }
    remoteScaled = options.stream().anyMatch(o -> o.kind() == TcpOption.WINDOW_SCALE);
    liveRemoteIsn = low32(liveRemoteIsn - scriptRemoteIsn + scriptSeq);
    scriptRemoteIsn = scriptSeq;
  }

  /** The stack's SYN, as it was sent and as the script writes it. */
  void localSyn(Segment s, long scriptSeq) {
    localShift = s.tcp.windowScale;
    int liveSeq = s.tcp.seq;
    liveLocalIsn = low32(liveSeq);
    scriptLocalIsn = scriptSeq;
    localKnown = true;
  }

  boolean isLocalKnown() {
    return localKnown;
  }

  int liveSeqIn(long seq, boolean syn) {
    return (int) (seq + liveRemoteIsn - (syn ? scriptRemoteIsn : 0));
  }

  int liveAckIn(long ack, boolean syn) {
    return (int) (ack + liveLocalIsn - (syn ? scriptLocalIsn : 0));
  }

  long scriptSeqOut(int seq, boolean syn) {
    return low32(seq - liveLocalIsn + (syn ? scriptLocalIsn : 0));
  }

  long scriptAckOut(int ack, boolean syn) {
    return low32(ack - liveRemoteIsn + (syn ? scriptRemoteIsn : 0));
  }

  // ---- options --------------------------------------------------------------------------------

  /** Options of a packet to the stack, as they go on the wire. */
  List<TcpOption> liveOptionsIn(PacketSpec p) {
    List<TcpOption> live = new ArrayList<>();
    for (TcpOption o : p.options()) {
      long[] v = o.values().clone();
      if (o.kind() == TcpOption.SACK) {
        for (int i = 0; i < v.length; i++) {
          v[i] = low32(liveAckIn(v[i], false));
        }
      } else if (o.kind() == TcpOption.TIMESTAMPS && p.has(TcpHeader.ACK)) {
        v[1] = liveTimestamp(v[1]);
      }
      live.add(new TcpOption(o.kind(), v));
    }
    return live;
  }

  /** What the stack sent when the script wrote {@code ecr}; between two, reckoned. */
  private long liveTimestamp(long ecr) {
    Long exact = liveTimestamps.get(ecr);
    return exact != null ? exact : low32(ecr - firstScriptTimestamp + firstLiveTimestamp);
  }

  /**
   * Options of a packet from the stack, as the script would write them.
   *
   * @param ours TSval was not the script's choice
   */
  List<TcpOption> scriptOptionsOut(Segment s, PacketSpec p) {
    List<TcpOption> script = new ArrayList<>();
    for (TcpOption o : s.options) {
      long[] v = o.values().clone();
      if (o.kind() == TcpOption.SACK) {
        for (int i = 0; i < v.length; i++) {
          v[i] = scriptAckOut((int) v[i], false);
        }
      } else if (o.kind() == TcpOption.TIMESTAMPS) {
        noteTimestamp(v[0], p);
        v[0] = timestampSeen ? low32(v[0] - firstLiveTimestamp + firstScriptTimestamp) : v[0];
      }
      script.add(new TcpOption(o.kind(), v));
    }
    return script;
  }

  private void noteTimestamp(long live, PacketSpec p) {
    if (p == null || p.options() == null) {
      return;
    }
    for (TcpOption o : p.options()) {
      if (o.kind() == TcpOption.TIMESTAMPS) {
        if (!timestampSeen) {
          timestampSeen = true;
          firstLiveTimestamp = live;
          firstScriptTimestamp = o.values()[0];
        }
        liveTimestamps.put(o.values()[0], live);
      }
    }
  }

  /** The scale the stack has offered, if the peer has too; 0 otherwise. */
  int windowShift() {
    return isScaled() ? localShift : 0;
  }

  boolean isScaled() {
    return remoteScaled && localShift >= 0;
  }

  String describe(Segment s, PacketSpec p) {
    TcpHeader h = s.tcp;
    boolean syn = s.has(TcpHeader.SYN);
    return PacketSpec.describe(
        h.flags,
        scriptSeqOut(h.seq, syn),
        h.payloadLength,
        scriptAckOut(h.ack, syn),
        h.window,
        scriptOptionsOut(s, p));
  }
}

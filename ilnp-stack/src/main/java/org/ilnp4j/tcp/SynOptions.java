package org.ilnp4j.tcp;

import org.ilnp4j.wire.Ip6;
import org.ilnp4j.wire.PacketView;
import org.ilnp4j.wire.TcpHeader;

/**
 * What a SYN offers.
 *
 * @param mss maximum segment size, or -1
 * @param windowScale shift 0 to 14, or -1
 * @param window as on the wire
 * @param ecnSetup it asks for ECN, or grants it
 */
record SynOptions(
    int mss,
    int windowScale,
    boolean sackPermitted,
    boolean hasTimestamps,
    int tsVal,
    int window,
    boolean ecnSetup) {
  static SynOptions of(PacketView view, TcpHeader h) {
    return new SynOptions(
        h.mss,
        h.windowScale,
        h.sackPermitted,
        h.hasTimestamps,
        h.tsVal,
        h.window,
        isEcnSetup(view, h));
  }

  /** RFC 3168 §6.1.1. A SYN never leaves with ECT: marks on one are not those of a router. */
  static boolean isEcnSetup(PacketView view, TcpHeader h) {
    int flags = h.flags & (TcpHeader.ECE | TcpHeader.CWR);
    int setup = h.has(TcpHeader.ACK) ? TcpHeader.ECE : TcpHeader.ECE | TcpHeader.CWR;
    return flags == setup && Ip6.ecn(view.trafficClass) == 0;
  }
}

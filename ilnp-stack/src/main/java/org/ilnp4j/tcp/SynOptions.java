package org.ilnp4j.tcp;

import org.ilnp4j.wire.TcpHeader;

/**
 * What a SYN offers.
 *
 * @param mss maximum segment size, or -1
 * @param windowScale shift 0 to 14, or -1
 * @param window as on the wire
 */
record SynOptions(
    int mss, int windowScale, boolean sackPermitted, boolean hasTimestamps, int tsVal, int window) {
  static SynOptions of(TcpHeader h) {
    return new SynOptions(
        h.mss, h.windowScale, h.sackPermitted, h.hasTimestamps, h.tsVal, h.window);
  }
}

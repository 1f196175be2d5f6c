package org.ilnp4j.ip6;

import io.netty.buffer.ByteBuf;

/** Where finished packets go: a TUN device, a simulated link, a test. */
@FunctionalInterface
public interface PacketSink {
  /** Takes over the buffer, whose readable bytes are one IPv6 packet. Never throws. */
  void transmit(ByteBuf packet);

  /** Octets of the largest {@link GatheredPacket} it takes; 0 when it takes none. */
  default int gatherBytes() {
    return 0;
  }

  /**
   * Sends a packet in pieces, none of which it keeps. Never throws where {@link #gatherBytes} is
   * not 0; elsewhere it is a mistake of the caller.
   */
  default void transmit(GatheredPacket packet) {
    throw new UnsupportedOperationException("takes no packets in pieces");
  }
}

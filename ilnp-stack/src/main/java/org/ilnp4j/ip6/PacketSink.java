package org.ilnp4j.ip6;

import io.netty.buffer.ByteBuf;

/** Where finished packets go: a TUN device, a simulated link, a test. */
@FunctionalInterface
public interface PacketSink {
  /** Takes over the buffer, whose readable bytes are one IPv6 packet. Never throws. */
  void transmit(ByteBuf packet);
}

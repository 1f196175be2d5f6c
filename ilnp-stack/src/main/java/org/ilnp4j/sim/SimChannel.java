package org.ilnp4j.sim;

import io.netty.buffer.ByteBuf;

/** What joins ports: a link or a medium. */
interface SimChannel {
  /** Takes the packet over. */
  void transmit(SimPort from, ByteBuf packet);

  boolean isUp(SimPort port);

  /** MTU for packets that leave at {@code port}, octets. */
  int mtu(SimPort port);

  /** Packets inside the channel. */
  int packetsInside();

  /** Releases every packet inside. */
  void close();
}

package org.ilnp4j.link;

import io.netty.buffer.ByteBuf;
import org.ilnp4j.ip6.GatheredPacket;
import org.ilnp4j.ip6.PacketSink;

/** Hands packets to a sink that is made later than who sends them. */
public final class Outlet implements PacketSink {
  private PacketSink sink = ByteBuf::release;

  /** What is sent before this call is released. */
  public void connect(PacketSink to) {
    sink = to;
  }

  @Override
  public void transmit(ByteBuf packet) {
    sink.transmit(packet);
  }

  @Override
  public int gatherBytes() {
    return sink.gatherBytes();
  }

  @Override
  public void transmit(GatheredPacket packet) {
    sink.transmit(packet);
  }
}

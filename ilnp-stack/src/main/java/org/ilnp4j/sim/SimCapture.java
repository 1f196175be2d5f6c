package org.ilnp4j.sim;

import io.netty.buffer.ByteBuf;
import org.ilnp4j.link.PcapWriter;

/** Records what one node sends and receives, as a capture on that machine would. */
public final class SimCapture implements SimObserver {
  private final SimNode node;
  private final PcapWriter writer;

  /** Captures on all interfaces of {@code node}. */
  public SimCapture(SimNode node, PcapWriter writer) {
    this.node = node;
    this.writer = writer;
  }

  @Override
  public void onSent(long nowNanos, SimPort port, ByteBuf packet) {
    if (port.node() == node) {
      writer.write(nowNanos, packet);
    }
  }

  @Override
  public void onDelivered(long nowNanos, SimPort port, ByteBuf packet) {
    if (port.node() == node) {
      writer.write(nowNanos, packet);
    }
  }
}

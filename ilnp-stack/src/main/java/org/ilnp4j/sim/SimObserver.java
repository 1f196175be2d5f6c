package org.ilnp4j.sim;

import io.netty.buffer.ByteBuf;
import org.ilnp4j.link.LinkDrop;

/** Sees every packet on every link, for traces, captures and figures. Must not touch the buffer. */
public interface SimObserver {
  /** {@code port} hands a packet to its link. */
  default void onSent(long nowNanos, SimPort port, ByteBuf packet) {}

  /** A packet arrives at {@code port}. */
  default void onDelivered(long nowNanos, SimPort port, ByteBuf packet) {}

  /** A packet on its way towards {@code port} is dropped by the link. */
  default void onDropped(long nowNanos, SimPort port, LinkDrop why, ByteBuf packet) {}
}

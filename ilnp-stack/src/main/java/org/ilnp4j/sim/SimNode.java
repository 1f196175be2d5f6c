package org.ilnp4j.sim;

import io.netty.buffer.ByteBuf;
import org.ilnp4j.time.NanoClock;

/**
 * Something with ports: a host, a router, a middlebox. The network calls it in virtual time; within
 * one instant a node gets all that is due, then one {@link #endTurn}. Sending from within any call
 * is fine: packets reach other nodes in a later event, never by a nested call.
 */
public interface SimNode {
  /** For traces; unique within a network. */
  String name();

  /** A packet has arrived; the node owns the buffer. */
  void onPacket(long nowNanos, SimPort port, ByteBuf packet);

  /** The link at {@code port} came up or went down. */
  default void onLink(long nowNanos, SimPort port, boolean up) {}

  /** Timers due at {@code nowNanos} are to fire. */
  default void advance(long nowNanos) {}

  /** When {@link #advance} is wanted next; asked after each {@link #endTurn}. */
  default long nextDeadlineNanos() {
    return NanoClock.NEVER;
  }

  /** All input of this instant has been given. */
  default void endTurn(long nowNanos) {}

  /** Releases every buffer still held. */
  default void close() {}
}

package org.ilnp4j.link;

import org.ilnp4j.ip6.PacketSink;

/**
 * A device that carries IPv6 packets. {@link #transmit} takes packets out; what comes in goes in
 * batches to the {@link LinkHandler} the link was made with. All methods belong to the link's event
 * loop thread.
 */
public interface Link extends PacketSink, AutoCloseable {
  /** Octets of the largest packet it takes. */
  int mtu();

  /** Stops reading, releases every buffer held, closes the device. Idempotent. */
  @Override
  void close();
}

package org.ilnp4j.link;

import io.netty.buffer.ByteBuf;

/** Receives what a {@link Link} reads. Called on the link's event loop. */
public interface LinkHandler {
  /**
   * One IPv6 packet in the readable bytes; the handler owns the buffer. Must not throw.
   *
   * @param checksumVouched the transport checksum need not be checked, and may be incomplete
   * @param segmentBytes payload of each of the TCP segments that the packet was put together from;
   *     0 when it is one segment
   */
  void onPacket(ByteBuf packet, boolean checksumVouched, int segmentBytes);

  /** After the last packet of each batch: the moment to send what the batch has caused. */
  void onBatchEnd();

  /** The device failed and the link is closed; called at most once. */
  void onFailure(Exception cause);
}

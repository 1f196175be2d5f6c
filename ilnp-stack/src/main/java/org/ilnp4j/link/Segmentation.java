package org.ilnp4j.link;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import org.ilnp4j.ip6.GatheredPacket;
import org.ilnp4j.ip6.PacketSink;
import org.ilnp4j.wire.Ip6;
import org.ilnp4j.wire.TcpHeader;

/**
 * Cuts TCP super-segments into packets with complete checksums, as the kernel does behind a TUN
 * device: for links that carry one packet at a time.
 */
public final class Segmentation implements PacketSink {
  /** The largest packet of IPv6 without jumbo payload option. */
  static final int MOST_BYTES = Ip6.HEADER_BYTES + 0xffff;

  private final PacketSink next;
  private final ByteBufAllocator allocator;

  public Segmentation(PacketSink next, ByteBufAllocator allocator) {
    this.next = next;
    this.allocator = allocator;
  }

  @Override
  public void transmit(ByteBuf packet) {
    next.transmit(packet);
  }

  @Override
  public int gatherBytes() {
    return MOST_BYTES;
  }

  @Override
  public void transmit(GatheredPacket packet) {
    ByteBuf whole = packet.flatten(allocator, 0);
    int headBytes = packet.head().readableBytes();
    for (int at = 0; at == 0 || at < packet.payloadBytes(); at += packet.segmentBytes()) {
      int length = Math.min(packet.segmentBytes(), packet.payloadBytes() - at);
      ByteBuf segment = allocator.directBuffer(headBytes + length);
      segment.writeBytes(whole, whole.readerIndex(), headBytes);
      segment.writeBytes(whole, whole.readerIndex() + headBytes + at, length);
      int upper = segment.readerIndex() + packet.upperOffset();
      boolean last = at + length == packet.payloadBytes();
      TcpHeader.cutFrom(segment, upper, at, last);
      segment.setShort(upper + packet.checksumOffset(), 0);
      Ip6.complete(segment, upper, Ip6.PROTO_TCP, packet.checksumOffset(), packet.isNidOnly());
      next.transmit(segment);
    }
    whole.release();
  }
}

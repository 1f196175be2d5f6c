package org.ilnp4j.link;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import org.ilnp4j.ip6.GatheredPacket;
import org.ilnp4j.ip6.PacketSink;
import org.ilnp4j.time.NanoClock;

/**
 * Records what passes, in both directions of a link, into one capture. Super-segments are recorded
 * whole, with the checksum as the device gets it.
 */
public final class PcapTap {
  private final PcapWriter writer;
  private final NanoClock clock;
  private final ByteBufAllocator allocator;

  public PcapTap(PcapWriter writer, NanoClock clock, ByteBufAllocator allocator) {
    this.writer = writer;
    this.clock = clock;
    this.allocator = allocator;
  }

  /** A sink that records each packet, then hands it on. */
  public PacketSink tap(PacketSink next) {
    return new PacketSink() {
      @Override
      public void transmit(ByteBuf packet) {
        writer.write(clock.nanoTime(), packet);
        next.transmit(packet);
      }

      @Override
      public int gatherBytes() {
        return next.gatherBytes();
      }

      @Override
      public void transmit(GatheredPacket packet) {
        ByteBuf flat = packet.flatten(allocator, 0);
        writer.write(clock.nanoTime(), flat);
        flat.release();
        next.transmit(packet);
      }
    };
  }

  /** A handler that records each packet, then hands it on. */
  public LinkHandler tap(LinkHandler next) {
    return new LinkHandler() {
      @Override
      public void onPacket(ByteBuf packet, boolean checksumVouched, int segmentBytes) {
        writer.write(clock.nanoTime(), packet);
        next.onPacket(packet, checksumVouched, segmentBytes);
      }

      @Override
      public void onBatchEnd() {
        next.onBatchEnd();
      }

      @Override
      public void onFailure(Exception cause) {
        next.onFailure(cause);
      }
    };
  }
}

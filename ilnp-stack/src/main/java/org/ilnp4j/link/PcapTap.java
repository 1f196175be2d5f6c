package org.ilnp4j.link;

import io.netty.buffer.ByteBuf;
import org.ilnp4j.ip6.PacketSink;
import org.ilnp4j.time.NanoClock;

/** Records what passes, in both directions of a link, into one capture. */
public final class PcapTap {
  private final PcapWriter writer;
  private final NanoClock clock;

  public PcapTap(PcapWriter writer, NanoClock clock) {
    this.writer = writer;
    this.clock = clock;
  }

  /** A sink that records each packet, then hands it on. */
  public PacketSink tap(PacketSink next) {
    return packet -> {
      writer.write(clock.nanoTime(), packet);
      next.transmit(packet);
    };
  }

  /** A handler that records each packet, then hands it on. */
  public LinkHandler tap(LinkHandler next) {
    return new LinkHandler() {
      @Override
      public void onPacket(ByteBuf packet) {
        writer.write(clock.nanoTime(), packet);
        next.onPacket(packet);
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

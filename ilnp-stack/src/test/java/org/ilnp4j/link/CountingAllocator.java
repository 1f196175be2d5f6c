package org.ilnp4j.link;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import org.ilnp4j.wire.Ip6;

/**
 * Buffers whose return is checked, and packets made of them. Counts what is in use instead of
 * asking the leak detector, which would make long simulations a hundred times slower.
 */
public final class CountingAllocator {
  private final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true, true);

  public UnpooledByteBufAllocator allocator() {
    return allocator;
  }

  /** A packet of {@code bytes} octets with no upper layer, numbered in its last 4 octets. */
  public ByteBuf packet(int bytes, int number, long srcL64, long srcNid, long dstL64, long dstNid) {
    ByteBuf buf = allocator.directBuffer(bytes, bytes);
    Ip6.write(buf, 0, bytes - Ip6.HEADER_BYTES, Ip6.PROTO_NONE, 64, srcL64, srcNid, dstL64, dstNid);
    buf.writeZero(bytes - Ip6.HEADER_BYTES);
    if (bytes >= Ip6.HEADER_BYTES + 4) {
      buf.setInt(bytes - 4, number);
    }
    return buf;
  }

  public ByteBuf packet(int bytes, int number) {
    return packet(bytes, number, 0x2001_0db8_0001_0000L, 1, 0x2001_0db8_0002_0000L, 2);
  }

  /** The number given to {@link #packet}. */
  public static int number(ByteBuf packet) {
    return packet.getInt(packet.writerIndex() - 4);
  }

  public void assertAllReleased() {
    assertThat(allocator.metric().usedDirectMemory()).as("direct memory not released").isZero();
    assertThat(allocator.metric().usedHeapMemory()).as("heap memory not released").isZero();
  }
}

package org.ilnp4j.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.util.Random;
import org.ilnp4j.util.Counters;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class SendBufferTest {
  private final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true, true);
  private final MemoryBudget budget = new MemoryBudget(1 << 30, new Counters());
  private final SendBuffer buffer = new SendBuffer(allocator, budget);

  @AfterEach
  void leavesNothing() {
    buffer.clear();
    assertThat(allocator.metric().usedDirectMemory()).isZero();
    assertThat(budget.usedBytes()).isZero();
  }

  private static byte at(long position) {
    return (byte) (position * 31 + (position >>> 8));
  }

  private ByteBuf data(long from, int n) {
    ByteBuf b = allocator.directBuffer(n);
    for (int i = 0; i < n; i++) {
      b.writeByte(at(from + i));
    }
    return b;
  }

  private void check(long from, int n) {
    ByteBuf out = Unpooled.buffer(n);
    buffer.copyTo(out, from, n);
    assertThat(out.readableBytes()).isEqualTo(n);
    for (int i = 0; i < n; i++) {
      assertThat(out.getByte(i)).as("octet %d", from + i).isEqualTo(at(from + i));
    }
  }

  @Test
  void shouldKeepLargeBuffersAsTheyAre() {
    ByteBuf large = data(0, 5000);
    buffer.append(large);
    assertThat(large.refCnt()).isEqualTo(1);
    check(0, 5000);
    buffer.acknowledge(4999);
    assertThat(large.refCnt()).isEqualTo(1);
    buffer.acknowledge(5000);
    assertThat(large.refCnt()).isZero();
  }

  @Test
  void shouldGatherAFloodOfSmallWrites() {
    for (int i = 0; i < 100_000; i++) {
      buffer.append(data(i, 1));
    }
    assertThat(allocator.metric().usedDirectMemory()).isLessThan(110_000);
    check(50_000, 20_000);
  }

  @Test
  void shouldReleaseEmptyBuffersAtOnce() {
    ByteBuf empty = allocator.directBuffer(10);
    buffer.append(empty);
    assertThat(empty.refCnt()).isZero();
    assertThat(buffer.bytes()).isZero();
  }

  @Test
  void shouldGiveAnyRangeWhateverWasWrittenAndAcknowledged() {
    Random random = new Random(3);
    long end = 0;
    for (int step = 0; step < 3000; step++) {
      int n = random.nextInt(4) == 0 ? 512 + random.nextInt(3000) : random.nextInt(600);
      buffer.append(data(end, n));
      end += n;
      if (random.nextInt(3) == 0) {
        long una = buffer.startPosition();
        buffer.acknowledge(una + random.nextInt((int) (end - una) + 1));
      }
      assertThat(buffer.endPosition()).isEqualTo(end);
      int held = (int) buffer.bytes();
      if (held > 0 && step % 10 == 0) {
        int from = random.nextInt(held);
        check(buffer.startPosition() + from, Math.min(200, held - from));
      }
    }
    buffer.acknowledge(end);
    assertThat(allocator.metric().usedDirectMemory()).isZero();
  }
}

package org.ilnp4j.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.util.Random;
import org.ilnp4j.util.Counters;
import org.ilnp4j.wire.TcpHeader;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ReceiveBufferTest {
  private final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true, true);
  private final MemoryBudget budget = new MemoryBudget(1 << 30, new Counters());
  private final ReceiveBuffer buffer = new ReceiveBuffer(allocator, budget);

  @AfterEach
  void leavesNothing() {
    buffer.clear();
    assertThat(allocator.metric().usedDirectMemory()).isZero();
    assertThat(budget.usedBytes()).isZero();
  }

  private static byte at(int seq) {
    return (byte) (seq * 31 + (seq >>> 8));
  }

  /** A packet of which {@code n} octets are payload, the rest headers and slack. */
  private ByteBuf packet(int seq, int n, int headers, int slack) {
    ByteBuf b = allocator.directBuffer(headers + n + slack, headers + n + slack);
    b.writeZero(headers);
    for (int i = 0; i < n; i++) {
      b.writeByte(at(seq + i));
    }
    return b;
  }

  private boolean early(int seq, int n) {
    ByteBuf p = packet(seq, n, 60, 0);
    boolean kept = buffer.insert(p, seq, 60, n);
    p.release();
    return kept;
  }

  private int inOrder(int seq, int n) {
    ByteBuf p = packet(seq, n, 60, 0);
    buffer.appendInOrder(p, 60, n);
    p.release();
    return buffer.promote(seq + n);
  }

  private int readAll(int from) {
    int at = from;
    for (ByteBuf b = buffer.read(700); b != null; b = buffer.read(700)) {
      while (b.isReadable()) {
        assertThat(b.readByte()).as("octet %d", at).isEqualTo(at(at));
        at++;
      }
      b.release();
    }
    return at;
  }

  private String blocks() {
    TcpHeader h = new TcpHeader().clear();
    buffer.writeSackBlocks(h, 4);
    StringBuilder out = new StringBuilder();
    for (int i = 0; i < h.sackCount; i++) {
      out.append(h.sackLeft[i]).append('-').append(h.sackRight[i]).append(' ');
    }
    return out.toString().trim();
  }

  @Test
  void shouldGiveDataInOrderOnceTheGapIsFilled() {
    assertThat(early(1000, 1000)).isTrue();
    assertThat(buffer.readableBytes()).isZero();
    assertThat(inOrder(0, 1000)).isEqualTo(2000);
    assertThat(readAll(0)).isEqualTo(2000);
    assertThat(buffer.hasEarly()).isFalse();
  }

  @Test
  void shouldReportTheMostRecentBlockFirst() {
    early(1000, 100);
    early(3000, 100);
    early(2000, 100);
    assertThat(blocks()).isEqualTo("2000-2100 3000-3100 1000-1100");
    early(1100, 100);
    assertThat(blocks()).isEqualTo("1000-1200 2000-2100 3000-3100");
    early(1200, 800); // joins two
    assertThat(blocks()).isEqualTo("1000-2100 3000-3100");
  }

  @Test
  void shouldKeepOnlyWhatIsNew() {
    early(1000, 500);
    early(2000, 500);
    assertThat(early(900, 2000)).isTrue();
    assertThat(blocks()).isEqualTo("900-2900");
    assertThat(buffer.earlyBytes()).isEqualTo(2000);
    assertThat(early(1000, 100)).isFalse();
    assertThat(buffer.holds(950, 1000)).isTrue();
    assertThat(buffer.holds(950, 2901)).isFalse();
    assertThat(inOrder(0, 900)).isEqualTo(2900);
    assertThat(readAll(0)).isEqualTo(2900);
  }

  @Test
  void shouldBoundTheNumberOfSeparateRuns() {
    for (int i = 0; i < ReceiveBuffer.MAX_RUNS; i++) {
      assertThat(early(10 + 2 * i, 1)).isTrue();
    }
    assertThat(early(10 + 2 * ReceiveBuffer.MAX_RUNS, 1)).isFalse();
    assertThat(early(11, 1)).as("joins two, so there is room").isTrue();
  }

  @Test
  void shouldNotPinLargeBuffersForFewOctets() {
    ByteBuf p = packet(0, 1400, 60, 60_000);
    buffer.appendInOrder(p, 60, 1400);
    p.release();
    assertThat(allocator.metric().usedDirectMemory()).isLessThan(3000);
    ByteBuf slice = packet(0, 1400, 60, 60_000);
    buffer.appendInOrder(slice.slice(), 60, 1400);
    slice.release();
    assertThat(allocator.metric().usedDirectMemory()).isLessThan(6000);
  }

  @Test
  void shouldSurviveAFloodOfTinySegments() {
    for (int i = 0; i < 50_000; i++) {
      inOrder(i, 1);
    }
    assertThat(allocator.metric().usedDirectMemory()).isLessThan(60_000);
    for (int i = 0; i < 50_000; i++) {
      early(60_000 + i, 1);
    }
    assertThat(allocator.metric().usedDirectMemory()).isLessThan(120_000);
    assertThat(readAll(0)).isEqualTo(50_000);
  }

  @Test
  void shouldNotCopyFullSegments() {
    ByteBuf p = packet(0, 1400, 60, 40);
    buffer.appendInOrder(p, 60, 1400);
    assertThat(p.refCnt()).isEqualTo(2);
    p.release();
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 0x7fffff00, 0xffffff00})
  void shouldReassembleAnyOrder(int start) {
    for (int seed = 0; seed < 60; seed++) {
      Random random = new Random(seed);
      int total = 20_000;
      int next = start;
      int read = start;
      while (next != start + total) {
        int seq = next + random.nextInt(4000) - (random.nextInt(3) == 0 ? 4000 : 0);
        int n = 1 + random.nextInt(random.nextBoolean() ? 1400 : 20);
        int left = Math.max(seq - next, 0);
        int right = Math.min(seq + n - start, total) - (next - start);
        if (random.nextInt(6) == 0) {
          left = 0;
          right = Math.min(n, total - (next - start));
        }
        if (right <= left) {
          continue;
        }
        if (left == 0) {
          next = inOrder(next, right);
        } else {
          early(next + left, right - left);
        }
        if (random.nextInt(4) == 0) {
          read = readAll(read);
          assertThat(read).isEqualTo(next);
        }
      }
      assertThat(readAll(read)).isEqualTo(start + total);
      buffer.clear();
      assertThat(allocator.metric().usedDirectMemory()).as("seed %d", seed).isZero();
    }
  }
}

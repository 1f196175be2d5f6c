package org.ilnp4j.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class ChecksumTest {
  /** The example of RFC 1071 §3. */
  @Test
  void shouldSumTheExampleOfTheRfc() {
    ByteBuf buf = Hex.parse("00 01 f2 03 f4 f5 f6 f7");
    assertThat(Checksum.fold(Checksum.sum(buf, 0, 8))).isEqualTo(0xddf2);
    assertThat(Checksum.finish(Checksum.sum(buf, 0, 8))).isEqualTo(0x220d);
  }

  @Test
  void shouldEqualTheDefinitionForAnyBytesLengthAndPosition() {
    long seed = 1071;
    SplittableRandom random = new SplittableRandom(seed);
    for (int round = 0; round < 5_000; round++) {
      byte[] bytes = new byte[random.nextInt(1, 200)];
      random.nextBytes(bytes);
      if (random.nextInt(4) == 0) {
        java.util.Arrays.fill(bytes, (byte) -1); // most carries
      }
      int from = random.nextInt(bytes.length);
      int length = random.nextInt(bytes.length - from + 1);
      int expected = definition(bytes, from, length);
      ByteBuf heap = Unpooled.wrappedBuffer(bytes);
      assertThat(Checksum.fold(Checksum.sum(heap, from, length)))
          .as("seed %d round %d", seed, round)
          .isEqualTo(expected);
      ByteBuf direct = Unpooled.directBuffer(bytes.length).writeBytes(bytes);
      try {
        assertThat(Checksum.fold(Checksum.sum(direct, from, length))).isEqualTo(expected);
      } finally {
        direct.release();
      }
    }
  }

  /** One's complement sum of 16-bit words, the last one padded with zero. */
  private static int definition(byte[] bytes, int from, int length) {
    int sum = 0;
    for (int i = 0; i < length; i += 2) {
      int high = bytes[from + i] & 0xff;
      int low = i + 1 < length ? bytes[from + i + 1] & 0xff : 0;
      sum += high << 8 | low;
      if (sum > 0xffff) {
        sum -= 0xffff;
      }
    }
    return sum;
  }

  @Test
  void shouldSumPseudoHeaderAsItsBytes() {
    long seed = 8200;
    SplittableRandom random = new SplittableRandom(seed);
    for (int round = 0; round < 1_000; round++) {
      long[] a = random.longs(4).toArray();
      int length = random.nextInt(65536);
      int protocol = random.nextInt(256);
      ByteBuf bytes = Unpooled.buffer(40);
      for (long l : a) {
        bytes.writeLong(l);
      }
      bytes.writeInt(length).writeInt(protocol);
      assertThat(Checksum.fold(Checksum.pseudoHeader(a[0], a[1], a[2], a[3], length, protocol)))
          .as("seed %d round %d", seed, round)
          .isEqualTo(definition(bytes.array(), 0, 40));
    }
  }

  @Test
  void shouldFoldTheLargestSum() {
    assertThat(Checksum.fold(0xffff_ffff_ffff_ffffL)).isEqualTo(0xffff);
    assertThat(Checksum.fold(0)).isZero();
    assertThat(Checksum.fold(0x1_0000)).isEqualTo(1);
    assertThat(Checksum.isValid(0xffff)).isTrue();
    assertThat(Checksum.isValid(0)).isFalse();
  }
}

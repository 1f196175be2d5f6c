package org.ilnp4j.util;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Random;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class KeyedHashTest {
  /** The published vector of SipHash-2-4: key 00..0f, message 00..0e. Guards the reference. */
  @Test
  void shouldHaveARightReference() {
    byte[] message = new byte[15];
    for (int i = 0; i < message.length; i++) {
      message[i] = (byte) i;
    }
    assertThat(siphash(0x0706050403020100L, 0x0f0e0d0c0b0a0908L, message))
        .isEqualTo(0xa129ca6149be45e5L);
  }

  @Test
  void shouldBeSipHashOfItsWordsInLittleEndian() {
    long seed = 24;
    SplittableRandom random = new SplittableRandom(seed);
    for (int round = 0; round < 1000; round++) {
      byte[] key = new byte[16];
      long keySeed = random.nextLong();
      new Random(keySeed).nextBytes(key);
      KeyedHash hash = new KeyedHash(new Random(keySeed));
      ByteBuffer k = ByteBuffer.wrap(key).order(ByteOrder.LITTLE_ENDIAN);
      long a = random.nextLong();
      long b = random.nextLong();
      long c = random.nextLong();
      ByteBuffer message = ByteBuffer.allocate(24).order(ByteOrder.LITTLE_ENDIAN);
      message.putLong(a).putLong(b).putLong(c);
      assertThat(hash.hash(a, b, c))
          .as("seed %d round %d", seed, round)
          .isEqualTo(siphash(k.getLong(0), k.getLong(8), message.array()));
      assertThat(hash.hash(a, b, c)).as("the same again").isEqualTo(hash.hash(a, b, c));
    }
  }

  @Test
  void shouldDependOnTheKey() {
    assertThat(new KeyedHash(new Random(1)).hash(1, 2, 3))
        .isNotEqualTo(new KeyedHash(new Random(2)).hash(1, 2, 3));
  }

  /** SipHash-2-4 written down from its paper, for whole messages. */
  private static long siphash(long k0, long k1, byte[] message) {
    long[] v = {
      k0 ^ 0x736f6d6570736575L,
      k1 ^ 0x646f72616e646f6dL,
      k0 ^ 0x6c7967656e657261L,
      k1 ^ 0x7465646279746573L
    };
    byte[] padded = java.util.Arrays.copyOf(message, message.length / 8 * 8 + 8);
    padded[padded.length - 1] = (byte) message.length;
    ByteBuffer words = ByteBuffer.wrap(padded).order(ByteOrder.LITTLE_ENDIAN);
    while (words.hasRemaining()) {
      long m = words.getLong();
      v[3] ^= m;
      rounds(v, 2);
      v[0] ^= m;
    }
    v[2] ^= 0xff;
    rounds(v, 4);
    return v[0] ^ v[1] ^ v[2] ^ v[3];
  }

  private static void rounds(long[] v, int n) {
    for (int i = 0; i < n; i++) {
      v[0] += v[1];
      v[2] += v[3];
      v[1] = Long.rotateLeft(v[1], 13) ^ v[0];
      v[3] = Long.rotateLeft(v[3], 16) ^ v[2];
      v[0] = Long.rotateLeft(v[0], 32);
      v[2] += v[1];
      v[0] += v[3];
      v[1] = Long.rotateLeft(v[1], 17) ^ v[2];
      v[3] = Long.rotateLeft(v[3], 21) ^ v[0];
      v[2] = Long.rotateLeft(v[2], 32);
    }
  }
}

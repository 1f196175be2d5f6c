package org.ilnp4j.util;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SeqTest {
  /** Starting points around both wraps of the int and of the unsigned number. */
  @ParameterizedTest
  @ValueSource(ints = {0, 1, -1, -10, Integer.MAX_VALUE, Integer.MIN_VALUE, Integer.MAX_VALUE - 5})
  void shouldOrderAcrossWrapAround(int a) {
    for (int ahead : new int[] {1, 10, 65535, 1 << 30, Integer.MAX_VALUE}) {
      int b = a + ahead;
      assertThat(Seq.lt(a, b)).isTrue();
      assertThat(Seq.leq(a, b)).isTrue();
      assertThat(Seq.gt(b, a)).isTrue();
      assertThat(Seq.geq(b, a)).isTrue();
      assertThat(Seq.lt(b, a)).isFalse();
      assertThat(Seq.leq(b, a)).isFalse();
      assertThat(Seq.gt(a, b)).isFalse();
      assertThat(Seq.geq(a, b)).isFalse();
      assertThat(Seq.diff(b, a)).isEqualTo(ahead);
      assertThat(Seq.diff(a, b)).isEqualTo(-ahead);
      assertThat(Seq.max(a, b)).isEqualTo(b);
      assertThat(Seq.max(b, a)).isEqualTo(b);
      assertThat(Seq.min(a, b)).isEqualTo(a);
      assertThat(Seq.min(b, a)).isEqualTo(a);
    }
    assertThat(Seq.lt(a, a)).isFalse();
    assertThat(Seq.gt(a, a)).isFalse();
    assertThat(Seq.leq(a, a)).isTrue();
    assertThat(Seq.geq(a, a)).isTrue();
  }

  @Test
  void shouldTellWhatLiesWithinAWindow() {
    int low = -3; // 0xfffffffd: the window wraps
    int high = 4;
    for (int x : new int[] {-3, -1, 0, 3}) {
      assertThat(Seq.within(x, low, high)).as("%d", x).isTrue();
    }
    for (int x : new int[] {-4, 4, 5, Integer.MIN_VALUE, Integer.MAX_VALUE}) {
      assertThat(Seq.within(x, low, high)).as("%d", x).isFalse();
    }
    assertThat(Seq.within(7, 7, 7)).as("empty window").isFalse();
  }

  @Test
  void shouldNotDependOnWhereTheNumberLineBegins() {
    long seed = 9293;
    SplittableRandom random = new SplittableRandom(seed);
    for (int round = 0; round < 10_000; round++) {
      int low = random.nextInt();
      int size = random.nextInt(Integer.MAX_VALUE);
      int offset = random.nextInt(Integer.MAX_VALUE);
      assertThat(Seq.within(low + offset, low, low + size))
          .as("seed %d round %d", seed, round)
          .isEqualTo(offset < size);
    }
  }
}

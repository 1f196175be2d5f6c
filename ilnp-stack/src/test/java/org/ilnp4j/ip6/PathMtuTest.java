package org.ilnp4j.ip6;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.ilnp4j.ilnp.LocatorPair;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PathMtuTest {
  private static final LocatorPair A = new LocatorPair(1, 2);
  private static final LocatorPair B = new LocatorPair(3, 2);

  private final PathMtu mtu = new PathMtu(1500);

  @Test
  void shouldStartFromTheLinkMtu() {
    assertThat(mtu.get(0, A)).isEqualTo(1500);
    assertThatThrownBy(() -> new PathMtu(1279)).hasMessageContaining("1279");
  }

  @Test
  void shouldKeepOneValueForEachPairOfLocators() {
    assertThat(mtu.lower(0, A, 1400)).isTrue();
    assertThat(mtu.get(1, A)).isEqualTo(1400);
    assertThat(mtu.get(1, B)).isEqualTo(1500);
    assertThat(mtu.get(1, new LocatorPair(2, 1))).isEqualTo(1500);
  }

  @Test
  void shouldNeverGoUpByPacketTooBig() {
    mtu.lower(0, A, 1400);
    assertThat(mtu.lower(1, A, 1400)).isFalse();
    assertThat(mtu.lower(1, A, 1450)).isFalse();
    assertThat(mtu.lower(1, B, 9000)).isFalse();
    assertThat(mtu.get(1, A)).isEqualTo(1400);
    assertThat(mtu.get(1, B)).isEqualTo(1500);
    assertThat(mtu.lower(1, A, 1280)).isTrue();
    assertThat(mtu.get(1, A)).isEqualTo(1280);
  }

  /** RFC 8201 §4: a Packet Too Big with less than 1280 must be discarded. */
  @ParameterizedTest
  @ValueSource(ints = {1279, 576, 0, -1, Integer.MIN_VALUE})
  void shouldDiscardSizesBelowTheMinimum(int reported) {
    assertThat(mtu.lower(0, A, reported)).isFalse();
    assertThat(mtu.get(0, A)).isEqualTo(1500);
  }

  @Test
  void shouldForgetWhatNobodyHasUsedForTenMinutes() {
    mtu.lower(5, A, 1300);
    assertThat(mtu.get(5 + PathMtu.LIFETIME_NANOS - 1, A)).isEqualTo(1300);
    assertThat(mtu.get(2 * PathMtu.LIFETIME_NANOS, A)).as("in use").isEqualTo(1300);
    assertThat(mtu.get(3 * PathMtu.LIFETIME_NANOS, A)).isEqualTo(1500);
    assertThat(mtu.entries()).isZero();
    assertThat(mtu.lower(3 * PathMtu.LIFETIME_NANOS, A, 1400)).isTrue();
  }

  @Test
  void shouldKnowOfBlackHoles() {
    mtu.blackHole(0, A, 1500);
    assertThat(mtu.get(1, A)).isEqualTo(1280);
    assertThat(mtu.get(1, B)).isEqualTo(1500);
    mtu.search(1, A).onProbeSent(1, 1400);
    mtu.search(1, A).onProbeArrived(2, 1400);
    assertThat(mtu.get(3, A)).isEqualTo(1400);
    assertThat(mtu.lower(4, A, 1350)).isTrue();
    assertThat(mtu.lower(5, A, 1380)).as("late").isFalse();
    assertThat(mtu.get(6, A)).isEqualTo(1350);
    mtu.blackHole(7, A, 1350);
    assertThat(mtu.get(8, A)).isEqualTo(1280);
  }

  @Test
  void shouldNotGrowWithoutBound() {
    for (int i = 0; i < 3 * PathMtu.MAX_ENTRIES; i++) {
      assertThat(mtu.lower(i, new LocatorPair(i, 0), 1300)).isTrue();
      assertThat(mtu.entries()).isLessThanOrEqualTo(PathMtu.MAX_ENTRIES);
    }
    int last = 3 * PathMtu.MAX_ENTRIES - 1;
    assertThat(mtu.get(last, new LocatorPair(last, 0))).isEqualTo(1300);
  }
}

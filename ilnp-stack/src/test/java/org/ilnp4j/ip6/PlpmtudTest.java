package org.ilnp4j.ip6;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The search for a packet size (RFC 8899). */
class PlpmtudTest {
  private static final int NO_LIMIT = 65_535;

  private final List<Integer> probes = new ArrayList<>();

  /** Searches a path that carries {@code mtu} octets until there is nothing left to try. */
  private int search(Plpmtud search, int mtu, long nowNanos) {
    probes.clear();
    for (int size; (size = search.nextProbe(nowNanos, NO_LIMIT)) != 0; ) {
      assertThat(size).isGreaterThan(search.bytes());
      assertThat(probes).hasSizeLessThan(60);
      probes.add(size);
      search.onProbeSent(nowNanos, size);
      if (size <= mtu) {
        search.onProbeArrived(nowNanos, size);
      } else {
        search.onProbeLost(nowNanos, size);
      }
    }
    return search.bytes();
  }

  @ParameterizedTest
  @CsvSource({
    // path, link, found
    "1280,1500,1280",
    "1400,1500,1400",
    "1420,1500,1420",
    "1492,1500,1492",
    "1500,9000,1500",
    "1280,9000,1280",
    "8000,9000,8000",
    "1500,65535,1500",
    "1470,1480,1460"
  })
  void shouldFindUsualSizesExactly(int path, int link, int found) {
    assertThat(search(Plpmtud.blackHole(0, link, link), path, 0)).isEqualTo(found);
  }

  @ParameterizedTest
  @ValueSource(ints = {1281, 1333, 1390, 1475, 1499, 2000, 4400, 8999})
  void shouldComeWithinAFewPercentOfAnySize(int path) {
    int found = search(Plpmtud.blackHole(0, 9000, 9000), path, 0);
    assertThat(found).isBetween(path - path / 25, path);
    assertThat(probes).hasSizeLessThan(30);
  }

  /** The size that vanished has been tried once more, and is gone indeed. */
  private static Plpmtud blackHole(int size) {
    Plpmtud search = Plpmtud.blackHole(0, size, size);
    assertThat(search.bytes()).isEqualTo(1280);
    assertThat(search.nextProbe(0, NO_LIMIT)).isEqualTo(size);
    search.onProbeSent(0, size);
    search.onProbeLost(0, size);
    return search;
  }

  @Test
  void shouldReturnAtOnceWhenItWasAnOutageAndNoBlackHole() {
    Plpmtud search = Plpmtud.blackHole(0, 9000, 1500);
    assertThat(search.nextProbe(0, NO_LIMIT)).isEqualTo(1500);
    search.onProbeSent(0, 1500);
    search.onProbeArrived(0, 1500);
    assertThat(search.bytes()).isEqualTo(1500);
    assertThat(search.nextProbe(0, 1500)).isZero();
    assertThat(search.nextProbe(0, NO_LIMIT)).as("no larger one was lost").isEqualTo(4352);
  }

  @Test
  void shouldTryASizeThreeTimesBeforeGivingItUp() {
    Plpmtud search = blackHole(1500);
    for (int i = 0; i < Plpmtud.MAX_PROBES; i++) {
      assertThat(search.nextProbe(0, NO_LIMIT)).isEqualTo(1400);
      search.onProbeSent(0, 1400);
      search.onProbeLost(0, 1400);
    }
    assertThat(search.nextProbe(0, NO_LIMIT)).isBetween(1281, 1399);
  }

  @Test
  void shouldSendOneProbeAtATimeAndForgetOneThatNobodySpeaksOf() {
    Plpmtud search = blackHole(1500);
    search.onProbeSent(7, 1400);
    assertThat(search.nextProbe(7, NO_LIMIT)).isZero();
    assertThat(search.nextProbe(6 + Plpmtud.FORGET_NANOS, NO_LIMIT)).isZero();
    assertThat(search.nextProbe(7 + Plpmtud.FORGET_NANOS, NO_LIMIT)).isEqualTo(1400);
    search.onProbeArrived(Plpmtud.FORGET_NANOS, 1400);
    assertThat(search.bytes()).as("nobody had asked for it any more").isEqualTo(1280);
    search.onProbeSent(0, 1400);
    search.onProbeUndecided(1400);
    assertThat(search.nextProbe(0, NO_LIMIT)).isEqualTo(1400);
  }

  /** RFC 8899 §4.6.2: a Packet Too Big about a probe shortens the search. */
  @Test
  void shouldTakeARoutersWordAboutAProbe() {
    Plpmtud search = blackHole(9000);
    search.onProbeSent(0, 4352);
    assertThat(search.onTooBig(0, 1500)).as("no news for what is sent now").isFalse();
    search.onProbeLost(0, 4352);
    assertThat(search(search, 1500, 0)).isEqualTo(1500);
    assertThat(probes).allMatch(size -> size <= 1500);
    assertThat(search.onTooBig(0, 1400)).isTrue();
    assertThat(search.bytes()).isEqualTo(1400);
    assertThat(search.nextProbe(0, NO_LIMIT)).as("a router says so").isZero();
  }

  @Test
  void shouldNotProbeBeyondWhatTheConnectionCanSend() {
    Plpmtud search = blackHole(9000);
    assertThat(search.nextProbe(0, 1500)).isEqualTo(1400);
    search.onProbeSent(0, 1400);
    search.onProbeArrived(0, 1400);
    assertThat(search.nextProbe(0, 1450)).isEqualTo(1420);
    assertThat(search.nextProbe(0, 1400)).isZero();
    assertThat(search.nextProbe(0, 1280)).isZero();
  }

  /** RFC 8201 §4: not sooner than ten minutes. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void shouldSearchAgainAfterTenMinutes(boolean blackHole) {
    Plpmtud search = blackHole ? Plpmtud.blackHole(0, 1500, 1500) : Plpmtud.limited(0, 1500, 1400);
    assertThat(search(search, 1400, 0)).isEqualTo(1400);
    assertThat(search.nextProbe(Plpmtud.RAISE_NANOS - 1, NO_LIMIT)).isZero();
    assertThat(search(search, 1500, Plpmtud.RAISE_NANOS)).isEqualTo(1500);
    assertThat(search.nextProbe(3 * Plpmtud.RAISE_NANOS, NO_LIMIT)).as("all of it").isZero();
  }
}

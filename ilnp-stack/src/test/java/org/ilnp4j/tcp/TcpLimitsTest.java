package org.ilnp4j.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.BitSet;
import java.util.List;
import java.util.Random;
import org.ilnp4j.ilnp.Correspondent;
import org.ilnp4j.ilnp.Ilcc;
import org.ilnp4j.time.NanoClock;
import org.ilnp4j.util.Counters;
import org.junit.jupiter.api.Test;

/** Sequence numbers, ports and challenge ACKs: what an outsider must not learn or exhaust. */
class TcpLimitsTest {
  private static Correspondent peer(long nid) {
    return new Ilcc(1, 4, 10, new Random(1), new Counters()).openFresh(0, nid, List.of(5L), 1);
  }

  @Test
  void shouldMoveSequenceNumbersForwardForOneConnection() {
    IsnGenerator isn = new IsnGenerator(new Random(4));
    Correspondent c = peer(2);
    int first = isn.next(0, c, 1000, 80);
    int later = isn.next(NanoClock.seconds(1), c, 1000, 80);
    assertThat(later - first).isEqualTo(250_000);
  }

  @Test
  void shouldMakeSequenceNumbersOfDifferentConnectionsUnrelated() {
    IsnGenerator isn = new IsnGenerator(new Random(4));
    Correspondent c = peer(2);
    int base = isn.next(0, c, 1000, 80);
    assertThat(isn.next(0, c, 1001, 80)).isNotEqualTo(base);
    assertThat(isn.next(0, peer(3), 1000, 80)).isNotEqualTo(base);
    assertThat(isn.timestampOffset(c.localNid, c.remoteNid, 1000, 80)).isNotEqualTo(base);
    assertThat(new IsnGenerator(new Random(5)).next(0, c, 1000, 80))
        .as("another host's secret")
        .isNotEqualTo(base);
  }

  @Test
  void shouldChooseEveryFreePortAndNoOther() {
    Ports ports = new Ports(new Random(1));
    BitSet used = new BitSet();
    int free = Ports.LAST - Ports.FIRST + 1;
    int first = ports.choose(p -> true);
    assertThat(first).isBetween(Ports.FIRST, Ports.LAST);
    for (int i = 0; i < 5; i++) {
      assertThat(ports.choose(p -> true)).as("random start").isNotEqualTo(first);
    }
    used.set(Ports.FIRST, Ports.LAST + 1);
    used.clear(40_000);
    assertThat(ports.choose(p -> !used.get(p))).isEqualTo(40_000);
    assertThat(ports.choose(p -> false)).isEqualTo(-1);
    assertThat(free).isEqualTo(32768);
  }

  @Test
  void shouldLimitChallengesPerConnection() {
    ChallengeAckLimiter limiter = new ChallengeAckLimiter(new Random(1));
    assertThat(limiter.allow(0, -1)).isTrue();
    assertThat(limiter.allow(NanoClock.millis(100), 0)).isFalse();
    assertThat(limiter.allow(ChallengeAckLimiter.CONNECTION_NANOS, 0)).isTrue();
  }

  @Test
  void shouldLimitChallengesOfTheHostByANumberThatCannotBeCounted() {
    ChallengeAckLimiter limiter = new ChallengeAckLimiter(new Random(1));
    int[] allowed = new int[10];
    for (int second = 0; second < allowed.length; second++) {
      for (int i = 0; i < 5000; i++) {
        if (limiter.allow(NanoClock.seconds(second), -1)) {
          allowed[second]++;
        }
      }
      assertThat(allowed[second]).isBetween(500, 1000);
    }
    assertThat(allowed).doesNotHaveDuplicates();
  }
}

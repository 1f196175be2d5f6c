package org.ilnp4j.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import org.ilnp4j.time.NanoClock;
import org.ilnp4j.util.Counter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Data leaves in super-segments that a device cuts; each piece has a fate of its own. */
class TcpSuperSegmentTest {
  private static final int BYTES = 20_000_000;

  private static Pair pair(boolean ilnp, int queueBytes) {
    Pair pair = new Pair(11, ilnp, TcpConfig.DEFAULT, 1500, 10).withSuperSegments();
    pair.net.access(Pair.L1).rate = 125_000_000;
    pair.net.access(Pair.L1).queueBytes = queueBytes;
    return pair;
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void shouldSendFewPacketsAndManySegments(boolean ilnp) {
    Pair pair = pair(ilnp, 4 << 20);
    pair.open(BYTES, 0);
    pair.net.await(NanoClock.seconds(30), pair::isDone);
    pair.assertIntact();
    long out = pair.mn.counters.get(Counter.PACKETS_OUT);
    assertThat(out).as("packets of 45 segments at most").isBetween(300L, BYTES / 1400L / 3);
    assertThat(pair.cn.counters.get(Counter.TCP_SEGMENTS_IN)).isGreaterThan(BYTES / 1460L);
    pair.net.assertNoLeaks();
  }

  @ParameterizedTest
  @CsvSource({"true, 0.001", "false, 0.001", "true, 0.02", "false, 0.02", "true, 0.2"})
  void shouldRepairSingleSegments(boolean ilnp, double loss) {
    Pair pair = pair(ilnp, 4 << 20);
    pair.net.access(Pair.L1).loss = loss;
    int bytes = loss > 0.1 ? 300_000 : 5_000_000;
    pair.open(bytes, 0);
    pair.net.await(NanoClock.seconds(900), pair::isDone);
    pair.assertIntact();
    long again = pair.mn.counters.get(Counter.TCP_RETRANSMITTED);
    double segments = bytes / 1400.0;
    assertThat(again)
        .as("hardly more than what was lost")
        .isBetween((long) (segments * loss / 3), (long) (segments * loss * 2) + 12);
    pair.net.access(Pair.L1).loss = 0;
    pair.net.assertNoLeaks();
  }

  @Test
  void shouldBearOverflowingQueues() {
    Pair pair = pair(true, 60_000);
    pair.open(5_000_000, 0);
    pair.net.await(NanoClock.seconds(60), pair::isDone);
    pair.assertIntact();
    pair.net.assertNoLeaks();
  }

  /** A router believes the sequence number to be the header length: 100 octets stay free. */
  @Test
  void shouldLeaveRoomForRoutersThatMisreadShortNonces() {
    Pair pair = pair(true, 4 << 20); // nodes of these tests send nonces of 4 octets
    pair.openAndAwait(1_000_000, 0);
    int[] largest = new int[1];
    pair.net.filter =
        packet -> {
          largest[0] = Math.max(largest[0], packet.readableBytes());
          return true;
        };
    pair.net.await(NanoClock.seconds(30), pair::isDone);
    assertThat(largest[0]).isEqualTo(40 + 8 + 32 + 1400);
    pair.net.assertNoLeaks();
  }
}

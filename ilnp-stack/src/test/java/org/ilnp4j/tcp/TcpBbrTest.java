package org.ilnp4j.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import org.ilnp4j.time.NanoClock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * BBR over a bottleneck: what the draft's own examples promise (draft-ietf-ccwg-bbr, appendix A).
 */
class TcpBbrTest {
  private static final long RTT_MS = 40;

  private Pair pair;
  private TestNet.Access bottleneck;

  private void open(int mbit, double queueBdp, double loss) {
    TcpConfig config = TcpConfig.DEFAULT.withCongestionControl("bbr").withBuffers(8 << 20, 8 << 20);
    pair = new Pair(1, true, config, 1500, RTT_MS / 2);
    bottleneck = pair.net.access(Pair.L1);
    rate(mbit);
    bottleneck.queueBytes = (int) Math.max(20_000, queueBdp * bottleneck.rate * RTT_MS / 1000);
    bottleneck.loss = loss;
    pair.open(0, 1L << 40);
  }

  private void rate(int mbit) {
    bottleneck.rate = mbit * 1_000_000L / 8;
  }

  /** Share of the rate that arrives in so many seconds. */
  private double share(int seconds) {
    long before = pair.client.received;
    pair.net.runFor(NanoClock.seconds(seconds));
    return (pair.client.received - before) / (double) (seconds * bottleneck.rate);
  }

  private long srttMillis() {
    return pair.server.connection.info(pair.net.now).srttNanos() / 1_000_000;
  }

  @AfterEach
  void end() {
    pair.client.connection.abort(pair.net.now);
    pair.server.connection.abort(pair.net.now);
    pair.listener.close();
    pair.net.assertNoLeaks();
  }

  @ParameterizedTest(name = "{0} Mbit/s, queue {1} BDP, loss {2}: at least {3}")
  @CsvSource({
    "50, 2.0, 0,     0.88",
    "50, 0.2, 0,     0.75",
    "50, 1.0, 0.001, 0.85",
    "50, 1.0, 0.01,  0.75",
    "1,  4.0, 0,     0.80",
  })
  void shouldFillThePipeThoughDataIsLostAtRandom(
      int mbit, double queueBdp, double loss, double least) {
    open(mbit, queueBdp, loss);
    pair.net.runFor(NanoClock.seconds(2));
    assertThat(share(10)).isGreaterThan(least);
  }

  @Test
  void shouldKeepTheQueueShort() {
    open(50, 20, 0);
    pair.net.runFor(NanoClock.seconds(3));
    long sum = 0;
    for (int i = 0; i < 100; i++) {
      pair.net.runFor(NanoClock.millis(100));
      sum += srttMillis();
    }
    assertThat(sum / 100).as("mean RTT, 40 ms without a queue").isLessThan(60);
    assertThat(bottleneck.queueDrops).isZero();
  }

  @Test
  void shouldFindTenTimesTheBandwidth() {
    open(5, 2, 0);
    pair.net.runFor(NanoClock.seconds(5));
    rate(50);
    bottleneck.queueBytes *= 10;
    pair.net.runFor(NanoClock.seconds(10));
    assertThat(share(5)).isGreaterThan(0.8);
  }

  @Test
  void shouldFollowTheBandwidthDownTenfold() {
    open(50, 2, 0);
    pair.net.runFor(NanoClock.seconds(5));
    rate(5);
    pair.net.runFor(NanoClock.seconds(10));
    assertThat(share(5)).isGreaterThan(0.8);
  }

  @Test
  void shouldDrainThePathNowAndThenToMeasureItsRtt() {
    open(20, 5, 0);
    pair.net.runFor(NanoClock.seconds(2));
    long least = Long.MAX_VALUE;
    for (int i = 0; i < 1000; i++) {
      pair.net.runFor(NanoClock.millis(8));
      least = Math.min(least, pair.server.connection.info(pair.net.now).cwndBytes());
    }
    long bdp = bottleneck.rate * RTT_MS / 1000;
    assertThat(least).isBetween((long) (0.3 * bdp), (long) (0.8 * bdp));
    assertThat(share(2)).as("and recover").isGreaterThan(0.85);
  }
}

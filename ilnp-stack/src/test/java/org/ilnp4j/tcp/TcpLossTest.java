package org.ilnp4j.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import org.ilnp4j.time.NanoClock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The stream arrives intact whatever the network does to single packets. */
class TcpLossTest {
  @ParameterizedTest(
      name = "ilnp {0}, loss {1}, jitter {2} ms, duplication {3}, buffers {4}, seed {5}")
  @CsvSource({
    "true,  0.00, 0, 0,    4096,    1",
    "true,  0.00, 0, 0,    4194304, 2",
    "true,  0.001, 0, 0,   262144,  3",
    "true,  0.01, 0, 0,    4096,    4",
    "true,  0.01, 0, 0,    262144,  5",
    "true,  0.03, 0, 0,    65536,   6",
    "true,  0.10, 0, 0,    4096,    7",
    "true,  0.10, 0, 0,    262144,  8",
    "true,  0.00, 3, 0,    262144,  9",
    "true,  0.01, 3, 0.05, 262144,  10",
    "true,  0.05, 9, 0.10, 65536,   11",
    "false, 0.01, 0, 0,    262144,  12",
    "false, 0.10, 0, 0,    65536,   13",
    "false, 0.03, 3, 0.05, 4194304, 14",
    "false, 0.05, 9, 0.10, 4096,    15",
  })
  void shouldDeliverIntact(
      boolean ilnp, double loss, long jitterMs, double duplication, int buffers, long seed) {
    Pair pair = new Pair(seed, ilnp, TcpConfig.DEFAULT.withBuffers(buffers, buffers));
    TestNet.Access access = pair.net.access(Pair.L1);
    access.loss = loss;
    access.jitterNanos = NanoClock.millis(jitterMs);
    access.duplication = duplication;
    pair.open(600_000, 400_000);
    pair.net.await(NanoClock.seconds(600), pair::isDone);
    pair.assertIntact();
    access.loss = 0;
    pair.net.assertNoLeaks();
  }

  @Test
  void shouldSurviveCorruption() {
    Pair pair = new Pair(21, true, TcpConfig.DEFAULT);
    pair.net.access(Pair.L1).corruption = 0.02;
    pair.net.access(Pair.LC).corruption = 0.02;
    pair.open(300_000, 300_000);
    pair.net.await(NanoClock.seconds(600), pair::isDone);
    pair.assertIntact();
    assertThat(pair.cn.counters.totalDrops()).isPositive();
    pair.net.access(Pair.L1).corruption = 0;
    pair.net.access(Pair.LC).corruption = 0;
    pair.net.assertNoLeaks();
  }
}

package org.ilnp4j.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.ilnp4j.time.NanoClock;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Bulk transfers over a bottleneck with a drop-tail queue. Headers leave 0.947 of the rate; with
 * random loss the bounds are those of the square-root model (RFC 5348 §3.1).
 */
class TcpThroughputTest {
  @ParameterizedTest(name = "{0}, {1} Mbit/s, RTT {2} ms, queue {3} BDP, loss {4}: at least {5}")
  @CsvSource({
    "cubic,   100, 20,  1.0, 0,      0.90",
    "cubic,   100, 20,  0.3, 0,      0.80",
    "reno, 100, 20,  1.0, 0,      0.85",
    "cubic,   100, 2,   2.0, 0,      0.90",
    "cubic,   20,  100, 1.0, 0,      0.80",
    "cubic,   100, 20,  1.0, 0.0001, 0.45",
    "cubic,   100, 20,  1.0, 0.01,   0.06",
    "reno, 10,  5,   1.0, 0.01,   0.60",
  })
  void shouldFillThePipe(
      String algorithm, int mbit, long rttMs, double queueBdp, double loss, double least) {
    TcpConfig config =
        TcpConfig.DEFAULT.withCongestionControl(algorithm).withBuffers(4 << 20, 4 << 20);
    Pair pair = new Pair(1, true, config, 1500, rttMs / 2);
    TestNet.Access bottleneck = pair.net.access(Pair.L1);
    bottleneck.rate = mbit * 1_000_000L / 8;
    bottleneck.queueBytes = (int) Math.max(20_000, queueBdp * bottleneck.rate * rttMs / 1000);
    bottleneck.loss = loss;
    long seconds = 8;
    pair.open(0, 1L << 40);
    pair.net.runFor(NanoClock.seconds(seconds));
    double share = pair.client.received / (double) (seconds * bottleneck.rate);
    assertThat(share).isGreaterThan(least);
    pair.client.connection.abort(pair.net.now);
    pair.server.connection.abort(pair.net.now);
    pair.listener.close();
    pair.net.assertNoLeaks();
  }

  @ParameterizedTest(name = "{0}, {1} flows")
  @CsvSource({"cubic, 8", "reno, 8"})
  void shouldShareFairly(String algorithm, int flows) {
    TcpConfig config = TcpConfig.DEFAULT.withCongestionControl(algorithm);
    Pair pair = new Pair(2, true, config, 1500, 10);
    TestNet.Access bottleneck = pair.net.access(Pair.L1);
    bottleneck.rate = 100_000_000L / 8;
    bottleneck.queueBytes = 250_000;
    List<Stream> clients = new ArrayList<>();
    List<Stream> servers = new ArrayList<>();
    pair.listener =
        pair.cn.engine.listen(
            Pair.PORT,
            (now, p) -> {
              Stream s = new Stream(pair.cn, 1L << 40, 2, 1);
              servers.add(s);
              s.on(p.accept(now, s));
            });
    for (int i = 0; i < flows; i++) {
      Stream s = new Stream(pair.mn, 0, 1, 2);
      s.keepOpen = true;
      clients.add(s);
      s.on(pair.mn.engine.connect(pair.net.now, pair.toCn(), Pair.PORT, s));
      pair.net.runFor(NanoClock.millis(53));
    }
    pair.net.runFor(NanoClock.seconds(10)); // who came first gives way loss by loss
    long[] before = clients.stream().mapToLong(s -> s.received).toArray();
    pair.net.runFor(NanoClock.seconds(10));
    double sum = 0;
    double squares = 0;
    for (int i = 0; i < flows; i++) {
      double rate = clients.get(i).received - before[i];
      sum += rate;
      squares += rate * rate;
    }
    double jain = sum * sum / (flows * squares);
    assertThat(jain).isGreaterThan(0.9);
    assertThat(sum / (10 * bottleneck.rate)).isGreaterThan(0.85);
    for (int i = 0; i < flows; i++) {
      clients.get(i).connection.abort(pair.net.now);
      servers.get(i).connection.abort(pair.net.now);
    }
    pair.listener.close();
    pair.net.assertNoLeaks();
  }
}

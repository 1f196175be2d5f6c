package org.ilnp4j.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import org.ilnp4j.time.NanoClock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The window follows what the reader reads, and never holds a sender back that it keeps up with.
 */
class ReceiveAutotuneTest {
  private static final int MSS = 1000;

  private static ReceiveAutotune tuned(int capacity, long rttMs) {
    ReceiveAutotune a = new ReceiveAutotune(capacity);
    a.onPathRtt(NanoClock.millis(rttMs));
    return a;
  }

  @Test
  void shouldOfferTwiceWhatWasReadInARoundTripAndWhatIsBeingRead() {
    ReceiveAutotune a = tuned(6 << 20, 100);
    for (int i = 0; i < 10; i++) {
      a.onRead(NanoClock.millis(10 * i), 30_000, MSS);
    }
    assertThat(a.targetBytes()).isEqualTo(2 * 300_000 + 16 * MSS);
    a.onRead(NanoClock.millis(100), 30_000, MSS);
    assertThat(a.targetBytes()).isEqualTo(2 * 330_000 + 16 * MSS);
  }

  @Test
  void shouldSettleAtASteadyRate() {
    ReceiveAutotune a = tuned(64 << 20, 100);
    for (int i = 0; i < 1000; i++) {
      a.onRead(NanoClock.millis(10 * i), 30_000, MSS);
    }
    assertThat(a.targetBytes()).isEqualTo(2 * 600_000 + 16 * MSS);
  }

  @Test
  void shouldNeverOfferLessThanBeforeNorMoreThanTheBuffer() {
    ReceiveAutotune a = tuned(100_000, 10);
    a.onRead(0, 1_000_000, MSS);
    assertThat(a.targetBytes()).isEqualTo(100_000);
    for (int i = 1; i < 100; i++) {
      a.onRead(NanoClock.millis(20 * i), 1, MSS);
      assertThat(a.targetBytes()).isEqualTo(100_000);
    }
    assertThat(new ReceiveAutotune(4096).targetBytes()).isEqualTo(4096);
  }

  @Test
  void shouldFollowTheRoundTripOfTheData() {
    ReceiveAutotune a = tuned(6 << 20, 20);
    for (int i = 1; i < 50; i++) {
      a.onEcho(i, 200);
    }
    assertThat(a.rttNanos()).isBetween(NanoClock.millis(195), NanoClock.millis(200));
    a.onEcho(49, 9000); // the same echo: the other side had nothing to send
    a.onEcho(50, -5); // no timestamp of ours
    assertThat(a.rttNanos()).isLessThanOrEqualTo(NanoClock.millis(200));
    a.onPathChange();
    assertThat(a.rttNanos()).isEqualTo(-1);
    a.onPathRtt(70);
    a.onEcho(51, 0); // shorter than a tick says nothing of how much
    assertThat(a.rttNanos()).isEqualTo(70);
  }

  @ParameterizedTest(name = "ILNP {0}, {1} Mbit/s, RTT {2} ms, timestamps {3}")
  @CsvSource({
    "true, 100, 300, true",
    "false, 100, 300, true",
    "true, 100, 300, false",
    "true, 1000, 20, true",
    "true, 20, 100, true"
  })
  void shouldNeverHoldBackASenderInSlowStart(
      boolean ilnp, int mbit, int rttMs, boolean timestamps) {
    TcpConfig config = TcpConfig.DEFAULT.withTimestamps(timestamps);
    Pair pair = new Pair(1, ilnp, config, 1500, rttMs / 2);
    TestNet.Access bottleneck = pair.net.access(Pair.L1);
    bottleneck.rate = mbit * 1_000_000L / 8;
    bottleneck.queueBytes = 64 << 20;
    pair.openAndAwait(0, 1L << 40);
    long bdp = bottleneck.rate * rttMs / 1000;
    while (pair.client.received < 3 * bdp) {
      pair.net.runFor(NanoClock.millis(rttMs) / 50);
      TcpInfo sender = pair.server.connection.info(pair.net.now);
      assertThat(sender.sendWindowBytes())
          .as("window offered at %d ms", pair.net.now / 1_000_000)
          .isGreaterThanOrEqualTo(Math.min(sender.cwndBytes(), bdp));
    }
    end(pair);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void shouldOfferASlowReaderLittle(boolean ilnp) {
    Pair pair = new Pair(2, ilnp, TcpConfig.DEFAULT, 1500, 10);
    pair.net.access(Pair.L1).rate = 100_000_000 / 8;
    pair.openAndAwait(0, 1L << 40);
    pair.client.paused = true;
    for (int i = 0; i < 500; i++) { // 20 000 octets each 10 ms
      pair.net.runFor(NanoClock.millis(10));
      ByteBuf b = pair.client.connection.read(pair.net.now, 20_000);
      if (b != null) {
        b.release();
      }
    }
    // What waits in the socket is a few round trips' worth, not the 6 MiB of the buffer.
    assertThat(pair.client.connection.readableBytes()).isLessThan(6 * 40_000 + 64_000);
    end(pair);
  }

  private static void end(Pair pair) {
    pair.client.connection.abort(pair.net.now);
    pair.server.connection.abort(pair.net.now);
    pair.listener.close();
    pair.net.assertNoLeaks();
  }
}

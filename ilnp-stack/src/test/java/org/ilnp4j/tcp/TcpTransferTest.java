package org.ilnp4j.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import org.ilnp4j.time.NanoClock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TcpTransferTest {
  @Test
  void shouldCarryDataBothWaysAndCloseInIlnpMode() {
    Pair pair = new Pair(1, true, TcpConfig.DEFAULT);
    pair.open(1_000_000, 300_000);
    pair.net.await(NanoClock.seconds(30), pair::isDone);
    pair.assertIntact();
    assertThat(pair.client.connection.info(pair.net.now).retransmittedSegments()).isZero();
    pair.net.assertNoLeaks();
  }

  @Test
  void shouldCarryDataBothWaysAndCloseInClassicMode() {
    Pair pair = new Pair(2, false, TcpConfig.DEFAULT);
    pair.open(1_000_000, 300_000);
    pair.net.await(NanoClock.seconds(30), pair::isDone);
    pair.assertIntact();
    pair.net.assertNoLeaks();
  }

  @ParameterizedTest(name = "loss {0}, sequence numbers from {1}")
  @CsvSource({"0, 0xffff0000", "0.03, 0xfffe0000", "0.03, 0x7ffe0000", "0.1, 0xffffffff"})
  void shouldCarryDataAcrossTheWrapOfSequenceNumbers(double loss, String from) {
    int isn = Integer.parseUnsignedInt(from.substring(2), 16);
    Pair pair = new Pair(3, true, TcpConfig.DEFAULT.withBuffers(262144, 262144));
    pair.open(600_000, 600_000);
    ((Tcb) pair.client.connection).snd.start(0, isn); // the SYN leaves with the turn
    pair.net.await(NanoClock.seconds(5), () -> pair.server.connection != null);
    pair.net.access(Pair.L1).loss = loss;
    pair.net.access(Pair.L1).jitterNanos = NanoClock.millis(3);
    pair.net.await(NanoClock.seconds(300), pair::isDone);
    pair.assertIntact();
    pair.net.access(Pair.L1).loss = 0;
    pair.net.assertNoLeaks();
  }

  @Test
  void shouldWorkOverPathsFasterThanAnyTimer() {
    Pair pair = new Pair(4, true, TcpConfig.DEFAULT.withBuffers(262144, 262144), 1500, 0);
    pair.net.access(Pair.L1).rate = 125_000_000;
    pair.net.access(Pair.L1).delayNanos = 10_000;
    pair.net.access(Pair.L1).loss = 0.01;
    pair.open(5_000_000, 5_000_000);
    pair.net.await(NanoClock.seconds(60), pair::isDone);
    pair.assertIntact();
    pair.net.access(Pair.L1).loss = 0;
    pair.net.assertNoLeaks();
  }

  @Test
  void shouldCarryHugeSegmentsOverLargeMtus() {
    Pair pair = new Pair(5, false, TcpConfig.DEFAULT.withBuffers(262144, 262144), 65535, 1);
    pair.net.access(Pair.L1).loss = 0.01;
    pair.open(10_000_000, 10_000_000);
    pair.net.await(NanoClock.seconds(60), pair::isDone);
    pair.assertIntact();
    assertThat(pair.client.connection.info(0).mssBytes()).isGreaterThan(65_000);
    pair.net.access(Pair.L1).loss = 0;
    pair.net.assertNoLeaks();
  }

  /** The user fills the buffer when told; a window that doubles must find enough in it. */
  @ParameterizedTest
  @CsvSource({"true, reno", "false, reno", "true, cubic", "false, cubic"})
  void shouldDoubleInEachRoundOfSlowStart(boolean ilnp, String algorithm) {
    TcpConfig config = TcpConfig.DEFAULT.withCongestionControl(algorithm).withPacing(false);
    Pair pair = new Pair(7, ilnp, config, 1500, 50);
    pair.net.access(Pair.L1).rate = 1_250_000_000;
    pair.openAndAwait(100_000_000, 0);
    pair.net.runFor(NanoClock.millis(30));
    TcpConnection connection = pair.client.connection;
    for (int round = 0, window = 10; round < 7; round++, window *= 2) {
      TcpInfo info = connection.info(pair.net.now);
      assertThat(info.bytesSent() - info.bytesAcked())
          .as("in flight in round %d", round)
          .isEqualTo((long) window * info.mssBytes());
      pair.net.runFor(NanoClock.millis(100));
    }
    connection.abort(pair.net.now);
    pair.net.runFor(NanoClock.millis(100));
    pair.listener.close();
    pair.net.assertNoLeaks();
  }

  /** Small packets one by one cost both hosts more, and no device can cut them from one. */
  @ParameterizedTest
  @CsvSource({"true, 100_000_000, 4", "false, 100_000_000, 4", "true, 2_000_000, 1"})
  void shouldLetAMillisecondsWorthLeaveTogether(boolean ilnp, long rate, int least) {
    Pair pair = new Pair(8, ilnp, TcpConfig.DEFAULT, 1500, 10);
    pair.net.access(Pair.L1).rate = rate / 8;
    pair.openAndAwait((int) (rate / 8 * 5), 0);
    pair.net.runFor(NanoClock.seconds(2)); // slow start is over
    long[] last = new long[1];
    int[] packetsAndTimes = new int[2];
    pair.net.filter =
        packet -> {
          if (packet.readableBytes() > 1000) {
            packetsAndTimes[0]++;
            packetsAndTimes[1] += pair.net.now == last[0] ? 0 : 1;
            last[0] = pair.net.now;
          }
          return true;
        };
    pair.net.await(NanoClock.seconds(30), pair::isDone);
    pair.assertIntact();
    assertThat((double) packetsAndTimes[0] / packetsAndTimes[1])
        .as("segments at a time")
        .isBetween((double) least, 3.0 * least);
    pair.net.assertNoLeaks();
  }

  @Test
  void shouldBoundWhatASlowReaderHolds() {
    Pair pair = new Pair(6, true, TcpConfig.DEFAULT.withBuffers(262144, 131072));
    pair.open(4_000_000, 0);
    pair.server.paused = true;
    pair.net.runFor(NanoClock.seconds(10));
    assertThat(pair.server.connection.readableBytes()).isBetween(65_400, 65_600);
    assertThat(pair.cn.usedMemory()).isLessThan(4 * 65_536);
    assertThat(pair.client.connection.sendSpaceBytes()).isLessThan(131_073);
    pair.server.paused = false;
    pair.server.drain(pair.net.now);
    pair.net.await(NanoClock.seconds(60), pair::isDone);
    pair.assertIntact();
    pair.net.assertNoLeaks();
  }
}

package org.ilnp4j.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import org.ilnp4j.time.NanoClock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** When data is acknowledged, and that nobody waits for it in vain (tcp.md B1, B5). */
class AckPolicyTest {
  private static TcpTranscript settled(boolean ilnp) {
    return new TcpTranscript(ilnp).established().beyondQuickAcks();
  }

  // ---- transcripts ----------------------------------------------------------------------------

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void shouldNotDelayWhileTheOtherSideStarts(boolean ilnp) {
    TcpTranscript t = new TcpTranscript(ilnp).established();
    for (int i = 0; i < 16; i++) {
      t.receive("A seq=" + (1 + 100 * i) + " ack=1 len=100").expect("A ack=" + (101 + 100 * i));
    }
    t.receive("A seq=1601 ack=1 len=100").expectNothing();
    t.after(40).expect("A ack=1701");
    t.end();
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void shouldNotDelayAfterAnIdleTime(boolean ilnp) {
    TcpTranscript t = settled(ilnp);
    t.receive("A seq=17 ack=1 len=100").expectNothing();
    t.after(1000).expect("A ack=117");
    t.receive("A seq=117 ack=1 len=100").expect("A ack=217");
    t.receive("A seq=217 ack=1 len=100").expect("A ack=317");
    t.end();
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void shouldAcknowledgeGapsFillingsAndDuplicatesAtOnceAndNotDelayForAWhile(boolean ilnp) {
    TcpTranscript t = settled(ilnp);
    t.receive("A seq=117 ack=1 len=100").expect("A ack=17"); // a gap
    t.receive("A seq=17 ack=1 len=100").expect("A ack=217"); // filled
    t.receive("A seq=17 ack=1 len=100").expect("A ack=217"); // once more
    t.receive("A seq=217 ack=1 len=100").expect("A ack=317");
    t.end();
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void shouldLetAnswersCarryTheAcknowledgementsOfADialogue(boolean ilnp) {
    TcpTranscript t = new TcpTranscript(ilnp).established();
    t.receive("A seq=1 ack=1 len=100").expect("A ack=101 len=0");
    t.receiveNoTurn("A seq=101 ack=1 len=100");
    t.send(50).expect("PA seq=1 ack=201 len=50");
    for (int i = 1; i < 50; i++) {
      t.after(500);
      t.sent.clear();
      t.receive("A seq=" + (101 + 100 * i) + " ack=" + (1 + 50 * i) + " len=100").expectNothing();
      t.send(50).expect("PA len=50 ack=" + (201 + 100 * i));
    }
    t.receive("A seq=5101 ack=2501 len=100").expectNothing();
    t.after(40).expect("A ack=5201 len=0"); // no answer this time: the dialogue is over
    t.end();
  }

  /** The other side's window holds an odd number of segments: it waits for the last one's. */
  @ParameterizedTest(name = "{0} ms apart")
  @CsvSource({"1, 4", "3, 12", "8, 32", "30, 40", "100, 40"})
  void shouldNotWaitLongerForASecondSegmentThanOneTakesToCome(int gapMs, int delayMs) {
    TcpTranscript t = settled(true);
    int seq = 17;
    boolean acknowledged = false;
    for (int i = 0; i < 100 || (!acknowledged && i < 102); i++, seq += 1000) {
      t.after(gapMs);
      t.sent.clear();
      t.receive("A seq=" + seq + " ack=1 len=1000");
      acknowledged = !t.sent.isEmpty();
    }
    t.after(gapMs);
    t.sent.clear();
    t.receive("A seq=" + seq + " ack=1 len=1000").expectNothing();
    t.after(delayMs - 1).expectNothing();
    t.after(1).expect("A ack=" + (seq + 1000));
    t.end();
  }

  @Test
  void shouldAcknowledgeAtOnceWhatLeavesNoRoomForAnotherSegment() {
    TcpConfig config = TcpConfig.DEFAULT.withBuffers(65536, 1 << 20);
    TcpTranscript t = new TcpTranscript(false, config, 9, 65535);
    t.established("mss=65475 ws=0 win=60000").beyondQuickAcks();
    t.receive("A seq=17 ack=1 len=40000").expect("A ack=40017"); // most of the first window
    t.end();
  }

  // ---- transfers ------------------------------------------------------------------------------

  /**
   * A request of so many octets and an answer of one, again and again: each takes the round trips
   * of its window and no timer.
   */
  @ParameterizedTest(name = "ILNP {0}, MTU {1}, receive buffer {2}, {3} octets each")
  @CsvSource({
    "true,  1500,  65536,   1424",
    "true,  1500,  65536,   4272",
    "false, 1500,  65536,   7200",
    "false, 1500,  65536,   100",
    "true,  1500,  4096,    4096",
    "true,  1500,  2048,    3000",
    "false, 1500,  1500,    3000",
    "true,  9000,  8192,    20000",
    "false, 65535, 65536,   65475",
    "false, 65535, 65536,   200000",
    "true,  65535, 1048576, 200001",
    "false, 65535, 6291456, 1000000",
  })
  void shouldNeverMakeASenderWaitForATimer(boolean ilnp, int mtu, int buffer, int octets) {
    TcpConfig config = TcpConfig.DEFAULT.withBuffers(4 << 20, Math.max(4096, buffer));
    Pair pair = new Pair(7, ilnp, config, mtu, 1);
    pair.net.access(Pair.L1).rate = 125_000_000;
    int rounds = 40;
    pair.open((long) octets * rounds, rounds);
    pair.net.await(NanoClock.seconds(1), () -> pair.server.connection != null);
    pair.client.trickle = true;
    pair.server.trickle = true;
    pair.net.await(NanoClock.seconds(1), () -> pair.client.connected && pair.server.connected);
    for (int i = 1; i <= rounds; i++) {
      long from = pair.net.now;
      pair.client.allowed = (long) i * octets;
      pair.client.onWritable(pair.net.now, pair.client.connection);
      long due = (long) i * octets;
      pair.net.await(NanoClock.seconds(1), () -> pair.server.received == due);
      pair.server.allowed = i;
      pair.server.onWritable(pair.net.now, pair.server.connection);
      long answers = i;
      pair.net.await(NanoClock.seconds(1), () -> pair.client.received == answers);
      int windows = 2 + octets / Math.min(4096, Math.max(4096, buffer) / 2);
      assertThat(pair.net.now - from)
          .as("round %d", i)
          .isLessThan(NanoClock.millis(Math.min(39, 2L * windows + 4)));
    }
    pair.net.await(NanoClock.seconds(30), pair::isDone);
    pair.assertIntact();
    pair.net.assertNoLeaks();
  }

  /** gvisor#1398: the rule against silly windows must not keep windows tiny. */
  @ParameterizedTest(name = "ILNP {0}, MTU {1}, buffer {2}, reads of {3}")
  @CsvSource({
    "true,  1500,  4096,  100",
    "true,  1500,  4096,  1000",
    "false, 1500,  6000,  1",
    "false, 1500,  65535, 500",
    "true,  9000,  8192,  700",
    "false, 65535, 65535, 3000",
  })
  void shouldKeepSegmentsLargeWhenTheReaderTakesLittleAtATime(
      boolean ilnp, int mtu, int buffer, int reads) {
    Pair pair = new Pair(8, ilnp, TcpConfig.DEFAULT.withBuffers(1 << 20, buffer), mtu, 1);
    pair.openAndAwait(40L * buffer, 0);
    pair.server.paused = true;
    long read = 0;
    int idle = 0;
    while (idle < 200 && read < 20L * buffer) {
      pair.net.runFor(NanoClock.millis(1) / 10);
      int n = Math.max(reads, buffer / 40);
      idle++;
      while (n > 0) {
        ByteBuf b = pair.server.connection.read(pair.net.now, Math.min(n, reads));
        if (b == null) {
          break;
        }
        idle = 0;
        n -= b.readableBytes();
        read += b.readableBytes();
        b.release();
      }
    }
    assertThat(read).as("read before it stood still").isGreaterThanOrEqualTo(20L * buffer);
    TcpInfo sender = pair.client.connection.info(pair.net.now);
    long average = sender.bytesSent() / sender.segmentsOut();
    assertThat(average).isGreaterThan(Math.min(sender.mssBytes(), buffer / 2) / 3);
    pair.client.connection.abort(pair.net.now);
    pair.server.connection.abort(pair.net.now);
    pair.listener.close();
    pair.net.assertNoLeaks();
  }
}

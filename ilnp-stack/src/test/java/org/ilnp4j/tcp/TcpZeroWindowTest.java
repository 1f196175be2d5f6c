package org.ilnp4j.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import org.ilnp4j.util.Counter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Windows that close, shrink and open again, on either side (tcp.md B1, B5). */
class TcpZeroWindowTest {
  private static TcpTranscript sender() {
    return new TcpTranscript(true).established("mss=1008 win=10000"); // segments of 1000
  }

  private static TcpTranscript small(int receiveBuffer) {
    return new TcpTranscript(
        true, TcpConfig.DEFAULT.withBuffers(65536, receiveBuffer), 0x7fff_f000, 1500);
  }

  // ---- we send --------------------------------------------------------------------------------

  @Test
  void shouldProbeAClosedWindowWithOneOctetEverMoreSeldomAndForEver() {
    TcpTranscript t = sender();
    t.send(3000);
    t.expect("A seq=1 len=1000");
    t.expect("A seq=1001 len=1000");
    t.expect("A seq=2001 len=1000");
    t.receive("A seq=1 ack=3001 win=0");
    t.send(500).expectNothing();
    long[] gaps = new long[20];
    long last = t.now;
    for (int i = 0; i < gaps.length; i++) {
      while (t.sent.isEmpty()) {
        t.after(10);
      }
      t.expect("A seq=3001 len=1");
      gaps[i] = (t.now - last) / 1_000_000;
      last = t.now;
      t.receive("A seq=1 ack=3001 win=0");
      t.expectNothing();
    }
    assertThat(gaps[0]).isBetween(200L, 1100L);
    assertThat(gaps[1]).isBetween(gaps[0] * 19 / 10, gaps[0] * 21 / 10);
    assertThat(gaps[19]).isBetween(59_000L, 60_010L);
    assertThat(t.node.counters.get(Counter.TCP_PERSIST_PROBES)).isEqualTo(20);
    t.receive("A seq=1 ack=3001 win=5000");
    t.expect("PA seq=3001 len=500"); // the probe's octet is part of it
    t.end();
  }

  @Test
  void shouldGoOnWhenAProbeWasTaken() {
    TcpTranscript t = sender();
    t.receive("A seq=1 ack=1 win=0");
    t.send(2500).expectNothing();
    t.after(201).expect("A seq=1 len=1");
    t.receive("A seq=1 ack=2 win=0");
    t.after(250).expect("A seq=2 len=1");
    t.receive("A seq=1 ack=3 win=10000");
    t.expect("A seq=3 len=1000");
    t.expect("A seq=1003 len=1000");
    t.expect("A seq=2003 len=498");
    t.end();
  }

  @Test
  void shouldNotBeConfusedByTheAckOfAProbeThatWasTakenBack() {
    TcpTranscript t = sender();
    t.receive("A seq=1 ack=1 win=0");
    t.send(1000);
    t.after(201).expect("A seq=1 len=1");
    t.receiveNoTurn("A seq=1 ack=1 win=3000"); // window update crosses with the ACK of the probe
    t.receive("A seq=1 ack=2 win=2999");
    t.expect("A seq=2 len=999");
    t.receive("A seq=1 ack=1001");
    t.send(10).expect("A seq=1001 len=10");
    t.end();
  }

  @Test
  void shouldRecoverALostWindowUpdateByProbing() {
    TcpTranscript t = sender();
    t.receive("A seq=1 ack=1 win=0");
    t.send(1000);
    // the update is lost here
    t.after(201).expect("A seq=1 len=1");
    t.receive("A seq=1 ack=2 win=9999");
    t.expect("A seq=2 len=999");
    t.end();
  }

  @Test
  void shouldNotGiveUpWhileProbesAreAnsweredAndGiveUpWhenTheyAreNot() {
    TcpTranscript t = sender();
    t.receive("A seq=1 ack=1 win=0");
    t.send(100);
    for (int minute = 0; minute < 60; minute++) {
      t.after(60_000);
      t.sent.clear();
      t.receive("A seq=1 ack=1 win=0");
    }
    t.expectState(TcpState.ESTABLISHED);
    t.after(900_000);
    t.expectEvents("closed TIMED_OUT");
    t.end();
  }

  @Test
  void shouldSurviveAWindowDrawnBackWithDataInFlight() {
    TcpTranscript t = sender();
    t.send(8000);
    for (int i = 0; i < 8; i++) {
      t.expect("A seq=" + (1 + i * 1000) + " len=1000");
    }
    t.receive("A seq=1 ack=2001 win=0"); // six segments beyond it
    t.expectNothing();
    t.after(201);
    t.expect("A seq=2001 len=1000"); // the head serves as probe
    t.expectNothing();
    t.after(401);
    t.expect("A seq=2001 len=1000");
    t.receive("A seq=1 ack=2001 win=2500");
    t.expect("A seq=2001 len=1000"); // at once what fits, and no more
    t.expect("A seq=3001 len=1000");
    t.expectNothing();
    t.receive("A seq=1 ack=4001 win=10000");
    t.expect("A seq=4001 len=1000");
    t.expect("A seq=5001 len=1000");
    t.expect("A seq=6001 len=1000");
    t.expect("A seq=7001 len=1000");
    t.expectNothing();
    t.receive("A seq=1 ack=8001 win=10000");
    t.expectNothing();
    t.send(10).expect("A seq=8001");
    t.end();
  }

  @Test
  void shouldSendPartOfALittleWindowOnlyAfterWaiting() {
    TcpTranscript t = sender();
    t.receive("A seq=1 ack=1 win=700"); // less than half the largest window seen
    t.send(5000).expectNothing();
    t.after(201).expect("A seq=1 len=700");
    t.receive("A seq=1 ack=701 win=6000");
    t.expect("A seq=701 len=1000");
    t.end();
  }

  @Test
  void shouldUseAWindowThatIsAlwaysSmall() {
    TcpTranscript t = new TcpTranscript(true).established("mss=1008 win=10000");
    t.end();
    t = new TcpTranscript(true);
    t.listen();
    t.receive("S seq=0 mss=1008 win=600");
    t.expect("SA");
    t.receive("A seq=1 ack=1 win=600");
    t.send(2000);
    t.expect("A seq=1 len=600"); // at least half of what the other side ever offers
    t.receive("A seq=1 ack=601 win=600");
    t.expect("A seq=601 len=600");
    t.end();
  }

  @Test
  void shouldAnswerAndFinishWhenBothWindowsAreClosed() {
    TcpTranscript t = small(4096);
    t.autoRead = false;
    t.established("mss=1008 win=10000");
    t.receive("A seq=1 ack=1 win=0 len=1000");
    t.receive("A seq=1001 ack=1 win=0 len=1000");
    t.receive("A seq=2001 ack=1 win=0 len=1000");
    t.receive("A seq=3001 ack=1 win=0 len=1000");
    t.receive("A seq=4001 ack=1 win=0 len=96");
    t.after(50);
    t.sent.clear();
    t.send(100);
    // Each side's probe carries an octet the other has no room for; both are acknowledged.
    for (int i = 0; i < 5; i++) {
      t.receive("A seq=4097 ack=1 win=0 len=1");
      t.expect("A ack=4097 win=0 len=0");
      t.expectNothing();
    }
    t.after(201);
    t.expect("A seq=1 len=1");
    t.receive("A seq=4097 ack=1 win=0"); // a bare ACK calls for no answer: no ping-pong
    t.expectNothing();
    t.readAll();
    t.turn();
    t.expect("A ack=4097 win=4096");
    t.receive("A seq=4097 ack=1 win=5000");
    t.expect("A seq=1 len=100");
    t.end();
  }

  // ---- we receive -----------------------------------------------------------------------------

  @Test
  void shouldCloseItsWindowAndSayWhenItOpens() {
    TcpTranscript t = small(4096);
    t.autoRead = false;
    t.established();
    t.receive("A seq=1 ack=1 len=1400").expect("A ack=1401");
    t.receive("A seq=1401 ack=1 len=1400").expect("A ack=2801");
    t.receive("A seq=2801 ack=1 len=1296").expect("A ack=4097 win=0");
    assertThat(t.read(1000)).isEqualTo(1000);
    t.turn().expectNothing(); // not worth a packet (silly window)
    assertThat(t.read(1100)).isEqualTo(1100);
    t.turn().expect("A ack=4097 win=2100");
    t.end();
  }

  @Test
  void shouldOfferLittleUntilTheUserReads() {
    TcpTranscript t =
        new TcpTranscript(true, TcpConfig.DEFAULT.withBuffers(65536, 6 << 20), 9, 1500);
    t.autoRead = false;
    t.established("mss=1000 ws=0 win=10000");
    int seq = 1;
    for (int i = 0; i < 65; i++, seq += 1000) {
      t.receive("A seq=" + seq + " ack=1 len=1000");
    }
    t.after(41);
    t.sent.clear();
    // A reader that never reads holds 64 KiB, not the 6 MiB of the buffer.
    t.receive("A seq=" + seq + " ack=1 len=1000").expect("A ack=65537 win=0");
    assertThat(t.read(60_000)).isEqualTo(60_000);
    t.turn().expect("A ack=65537 win=" + (2 * 60_000 + 16 * 1000 - 5536 >>> 7));
    t.end();
  }

  @Test
  void shouldNeverDrawItsWindowBack() {
    TcpTranscript t =
        new TcpTranscript(true, TcpConfig.DEFAULT.withBuffers(65536, 120_000), 9, 1500);
    t.autoRead = false;
    t.established("mss=1000 ws=0 win=10000");
    int edge = 0;
    for (int i = 0, seq = 1; i < 110; i++) {
      int n = 1 + i * 13 % 1000;
      t.receive("A seq=" + seq + " ack=1 len=" + n);
      seq += n;
      t.after(41);
      TcpTranscript.Sent s = t.expect("A ack=" + seq);
      int right = s.h.ack - t.peerIsn + (s.h.window << 1);
      // The field counts in units of two octets; the edge wavers by less (RFC 7323 §2.4).
      assertThat(right).isGreaterThan(edge - 2);
      edge = Math.max(edge, right);
      t.sent.clear();
    }
    assertThat(edge).isBetween(65_535, 65_538);
    t.end();
  }

  @Test
  void shouldCloseAScaledWindowAgainstTinySegmentsToo() {
    TcpTranscript t =
        new TcpTranscript(true, TcpConfig.DEFAULT.withBuffers(65536, 6 << 20), 9, 1500);
    t.autoRead = false;
    t.established("mss=1000 ws=0 win=10000");
    int seq = 1;
    for (; seq < 6 << 20; seq += 60_000) {
      t.receive("A seq=" + seq + " ack=1 len=60000");
    }
    t.sent.clear();
    seq = (int) t.connection.info(t.now).bytesReceived() + 1;
    for (int i = 0; i < 2000; i++) {
      t.receive("A seq=" + seq + " ack=1 len=1");
      t.after(41);
      seq = t.sent.peekLast() == null ? seq : t.sent.pollLast().h.ack - t.peerIsn;
      t.sent.clear();
    }
    assertThat(t.connection.info(t.now).receiveQueueBytes()).isLessThanOrEqualTo((6 << 20) + 128);
    t.end();
  }

  @Test
  void shouldHearAcksAndResetsWithAClosedWindow() {
    TcpTranscript t = small(4096);
    t.autoRead = false;
    t.established();
    for (int i = 0; i < 4; i++) {
      t.receive("A seq=" + (1 + i * 1024) + " ack=1 len=1024");
    }
    t.sent.clear();
    t.send(10).expect("A seq=1 len=10 win=0");
    t.receive("A seq=4097 ack=11 len=1"); // does not fit, but acknowledges
    t.expect("A ack=4097");
    assertThat(t.connection.info(t.now).bytesAcked()).isEqualTo(10);
    t.receive("R seq=4097");
    t.expectEvents("readable", "closed RESET");
    t.end();
  }

  @Test
  void shouldTakeAFinIntoAClosedWindow() {
    TcpTranscript t = small(4096);
    t.autoRead = false;
    t.established();
    for (int i = 0; i < 4; i++) {
      t.receive("A seq=" + (1 + i * 1024) + " ack=1 len=1024");
    }
    t.sent.clear();
    t.receive("FA seq=4097 ack=1");
    t.expect("A ack=4098");
    t.expectState(TcpState.CLOSE_WAIT);
    assertThat(t.readAll()).isEqualTo(4096);
    t.turn();
    t.expectEvents("readable", "end");
    t.end();
  }

  @Test
  void shouldChargeTinySegmentsTheirTrueSize() {
    TcpTranscript t = new TcpTranscript(true);
    t.autoRead = false;
    t.established();
    for (int i = 0; i < 20_000; i++) {
      t.receive("A seq=" + (1 + i) + " ack=1 len=1");
    }
    assertThat(t.node.usedMemory()).isLessThan(30_000);
    assertThat(t.readAll()).isEqualTo(20_000);
    t.end();
  }

  // ---- delayed acknowledgement, Nagle ---------------------------------------------------------

  @Test
  void shouldAcknowledgeEverySecondFullSegmentAtOnceAndTheLastOneSoon() {
    TcpTranscript t = new TcpTranscript(true).established().beyondQuickAcks();
    t.receive("A seq=17 ack=1 len=1000").expectNothing();
    t.receive("A seq=1017 ack=1 len=1000").expect("A ack=2017");
    t.receive("A seq=2017 ack=1 len=1000").expectNothing();
    t.after(1).expect("A ack=3017"); // what came before came without a gap
    t.after(1000).expectNothing();
    t.end();
  }

  @Test
  void shouldPutTheAcknowledgementOnDataThatGoesAnyway() {
    TcpTranscript t = new TcpTranscript(true).established().beyondQuickAcks();
    t.receive("A seq=17 ack=1 len=100").expectNothing();
    t.send(50).expect("PA seq=1 ack=117 len=50");
    t.receive("A seq=117 ack=51");
    t.after(100);
    t.expectNothing();
    t.end();
  }

  @ParameterizedTest
  @ValueSource(ints = {4096, 5000, 65535})
  void shouldNotWaitForTheTimerWhenTheBufferIsSmall(int buffer) {
    TcpTranscript t = small(buffer).established();
    int n = Math.min(buffer / 2, 1400);
    t.beyondQuickAcks();
    t.receive("A seq=17 ack=1 len=" + n);
    t.receive("A seq=" + (17 + n) + " ack=1 len=" + n);
    t.expect("A ack=" + (17 + 2 * n));
    t.end();
  }

  @Test
  void shouldHoldOneSmallSegmentWhileAnotherIsInFlight() {
    TcpTranscript t = sender();
    t.send(10).expect("A seq=1 len=10");
    t.send(10).expectNothing();
    t.send(10).expectNothing();
    t.receive("A seq=1 ack=11");
    t.expect("A seq=11 len=20");
    t.send(990).expectNothing();
    t.send(10).expect("A seq=31 len=1000"); // full: goes
    t.receive("A seq=1 ack=1031");
    t.send(1500);
    t.expect("A seq=1031 len=1000");
    t.expect("A seq=2031 len=500"); // only a full one in flight
    t.end();
  }

  @Test
  void shouldSendEverySmallSegmentWithNoDelay() {
    TcpTranscript t = sender();
    t.connection.noDelay(true);
    t.send(10).expect("A seq=1 len=10");
    t.send(10).expect("A seq=11 len=10");
    t.connection.noDelay(false);
    t.send(10).expectNothing();
    t.connection.noDelay(true);
    t.turn().expect("A seq=21 len=10");
    t.end();
  }
}

package org.ilnp4j.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import org.ilnp4j.time.NanoClock;
import org.ilnp4j.util.Counter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Retransmission as seen on the wire: RFC 6298, 5681, 6582, 6675, 2018, 2883 (tcp.md B4). */
class TcpRecoveryTest {
  private static TcpTranscript newReno() {
    return new TcpTranscript(true).established("mss=1008 win=65535");
  }

  private static TcpTranscript sack(int peerIsn) {
    TcpTranscript t =
        new TcpTranscript(true, TcpConfig.DEFAULT.withBuffers(65536, 65535), peerIsn, 1500);
    return t.established("mss=1008 win=65535 sackok", 20);
  }

  private static TcpTranscript sack() {
    return sack(0x7000_0000);
  }

  private static void expectSegments(TcpTranscript t, int from, int count) {
    for (int i = 0; i < count; i++) {
      t.expect("A seq=" + (1 + (from + i) * 1000) + " len=1000");
    }
    t.expectNothing();
  }

  // ---- time-out -------------------------------------------------------------------------------

  @Test
  void shouldRetransmitHeadWhenRtoExpiresAndDoubleTheTime() {
    TcpTranscript t = newReno();
    t.send(100).expect("A seq=1 len=100");
    long last = t.now;
    long[] gaps = new long[12];
    for (int i = 0; i < gaps.length; i++) {
      while (t.sent.isEmpty()) {
        t.after(1);
      }
      t.expect("PA seq=1 len=100");
      gaps[i] = (t.now - last) / 1_000_000;
      last = t.now;
    }
    assertThat(gaps[0]).isBetween(200L, 202L);
    for (int i = 1; i < gaps.length; i++) {
      assertThat(gaps[i]).isBetween(Math.min(60_000, gaps[i - 1] * 2 - 10), 60_002L);
    }
    assertThat(gaps[11]).isBetween(59_999L, 60_002L);
    t.receive("A seq=1 ack=101");
    t.after(100_000).expectNothing();
    assertThat(t.node.counters.get(Counter.TCP_TIMEOUTS)).isEqualTo(12);
    t.end();
  }

  @Test
  void shouldEndWhenTheUserTimeoutHasPassed() {
    TcpTranscript t = newReno();
    t.send(100);
    t.after(899_999).expectState(TcpState.ESTABLISHED);
    t.after(1).expectEvents("stalled", "closed TIMED_OUT");
    t.end();
  }

  @Test
  void shouldRestartTheTimerOnNewAcknowledgementsOnly() {
    TcpTranscript t = newReno();
    t.send(3000);
    expectSegments(t, 0, 3);
    t.after(150);
    t.receive("A seq=1 ack=1001");
    t.after(150).expectNothing(); // restarted
    t.receive("A seq=1 ack=1001"); // a duplicate does not
    t.after(90);
    t.sent.clear();
    assertThat(t.node.counters.get(Counter.TCP_TIMEOUTS)).isPositive();
    t.end();
  }

  @Test
  void shouldSlowStartThroughAllThatWasLostAfterATimeout() {
    TcpTranscript t = newReno();
    t.send(10_000);
    expectSegments(t, 0, 10);
    t.after(201);
    expectSegments(t, 0, 1);
    t.receive("A seq=1 ack=1001 win=65535");
    expectSegments(t, 1, 2);
    t.receive("A seq=1 ack=3001 win=65535");
    expectSegments(t, 3, 4); // by what it acknowledges, two segments at most (RFC 3465 §2.2)
    t.receive("A seq=1 ack=10001 win=65535");
    t.after(1000).expectNothing();
    t.end();
  }

  @Test
  void shouldNotFastRetransmitOnDuplicatesOfItsOwnTimeout() {
    TcpTranscript t = newReno();
    t.send(10_000);
    expectSegments(t, 0, 10);
    t.after(201);
    expectSegments(t, 0, 1);
    for (int i = 0; i < 6; i++) {
      t.receive("A seq=1 ack=1 win=65535");
    }
    assertThat(t.node.counters.get(Counter.TCP_FAST_RECOVERIES)).isZero();
    t.end();
  }

  // ---- fast retransmit without SACK -----------------------------------------------------------

  @Test
  void shouldFastRetransmitOnTheThirdDuplicate() {
    TcpTranscript t = newReno();
    t.send(20_000);
    expectSegments(t, 0, 10);
    t.receive("A seq=1 ack=1 win=65535");
    expectSegments(t, 10, 1); // limited transmit (RFC 3042)
    t.receive("A seq=1 ack=1 win=65535");
    expectSegments(t, 11, 1);
    t.receive("A seq=1 ack=1 win=65535");
    expectSegments(t, 0, 1);
    t.receive("A seq=1 ack=4001 win=65535"); // a partial ACK: the next hole
    t.expect("A seq=4001 len=1000");
    t.sent.clear();
    t.receive("A seq=1 ack=12001 win=65535");
    t.sent.clear();
    assertThat(t.node.counters.get(Counter.TCP_FAST_RECOVERIES)).isEqualTo(1);
    assertThat(t.node.counters.get(Counter.TCP_TIMEOUTS)).isZero();
    t.end();
  }

  @Test
  void shouldNotCountWindowUpdatesOrDataAsDuplicates() {
    TcpTranscript t = newReno();
    t.send(10_000);
    expectSegments(t, 0, 10);
    for (int i = 0; i < 10; i++) {
      t.receive("A seq=1 ack=1 win=" + (30_000 + i));
    }
    for (int i = 0; i < 10; i++) {
      t.receive("A seq=" + (1 + i * 10) + " ack=1 win=30009 len=10");
    }
    t.sent.removeIf(s -> s.h.payloadLength == 0);
    t.expectNothing();
    t.end();
  }

  @Test
  void shouldTakeAnyNumberOfDuplicates() {
    TcpTranscript t = newReno();
    t.send(20_000);
    for (int i = 0; i < 100_000; i++) {
      t.receive("A seq=1 ack=1 win=65535");
      t.sent.clear();
    }
    t.expectState(TcpState.ESTABLISHED);
    t.end();
  }

  // ---- SACK -----------------------------------------------------------------------------------

  @ParameterizedTest
  @ValueSource(ints = {0, 0x7fff_ffff, 0xffff_f000})
  void shouldRetransmitOnlyTheHoles(int peerIsn) {
    TcpTranscript t = sack(peerIsn);
    t.send(10_000);
    expectSegments(t, 0, 10);
    t.after(20);
    t.receive("A seq=1 ack=1 win=65535 sack=1001-2001");
    t.receive("A seq=1 ack=1 win=65535 sack=1001-2001,3001-4001");
    t.expectNothing();
    t.receive("A seq=1 ack=1 win=65535 sack=1001-2001,3001-5001");
    expectSegments(t, 0, 1);
    t.receive("A seq=1 ack=1 win=65535 sack=1001-2001,3001-7001");
    expectSegments(t, 2, 1);
    t.receive("A seq=1 ack=1 win=65535 sack=1001-2001,3001-10001");
    t.receive("A seq=1 ack=10001 win=65535");
    t.after(1000).expectNothing();
    assertThat(t.connection.info(t.now).retransmittedSegments()).isEqualTo(2);
    t.end();
  }

  @Test
  void shouldSendNewDataInRecoveryAsThePipeDrains() {
    TcpTranscript t = sack();
    t.send(30_000);
    expectSegments(t, 0, 10);
    t.after(20);
    t.receive("A seq=1 ack=1 win=65535 sack=1001-4001");
    t.expect("A seq=1 len=1000");
    long cwnd = t.connection.info(t.now).cwndBytes();
    assertThat(cwnd).isBetween(6000L, 7100L); // CUBIC: 0.7 of ten
    t.sent.clear();
    t.receive("A seq=1 ack=1 win=65535 sack=1001-10001");
    assertThat(t.connection.info(t.now).flightBytes()).isBetween(cwnd - 1000, cwnd);
    t.end();
  }

  @Test
  void shouldGiveARepairOfTheHeadTheWholeTimeout() {
    TcpTranscript t = sack();
    t.send(30_000);
    expectSegments(t, 0, 10);
    t.after(30);
    t.receive("A seq=1 ack=1 win=65535 sack=1001-9001"); // the first and the last were lost
    t.expect("A seq=1 len=1000");
    t.sent.clear(); // new data behind it
    t.after(210).expectNothing(); // 240 after the last acknowledgement, with an RTO of about 220
    assertThat(t.node.counters.get(Counter.TCP_TIMEOUTS)).isZero();
    t.after(30);
    assertThat(t.node.counters.get(Counter.TCP_TIMEOUTS)).isEqualTo(1);
    t.end();
  }

  @Test
  void shouldNotStallWhenThePeerReneges() {
    TcpTranscript t = sack();
    t.send(5000);
    expectSegments(t, 0, 5);
    t.receive("A seq=1 ack=1 win=65535 sack=1001-5001");
    expectSegments(t, 0, 1);
    t.receive("A seq=1 ack=1001 win=65535"); // and the rest is forgotten
    while (t.sent.isEmpty()) {
      t.after(1);
    }
    t.expect("A seq=1001 len=1000");
    t.receive("A seq=1 ack=2001 win=65535");
    t.expect("A seq=2001 len=1000");
    t.sent.clear();
    t.receive("A seq=1 ack=5001 win=65535");
    t.after(5000).expectNothing();
    t.end();
  }

  @Test
  void shouldReportGapsMostRecentFirstAndDuplicates() {
    TcpTranscript t = sack();
    t.receive("A seq=1001 ack=1 len=100").expect("A ack=1 sack=1001-1101");
    t.receive("A seq=3001 ack=1 len=100").expect("A ack=1 sack=3001-3101,1001-1101");
    t.receive("A seq=2001 ack=1 len=100").expect("A ack=1 sack=2001-2101,3001-3101,1001-1101");
    t.receive("A seq=3001 ack=1 len=100")
        .expect("A ack=1 sack=3001-3101,3001-3101,2001-2101,1001-1101"); // D-SACK, and its run
    t.receive("A seq=1 ack=1 len=1000").expect("A ack=1101 sack=3001-3101,2001-2101");
    t.receive("A seq=500 ack=1 len=100").expect("A ack=1101 sack=500-600,3001-3101,2001-2101");
    t.end();
  }

  @Test
  void shouldAcknowledgeAtOnceWhenAGapIsFilled() {
    TcpTranscript t = newReno();
    t.receive("A seq=11 ack=1 len=10").expect("A ack=1 sack=no");
    t.receive("A seq=1 ack=1 len=10").expect("A ack=21");
    t.end();
  }

  @Test
  void shouldPutSackBlocksOnDataSegmentsToo() {
    TcpTranscript t = sack();
    t.receiveNoTurn("A seq=1001 ack=1 len=100");
    t.send(2000);
    TcpTranscript.Sent s = t.expect("A seq=1 sack=1001-1101");
    assertThat(s.payload.length).isEqualTo(1000 - 12);
    assertThat(s.packetBytes).isLessThanOrEqualTo(1068);
    t.end();
  }

  // ---- ICMP ------------------------------------------------------------------------------------

  @Test
  void shouldIgnoreForgedIcmpErrors() {
    TcpTranscript t = newReno();
    t.send(1000).expect("A seq=1 len=1000");
    for (IcmpErrorKind kind : IcmpErrorKind.values()) {
      for (int seq : new int[] {-1, 0, 1001, 5000}) {
        t.node.engine.onIcmpError(
            t.now, t.connection.correspondent(), 80, t.peerPort, t.ourIsn + seq, kind);
      }
      t.node.engine.onIcmpError(
          t.now, t.connection.correspondent(), 80, t.peerPort + 1, t.ourIsn + 1, kind);
    }
    t.node.engine.onIcmpError(
        t.now,
        t.connection.correspondent(),
        80,
        t.peerPort,
        t.ourIsn + 1,
        IcmpErrorKind.UNREACHABLE_HARD); // true, but established connections go on
    t.turn().expectNothing().expectState(TcpState.ESTABLISHED).expectEvents();
    t.end();
  }

  // ---- keep-alive (B10) -----------------------------------------------------------------------

  @Test
  void shouldProbeAnIdlePeerAndGiveUpAfterNineSilences() {
    TcpTranscript t = newReno();
    t.connection.keepAlive(t.now, NanoClock.seconds(100));
    t.after(99_999).expectNothing();
    t.after(1).expect("A seq=0 ack=1 len=0");
    t.receive("A seq=1 ack=1");
    t.after(99_999).expectNothing();
    t.after(1).expect("A seq=0 ack=1 len=0");
    for (int i = 1; i < 9; i++) {
      t.after(75_000).expect("A seq=0 ack=1 len=0");
    }
    t.expectState(TcpState.ESTABLISHED);
    t.after(75_000).expect("RA seq=1");
    t.expectEvents("closed TIMED_OUT");
    t.end();
  }

  @Test
  void shouldAnswerKeepAliveProbes() {
    TcpTranscript t = newReno();
    t.receive("A seq=0 ack=1").expect("A seq=1 ack=1");
    t.after(75_000);
    t.receive("A seq=0 ack=1 len=1").expect("A seq=1 ack=1"); // with an old octet
    t.end();
  }

  @Test
  void shouldNotProbeWhenNotAsked() {
    TcpTranscript t = newReno();
    t.after(100_000_000).expectNothing();
    assertThat(t.node.timers.armed()).isZero();
    t.end();
  }

  // ---- idle -----------------------------------------------------------------------------------

  @Test
  void shouldRestartFromTheInitialWindowAfterIdleness() {
    TcpTranscript t = newReno();
    t.send(60_000);
    for (int ack = 10_001; ack < 60_001; ack += 2000) {
      t.receive("A seq=1 ack=" + ack + " win=65535");
    }
    t.receive("A seq=1 ack=60001 win=65535");
    t.sent.clear();
    assertThat(t.connection.info(t.now).cwndBytes()).isGreaterThan(20_000);
    t.after(5000);
    t.send(60_000);
    assertThat(t.sent).hasSize(10);
    t.end();
  }

  @Test
  void shouldNotTakeATimeoutForSpuriousWhenTheAcknowledgementsWereLost() {
    TcpTranscript t = sack();
    t.send(4000);
    expectSegments(t, 0, 4);
    // The first segment is lost, and what is said about the others.
    while (t.connection.info(t.now).timeouts() == 0) {
      t.after(10);
    }
    t.receive("A seq=1 ack=4001 win=65535");
    TcpInfo info = t.connection.info(t.now);
    assertThat(info.timeouts()).isEqualTo(1);
    assertThat(info.spuriousRecoveries()).isZero();
    assertThat(info.ssthreshBytes()).isLessThan(10_000);
    t.end();
  }

  @ParameterizedTest
  @ValueSource(ints = {3001, 3002})
  void shouldFindALossBeforeTheFinWithoutTimeout(int right) {
    TcpTranscript t = sack();
    t.connection.send(t.now, Unpooled.wrappedBuffer(new byte[3000]));
    t.shutdown();
    t.expect("A seq=1 len=1000");
    t.expect("A seq=1001 len=1000");
    t.expect("FA seq=2001 len=1000");
    t.after(20).receive("A seq=1 ack=1001 sack=2001-" + right + " win=65535");
    t.after(20).expect("A seq=1001 len=1000");
    t.receive("A seq=1 ack=3002 win=65535").expectState(TcpState.FIN_WAIT_2);
    t.end();
  }

  @Test
  void shouldSackAFinWithItsText() {
    TcpTranscript t = sack();
    t.receive("FA seq=1001 ack=1 len=1000").expect("A ack=1 sack=1001-2002");
    t.receive("A seq=1 ack=1 len=1000").expect("A ack=2002 sack=no");
    t.end();
  }

  /** gvisor#9778 and kin: with timestamps, a repetition that is SACKed echoes an older one. */
  @Test
  void shouldFindTheRestOfALostTailByTheProbe() {
    TcpTranscript t = new TcpTranscript(true, TcpConfig.DEFAULT.withBuffers(65536, 65535), 1, 1500);
    t.established("mss=1020 win=65535 sackok ts=1000", 20);
    t.send(5000);
    t.after(20).receive("A seq=1 ack=2001 win=65535");
    t.sent.clear();
    t.after(100).expect("A seq=4001 len=1000"); // the probe
    t.expectNothing();
    t.after(20).receive("A seq=1 ack=2001 win=65535 sack=4001-5001");
    t.expect("A seq=2001 len=1000");
    t.after(20).receive("A seq=1 ack=3001 win=65535 sack=4001-5001");
    t.expect("A seq=3001 len=1000");
    assertThat(t.connection.info(t.now).timeouts()).isZero();
    t.receive("A seq=1 ack=5001 win=65535");
    t.end();
  }
}

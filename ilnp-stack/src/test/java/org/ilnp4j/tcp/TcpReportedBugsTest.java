package org.ilnp4j.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.List;
import java.util.stream.Stream;
import org.ilnp4j.time.NanoClock;
import org.ilnp4j.util.Counter;
import org.ilnp4j.wire.Ip6;
import org.ilnp4j.wire.TcpHeader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What users of other stacks have suffered and no test of a single mechanism shows (tcp.md part B).
 * The table of all of them is in {@code docs/rfc-conformance.md}.
 */
class TcpReportedBugsTest {
  private static TcpTranscript sender(boolean ilnp) {
    return new TcpTranscript(ilnp).established("mss=1008 win=10000 sackok");
  }

  // ---- windows (B1) ---------------------------------------------------------------------------

  /**
   * espressif/esp-idf#2425, genodelabs/genode#4056: both windows closed, both sides with more to
   * say. They wait for each other without a storm of acknowledgements, and go on.
   */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void shouldWaitQuietlyBehindTwoClosedWindows(boolean ilnp) {
    Pair p = new Pair(1, ilnp, TcpConfig.DEFAULT.withBuffers(65536, 65536));
    p.openAndAwait(1 << 20, 1 << 20);
    p.client.paused = true;
    p.server.paused = true;
    p.net.runFor(NanoClock.seconds(600));
    assertThat(p.client.connection.info(p.net.now).sendWindowBytes()).isZero();
    assertThat(p.server.connection.info(p.net.now).sendWindowBytes()).isZero();
    long before = segments(p);
    p.net.runFor(NanoClock.seconds(7200));
    // One probe a minute and its answer, each way.
    assertThat(segments(p) - before).isBetween(240L, 500L);
    resume(p);
    p.net.await(NanoClock.seconds(90), p::isDone);
    p.assertIntact();
    p.net.assertNoLeaks();
  }

  /**
   * genodelabs/genode#4056: one side reads on, and has itself a probe outstanding. Its
   * acknowledgements must not carry a number beyond the other's closed window, where they are not
   * heard.
   */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void shouldServeAReaderWhoseOwnWordsFindNoRoom(boolean ilnp) {
    Pair p = new Pair(4, ilnp, TcpConfig.DEFAULT.withBuffers(65536, 65536));
    p.openAndAwait(1 << 20, 1 << 20);
    p.client.paused = true;
    p.server.paused = true;
    p.net.runFor(NanoClock.seconds(600));
    p.client.paused = false;
    p.client.drain(p.net.now);
    p.net.await(NanoClock.seconds(5), () -> p.client.received == 1 << 20);
    p.server.paused = false;
    p.server.drain(p.net.now);
    p.net.await(NanoClock.seconds(5), p::isDone);
    p.assertIntact();
    p.net.assertNoLeaks();
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void shouldStayWithinAClosedWindowWithAcknowledgementsAndResets(boolean ilnp) {
    TcpTranscript t = sender(ilnp);
    t.receive("A seq=1 ack=1 win=0");
    t.send(100);
    t.after(201).expect("A seq=1 len=1");
    t.receive("PA seq=1 ack=1 win=0 len=10").expect("A seq=1 ack=11 len=0");
    t.abort().expect("RA seq=1 ack=11");
    t.end();

    t = sender(ilnp);
    t.send(5000).sent.clear();
    t.receive("PA seq=1 ack=1001 win=2000 len=10").expect("A seq=3001 ack=11"); // drawn back
    t.end();
  }

  private static long segments(Pair p) {
    return p.mn.counters.get(Counter.TCP_SEGMENTS_OUT)
        + p.cn.counters.get(Counter.TCP_SEGMENTS_OUT);
  }

  private static void resume(Pair p) {
    p.client.paused = false;
    p.server.paused = false;
    p.client.drain(p.net.now);
    p.server.drain(p.net.now);
  }

  /** apsun/loliOS#34, AIFM-sys/AIFM#3, arcboxlabs/arcbox#477: each window update is lost. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void shouldGoOnThoughEachWindowUpdateIsLost(boolean ilnp) {
    Pair p = new Pair(2, ilnp, TcpConfig.DEFAULT.withBuffers(65536, 65536));
    p.openAndAwait(2 << 20, 0);
    for (int i = 0; i < 10; i++) {
      p.server.paused = true;
      p.net.await(
          NanoClock.seconds(30), () -> p.client.connection.info(p.net.now).sendWindowBytes() == 0);
      p.net.filter = packet -> packet.getLong(packet.readerIndex() + Ip6.SRC_NID) != Pair.CN_NID;
      p.server.paused = false;
      p.server.drain(p.net.now);
      p.net.runFor(NanoClock.millis(100));
      p.net.filter = packet -> true;
      long received = p.server.received;
      p.net.await(NanoClock.seconds(3), () -> p.server.received > received);
    }
    p.net.await(NanoClock.seconds(60), p::isDone);
    p.assertIntact();
    p.net.assertNoLeaks();
  }

  /** zephyrproject-rtos/zephyr#47966: a probe is the next octet, not what a keep-alive sends. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void shouldProbeWithTheNextOctetThoughKeepAlivesAreOn(boolean ilnp) {
    TcpTranscript t = sender(ilnp);
    t.connection.keepAlive(t.now, NanoClock.seconds(10));
    t.receive("A seq=1 ack=1 win=0");
    t.send(100);
    for (int i = 0; i < 12; i++) {
      while (t.sent.isEmpty()) {
        t.after(100);
      }
      t.expect("A seq=1 ack=1 len=1");
      t.receive("A seq=1 ack=1 win=0").expectNothing();
    }
    assertThat(t.node.counters.get(Counter.TCP_KEEPALIVE_PROBES)).isZero();
    t.receive("A seq=1 ack=1 win=1000").expect("PA seq=1 len=100");
    t.end();
  }

  // ---- closing (B2) ---------------------------------------------------------------------------

  /**
   * smoltcp-rs/smoltcp#279, #398: their FIN comes before ours could be sent; ours is still owed.
   */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void shouldSendItsFinThoughTheirsCameFirst(boolean ilnp) {
    TcpTranscript t = sender(ilnp);
    t.receive("A seq=1 ack=1 win=0");
    t.send(100);
    t.close().expectNothing();
    t.receive("FA seq=1 ack=1 win=0").expect("A seq=1 ack=2 len=0");
    t.expectState(TcpState.CLOSING);
    assertThat(t.node.timers.nextDeadlineNanos()).as("no busy loop").isGreaterThan(t.now);
    t.after(201).expect("A seq=1 len=1");
    t.receive("A seq=2 ack=2 win=0").expectState(TcpState.CLOSING).expectNothing(); // no FIN yet
    t.receive("A seq=2 ack=2 win=1000").expect("FA seq=2 ack=2 len=99");
    t.receive("A seq=2 ack=101").expectState(TcpState.CLOSING); // all but the FIN
    t.receive("A seq=2 ack=102").expectState(TcpState.TIME_WAIT);
    t.end();
  }

  /** google/gvisor#6067: the caller hears of the end with the handshake's last segment. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void shouldSendItsFinWhenClosedBeforeTheHandshakeIsOver(boolean ilnp) {
    TcpTranscript t = new TcpTranscript(ilnp).listen();
    t.receive("S seq=0 mss=1000").expect("SA seq=0 ack=1");
    t.close().expectNothing().expectState(TcpState.SYN_RECEIVED);
    t.receive("A seq=1 ack=1").expect("FA seq=1 ack=1");
    t.expectState(TcpState.FIN_WAIT_1);
    t.receive("FA seq=1 ack=2").expect("A seq=2 ack=2");
    t.expectState(TcpState.TIME_WAIT);
    t.end();
  }

  /** tass-belgium/picotcp#310: what a FIN acknowledges is not sent again. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void shouldNotRepeatDataThatTheirFinAcknowledges(boolean ilnp) {
    TcpTranscript t = sender(ilnp);
    t.send(100).expect("PA seq=1 len=100");
    t.receive("FA seq=1 ack=101").expect("A seq=101 ack=2 len=0");
    t.after(100_000).expectNothing().expectState(TcpState.CLOSE_WAIT);
    assertThat(t.connection.info(t.now).bytesAcked()).isEqualTo(100);
    t.end();
  }

  // ---- resets (B3) ----------------------------------------------------------------------------

  /** google/gvisor#12567: an abort at any moment, however little there is of the connection. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void shouldAbortHoweverLittleThereIsOfTheConnection(boolean ilnp) {
    TcpTranscript t = new TcpTranscript(ilnp);
    t.peer =
        ilnp
            ? t.node.ilcc.open(
                0, TcpTranscript.PEER, List.of(TcpTranscript.PEER_L64), NanoClock.seconds(1000))
            : t.node.ilcc.openClassic(
                0, TcpTranscript.OUR_L64, TcpTranscript.PEER, TcpTranscript.PEER_L64);
    t.connection = t.node.engine.connect(t.now, t.peer, 80, t.handler);
    t.abort().expectNothing().expectEvents("closed ABORTED"); // not even its SYN had left
    t.end();

    t = new TcpTranscript(ilnp).connect();
    t.expect("S");
    t.abort().expectNothing().expectEvents("closed ABORTED");
    t.end();

    t = new TcpTranscript(ilnp).listen();
    t.receiveNoTurn("S seq=0");
    t.autoAccept = false;
    t.turn();
    t.connection = t.pending.accept(t.now, t.handler);
    t.abort().expect("RA ack=1"); // before its SYN-ACK
    t.expectNothing().expectEvents("syn", "closed ABORTED");
    assertThat(t.listener.halfOpen).isZero();
    t.end();
  }

  /** FreeRTOS/FreeRTOS-Plus-TCP#225: the window of a reset, where sequence numbers wrap in it. */
  @ParameterizedTest
  @CsvSource({
    "true, -1",
    "true, -2",
    "true, -100",
    "true, -65536",
    "true, 2147483647",
    "true, 2147483547",
    "false, -1",
    "false, -2",
    "false, -100",
    "false, -65536",
    "false, 2147483647"
  })
  void shouldJudgeResetsAcrossTheWrap(boolean ilnp, int isn) {
    TcpConfig config = TcpConfig.DEFAULT.withBuffers(65536, 65535);
    TcpTranscript t = new TcpTranscript(ilnp, config, isn, 1500).established();
    t.receive("R seq=0").receive("R seq=65536").receive("R seq=-1000").expectNothing();
    for (int seq : new int[] {2, 100, 200, 65535}) {
      t.after(300).receive("R seq=" + seq).expect("A seq=1 ack=1");
    }
    t.expectState(TcpState.ESTABLISHED);
    t.receive("R seq=1").expectState(TcpState.CLOSED).expectNothing();
    t.end();
  }

  /** RFC 9293 §3.9.2.3: nothing to or from a group or an address nobody can have is heard. */
  @Test
  void shouldNotHearGroupsAndAddressesNobodyHas() {
    long us = TcpTranscript.OUR_L64;
    long peer = TcpTranscript.PEER_L64;
    for (long[] ends :
        new long[][] {
          {0xff02_0000_0000_0000L, TcpTranscript.PEER, us, TcpTranscript.US},
          {0, 0, us, TcpTranscript.US},
          {peer, TcpTranscript.PEER, 0xff02_0000_0000_0000L, 1},
          {peer, TcpTranscript.PEER, 0xff05_0000_0000_0000L, TcpTranscript.US},
          {peer, TcpTranscript.PEER, 0, 0}
        }) {
      for (int flags : new int[] {TcpHeader.SYN, TcpHeader.ACK}) {
        TcpTranscript t = new TcpTranscript(false).listen();
        t.node.receive(t.now, segment(t, ends, flags));
        t.turn().expectNothing().expectEvents();
        assertThat(t.node.engine.connections()).isZero();
        assertThat(t.node.counters.totalDrops()).isOne();
        t.end();
      }
    }
  }

  private static ByteBuf segment(TcpTranscript t, long[] ends, int flags) {
    TcpHeader h = new TcpHeader().clear();
    h.srcPort = TcpTranscript.PEER_PORT;
    h.dstPort = TcpTranscript.OUR_PORT;
    h.flags = flags;
    ByteBuf b = t.node.allocator.directBuffer(128);
    Ip6.write(b, 0, 0, Ip6.PROTO_TCP, 64, ends[0], ends[1], ends[2], ends[3]);
    int upper = b.writerIndex();
    h.write(b);
    Ip6.complete(b, upper, Ip6.PROTO_TCP, TcpHeader.CHECKSUM_OFFSET, false);
    return b;
  }

  // ---- loss (B4) ------------------------------------------------------------------------------

  static Stream<TcpConfig> withoutSomeOption() {
    TcpConfig c = TcpConfig.DEFAULT.withBuffers(262144, 262144);
    return Stream.of(
        c.withSack(false),
        c.withSack(false).withTimestamps(false),
        c.withTimestamps(false),
        c.withSack(false).withTimestamps(false).withWindowScaling(false));
  }

  /** google/gvisor#10343: each option may be missing, and losses are repaired all the same. */
  @ParameterizedTest
  @MethodSource("withoutSomeOption")
  void shouldDeliverIntactWithoutSomeOption(TcpConfig config) {
    for (boolean ilnp : new boolean[] {true, false}) {
      for (double loss : new double[] {0.003, 0.03, 0.1}) {
        Pair p = new Pair(3, ilnp, config);
        p.net.access(Pair.L1).loss = loss;
        p.net.access(Pair.L1).jitterNanos = NanoClock.millis(2);
        p.net.access(Pair.L1).duplication = 0.01;
        p.open(500_000, 300_000);
        p.net.await(NanoClock.seconds(600), p::isDone);
        p.assertIntact();
        p.net.access(Pair.L1).loss = 0;
        p.net.assertNoLeaks();
      }
    }
  }

  /** lwip-tcpip/lwip#3: longer early text takes the place of what was cut; the edge stays. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void shouldCutEarlyTextAtTheEdgeOfTheWindow(boolean ilnp) {
    TcpConfig config = TcpConfig.DEFAULT.withBuffers(65536, 4096);
    TcpTranscript t = new TcpTranscript(ilnp, config, -3000, 1500);
    t.autoRead = false;
    t.established("mss=1000 win=10000 sackok");
    t.receive("A seq=2001 ack=1 len=500").expect("A ack=1 sack=2001-2501");
    t.receive("A seq=3001 ack=1 len=1200").expect("A ack=1 sack=3001-4097,2001-2501");
    t.receive("A seq=3001 ack=1 len=1400").expect("A ack=1 sack=3001-4097,3001-4097,2001-2501");
    t.receive("A seq=2001 ack=1 len=3000").sent.clear();
    t.receive("FA seq=4097 ack=1 len=10").sent.clear(); // nor a FIN from beyond
    t.receive("A seq=1 ack=1 len=2000").expect("A ack=4097 win=0 sack=no");
    assertThat(t.connection.info(t.now).receiveQueueBytes()).isEqualTo(4096);
    t.expectState(TcpState.ESTABLISHED);
    assertThat(t.readAll()).isEqualTo(4096);
    t.turn().expect("A ack=4097 win=4096");
    t.end();
  }

  /** apache/nuttx#10459: text that comes early may still acknowledge ours. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void shouldTakeTheAcknowledgementOfEarlyText(boolean ilnp) {
    TcpTranscript t = sender(ilnp);
    t.send(1000).expect("A seq=1 len=1000");
    t.receive("A seq=101 ack=1001 len=10").expect("A seq=1001 ack=1 sack=101-111");
    assertThat(t.connection.info(t.now).bytesAcked()).isEqualTo(1000);
    t.after(100_000).expectNothing();
    t.end();
  }

  /** inet-framework/inet#78, #415: a duplicate that is reported is no reason to send again. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void shouldNotRepeatWhatIsReportedAsDuplicate(boolean ilnp) {
    TcpTranscript t = sender(ilnp);
    t.connection.send(t.now, Unpooled.wrappedBuffer(new byte[4000]));
    t.shutdown();
    assertThat(t.sent).hasSize(4);
    t.sent.clear();
    t.receive("A seq=1 ack=2001");
    t.receive("A seq=1 ack=2001 sack=1-1001");
    t.receive("A seq=1 ack=2001 sack=1001-2001");
    t.receive("A seq=1 ack=2001 sack=1-2001").expectNothing();
    t.receive("A seq=1 ack=4002").expectState(TcpState.FIN_WAIT_2);
    t.receive("A seq=1 ack=4002 sack=3001-4002").expectNothing();
    assertThat(t.connection.info(t.now).retransmittedSegments()).isZero();
    t.end();
  }
}

package org.ilnp4j.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import org.ilnp4j.ilnp.LocatorPair;
import org.ilnp4j.ilnp.SessionMode;
import org.ilnp4j.time.NanoClock;
import org.ilnp4j.util.Counter;
import org.ilnp4j.util.DropReason;
import org.ilnp4j.wire.Ip6;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Path MTU (RFC 8201, RFC 8899; tcp.md B6): errors that are true and forged, black holes, moves.
 */
class TcpMtuTest {
  private static final TcpConfig SMALL = TcpConfig.DEFAULT.withBuffers(65536, 65535);

  /** A router that got the last segment sent says how much it can forward. */
  private static void tooBig(TcpTranscript t, TcpTranscript.Sent about, int mtu) {
    ByteBuf packet = t.node.allocator.directBuffer().writeBytes(about.packet);
    t.node.receive(t.now, TestNet.tooBig(packet, mtu));
    packet.release();
    t.turn();
  }

  private static TcpTranscript sending(boolean ilnp) {
    TcpTranscript t = new TcpTranscript(ilnp).established("mss=1440 win=65535");
    t.send(4000);
    return t;
  }

  // ---- Packet Too Big -------------------------------------------------------------------------

  @Test
  void shouldCutWhatWasSentWhenThePathTakesLess() {
    TcpTranscript t = sending(true);
    TcpTranscript.Sent first = t.expect("A seq=1 len=1432");
    assertThat(first.packetBytes).isEqualTo(1500);
    t.expect("A seq=1433 len=1432");
    t.expect("A seq=2865 len=1136");
    tooBig(t, first, 1300);
    t.expect("A seq=1 len=1232");
    t.expect("A seq=1233 len=200");
    t.expect("A seq=1433 len=1232");
    t.expect("A seq=2665 len=200");
    t.expectNothing();
    assertThat(t.connection.info(t.now).ssthreshBytes())
        .as("no congestion")
        .isEqualTo(Long.MAX_VALUE);
    t.receive("A seq=1 ack=4001 win=65535");
    t.send(2000).expect("A seq=4001 len=1232");
    t.end();
  }

  /** What is queued and not sent yet has no size yet; tailscale/tailscale#9720. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void shouldSendWhatIsQueuedInTheSizeThePathTakes(boolean ilnp) {
    TcpTranscript t = new TcpTranscript(ilnp).established("mss=1440 win=2000");
    t.send(9000);
    TcpTranscript.Sent first = t.expect("A seq=1");
    t.sent.clear();
    tooBig(t, first, 1280);
    t.sent.clear();
    t.receive("A seq=1 ack=" + (1 + first.h.payloadLength) + " win=65535");
    assertThat(t.sent).isNotEmpty().allMatch(s -> s.packetBytes <= 1280);
    assertThat(t.sent).anyMatch(s -> s.packetBytes == 1280);
    t.end();
  }

  @ParameterizedTest
  @CsvSource({"0", "68", "552", "1279"})
  void shouldIgnoreSizesNoIpv6PathHas(int mtu) {
    TcpTranscript t = sending(true);
    TcpTranscript.Sent first = t.expect("A seq=1 len=1432");
    t.sent.clear();
    tooBig(t, first, mtu);
    t.expectNothing();
    assertThat(t.dropped(DropReason.ICMP_MTU_TOO_SMALL)).isOne();
    assertThat(t.connection.info(t.now).mssBytes()).isEqualTo(1432);
    t.end();
  }

  @ParameterizedTest
  @ValueSource(ints = {1500, 9000, -1})
  void shouldIgnoreSizesThatFitAlready(int mtu) {
    TcpTranscript t = sending(true);
    TcpTranscript.Sent first = t.expect("A seq=1 len=1432");
    t.sent.clear();
    tooBig(t, first, mtu);
    t.expectNothing();
    assertThat(t.dropped(DropReason.ICMP_ERROR_NOT_OURS)).isOne();
    assertThat(t.connection.info(t.now).mssBytes()).isEqualTo(1432);
    t.end();
  }

  /** RFC 5927: it must quote what may be in flight, and in ILNP mode our nonce. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void shouldNotBelieveErrorsThatQuoteNothingInFlight(boolean ilnp) {
    TcpTranscript t = sending(ilnp);
    TcpTranscript.Sent first = t.expect("A seq=1");
    t.sent.clear();
    int tcp = first.packetBytes - 20 - first.h.payloadLength;
    for (int wrong : new int[] {-1, 4000, 1 << 30}) {
      TcpTranscript.Sent forged = first.copy();
      forged.packet.setInt(tcp + 4, t.ourIsn + 1 + wrong);
      tooBig(t, forged, 1280);
    }
    TcpTranscript.Sent port = first.copy();
    port.packet.setShort(tcp + 2, 40001);
    tooBig(t, port, 1280);
    TcpTranscript.Sent stranger = first.copy();
    stranger.packet.setInt(ilnp ? Ip6.HEADER_BYTES + 4 : Ip6.SRC_L64, 0x12345678);
    tooBig(t, stranger, 1280);
    t.expectNothing();
    assertThat(t.node.pathMtu.get(t.now, t.connection.info(t.now).path())).isEqualTo(1500);
    tooBig(t, first, 1280);
    assertThat(t.node.pathMtu.get(t.now, t.connection.info(t.now).path())).isEqualTo(1280);
    t.end();
  }

  /** google/gvisor#9922: the accepting side as well. tailscale/tailscale#20077: in SYN-ACK, too. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void shouldUseTheSizeOfThePathWhicheverSideOpened(boolean weOpen) {
    TcpTranscript t = new TcpTranscript(false, SMALL, 77, 1400);
    if (weOpen) {
      t.connect().expect("S mss=1340");
      t.receive("SA seq=0 ack=1 mss=1440").expect("A");
    } else {
      t.listen().receive("S seq=0 mss=1440");
      t.expect("SA mss=1340");
      t.receive("A seq=1 ack=1");
    }
    t.send(3000);
    TcpTranscript.Sent first = t.expect("A seq=1 len=1340");
    t.sent.clear();
    tooBig(t, first, 1300);
    t.expect("A seq=1 len=1240");
    t.end();
  }

  @ParameterizedTest
  @CsvSource({"0,64", "1,64", "63,64", "64,64", "1432,1432", "65535,1440"})
  void shouldTakeAnyMssAPeerMaySay(int mss, int segment) {
    TcpTranscript t = new TcpTranscript(false).established("mss=" + mss + " win=60000");
    t.send(3000).expect("A seq=1 len=" + segment);
    t.end();
  }

  /** jmcorgan/fips#15: nonce and options are in the packet, too. */
  @ParameterizedTest
  @CsvSource({"true,false", "true,true", "false,false", "false,true"})
  void shouldCountNonceAndOptionsAsPartOfThePacket(boolean ilnp, boolean options) {
    TcpTranscript t = new TcpTranscript(ilnp).listen();
    t.receive("S seq=0 mss=1440 win=20000" + (options ? " ts=5 sackok" : "")).expect("SA");
    t.receive("A seq=1 ack=1 win=20000" + (options ? " ts=6" : ""));
    t.receive("A seq=5001 ack=1 win=20000 len=10").sent.clear(); // SACK blocks from now on
    t.send(4500);
    assertThat(t.sent).hasSize(4);
    assertThat(t.expect("A seq=1 sack=" + (options ? "5001-5011" : "no")).packetBytes)
        .isEqualTo(1500);
    t.end();
  }

  // ---- whole transfers ------------------------------------------------------------------------

  private static Pair pair(int seed, boolean ilnp, int mtu) {
    return new Pair(seed, ilnp, TcpConfig.DEFAULT.withBuffers(1 << 20, 1 << 20), mtu, 20);
  }

  private static int mtu(Pair p, TestNode n, long local, long remote) {
    return n.pathMtu.get(p.net.now, new LocatorPair(local, remote));
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void shouldFollowARoutersReportWithinOneRoundTrip(boolean ilnp) {
    Pair p = pair(1, ilnp, 1500);
    p.net.access(Pair.LC).mtu = 1400;
    p.openAndAwait(1_000_000, 0);
    p.net.await(NanoClock.seconds(3), p::isDone);
    p.assertIntact();
    assertThat(mtu(p, p.mn, Pair.L1, Pair.LC)).isEqualTo(1400);
    assertThat(p.mn.counters.get(Counter.TCP_TIMEOUTS)).isZero();
    p.net.assertNoLeaks();
  }

  /** RFC 8899: no router says why large packets vanish. The right size is found, not the least. */
  @ParameterizedTest
  @CsvSource({
    "true,1500,1400,1400",
    "false,1500,1400,1400",
    "true,1500,1280,1280",
    "false,1500,1492,1492",
    "true,9000,1500,1500",
    "true,9000,8000,8000",
    "true,1500,1450,1450"
  })
  void shouldFindTheSizeOfABlackHole(boolean ilnp, int link, int hop, int found) {
    Pair p = pair(2, ilnp, link);
    p.net.access(Pair.LC).mtu = hop;
    p.net.access(Pair.LC).reports = false;
    p.openAndAwait(20_000_000, 0);
    assertThat(p.client.connection.info(p.net.now).mode())
        .isEqualTo(ilnp ? SessionMode.ILNP : SessionMode.CLASSIC);
    p.net.await(NanoClock.seconds(60), p::isDone);
    p.assertIntact();
    assertThat(mtu(p, p.mn, Pair.L1, Pair.LC)).isEqualTo(found);
    assertThat(p.mn.counters.get(Counter.TCP_MTU_BLACK_HOLES)).isOne();
    assertThat(p.mn.counters.get(Counter.TCP_TIMEOUTS))
        .as("only until it was noticed")
        .isEqualTo(2);
    p.net.assertNoLeaks();
  }

  /** RFC 8899 §3: lost probes are repaired without slowing down. */
  @Test
  void shouldNotTakeTheLossOfAProbeForCongestion() {
    Pair p = pair(3, true, 1500);
    p.net.access(Pair.LC).mtu = 1300;
    p.net.access(Pair.LC).reports = false;
    p.openAndAwait(10_000_000, 0);
    p.net.await(NanoClock.seconds(20), () -> p.mn.counters.get(Counter.TCP_MTU_BLACK_HOLES) == 1);
    p.net.access(Pair.LC).tooLarge = 0;
    long before = p.mn.counters.get(Counter.TCP_FAST_RECOVERIES);
    p.net.await(NanoClock.seconds(60), p::isDone);
    p.assertIntact();
    assertThat(p.net.access(Pair.LC).tooLarge).as("probes lost").isBetween(3, 20);
    assertThat(p.mn.counters.get(Counter.TCP_FAST_RECOVERIES)).isEqualTo(before);
    p.net.assertNoLeaks();
  }

  /** Without SACK the loss of a probe cannot be told from others: the base size has to do. */
  @Test
  void shouldGoOnWithTheBaseSizeWithoutSack() {
    TcpTranscript t = new TcpTranscript(true).established("mss=1440 win=65535");
    t.send(2 * 1432);
    t.expect("A seq=1 len=1432");
    t.expect("A seq=1433 len=1432");
    t.after(1000).expect("A seq=1 len=1432");
    t.after(2000).expect("A seq=1 len=1212"); // smaller than any path's
    t.sent.clear();
    t.receive("A seq=1 ack=1213 win=65535");
    assertThat(t.sent).allMatch(s -> s.packetBytes <= 1280);
    assertThat(t.connection.info(t.now).mssBytes()).isEqualTo(1212);
    t.receive("A seq=1 ack=2865 win=65535").sent.clear();
    t.send(60_000);
    assertThat(t.sent).isNotEmpty().allMatch(s -> s.packetBytes <= 1280);
    assertThat(t.node.counters.get(Counter.TCP_MTU_PROBES)).isZero();
    t.end();
  }

  /** Losses of all sizes are no black hole. */
  @Test
  void shouldNotTakeAnOutageForABlackHole() {
    Pair p = pair(4, true, 1500);
    p.openAndAwait(3_000_000, 0);
    p.net.access(Pair.LC).up = false;
    p.net.runFor(NanoClock.seconds(5));
    p.net.access(Pair.LC).up = true;
    p.net.await(NanoClock.seconds(60), p::isDone);
    p.assertIntact();
    // The small head that came through first raised a suspicion; probes have cleared it since.
    assertThat(mtu(p, p.mn, Pair.L1, Pair.LC)).isEqualTo(1500);
    p.net.assertNoLeaks();
  }

  /** RFC 8201 §4, RFC 8899 PMTU_RAISE_TIMER. */
  @Test
  void shouldFindThatAPathTakesMoreAfterTenMinutes() {
    Pair p = pair(5, true, 1500);
    p.net.access(Pair.LC).mtu = 1400;
    p.openAndAwait(60_000_000, 0);
    p.client.trickle = true;
    p.client.allowed = 1_000_000;
    p.net.runFor(NanoClock.seconds(10));
    assertThat(mtu(p, p.mn, Pair.L1, Pair.LC)).isEqualTo(1400);
    p.net.access(Pair.LC).mtu = 1500;
    for (int i = 0; i < 70; i++) {
      p.client.allowed += 400_000;
      p.client.pump(p.net.now);
      p.net.runFor(NanoClock.seconds(10));
      if (i < 50) {
        assertThat(mtu(p, p.mn, Pair.L1, Pair.LC)).isEqualTo(1400);
      }
    }
    assertThat(mtu(p, p.mn, Pair.L1, Pair.LC)).isEqualTo(1500);
    p.client.allowed = 60_000_000;
    p.client.pump(p.net.now);
    p.net.await(NanoClock.seconds(60), p::isDone);
    p.assertIntact();
    p.net.assertNoLeaks();
  }

  // ---- moves ----------------------------------------------------------------------------------

  @ParameterizedTest
  @CsvSource({"1500,1400,true", "1500,1400,false", "1300,1500,true", "1400,1500,false"})
  void shouldUseTheSizeOfTheNewPathAfterASoftMove(int before, int after, boolean reports) {
    Pair p = pair(6, true, 1500);
    p.net.access(Pair.L1).mtu = before;
    p.net.access(Pair.L2).mtu = after;
    p.net.access(Pair.L2).reports = reports;
    p.openAndAwait(30_000_000, 0);
    p.net.runFor(NanoClock.millis(200));
    p.softMove(p.mn, Pair.L1, Pair.L2, true);
    p.net.await(NanoClock.seconds(60), p::isDone);
    p.assertIntact();
    assertThat(mtu(p, p.mn, Pair.L2, Pair.LC)).isEqualTo(after);
    assertThat(mtu(p, p.mn, Pair.L1, Pair.LC)).isEqualTo(before);
    p.net.assertNoLeaks();
  }

  @Test
  void shouldUseTheSizeOfTheNewPathAfterAHardMove() {
    Pair p = pair(7, true, 1500);
    p.net.access(Pair.L2).mtu = 1350;
    p.openAndAwait(10_000_000, 0);
    p.net.runFor(NanoClock.millis(200));
    p.hardMove(p.mn, Pair.L1, Pair.L2, NanoClock.millis(300), true);
    p.net.await(NanoClock.seconds(60), p::isDone);
    p.assertIntact();
    assertThat(mtu(p, p.mn, Pair.L2, Pair.LC)).isEqualTo(1350);
    p.net.assertNoLeaks();
  }
}

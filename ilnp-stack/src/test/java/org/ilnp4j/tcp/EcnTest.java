package org.ilnp4j.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import java.util.function.Predicate;
import org.ilnp4j.ilnp.LocalLocator;
import org.ilnp4j.time.NanoClock;
import org.ilnp4j.util.Counter;
import org.ilnp4j.wire.Ip6;
import org.ilnp4j.wire.PacketView;
import org.ilnp4j.wire.TcpHeader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Marks instead of losses (RFC 3168, RFC 8311). Segments carry 1000 octets in either mode. */
class EcnTest {
  private static TcpTranscript with(boolean ilnp, EcnMode mode) {
    TcpConfig config = TcpConfig.DEFAULT.withBuffers(65536, 65535).withEcn(mode);
    return new TcpTranscript(ilnp, config, 0x7000_0000, 1500);
  }

  private static String mss(boolean ilnp) {
    return " mss=" + (ilnp ? 1008 : 1000) + " win=60000";
  }

  /** The other side has asked, and we have granted. */
  private static TcpTranscript granted(boolean ilnp) {
    TcpTranscript t = with(ilnp, EcnMode.PASSIVE).listen();
    t.receive("SEW seq=0" + mss(ilnp)).expect("SAE seq=0 ack=1 ecn=no");
    t.receive("A seq=1 ack=1 win=60000").expectNothing();
    assertThat(t.connection.info(t.now).ecn()).isTrue();
    t.events.clear();
    return t;
  }

  // ---- handshake ------------------------------------------------------------------------------

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void shouldAskAndMarkNewDataCapable(boolean ilnp) {
    TcpTranscript t = with(ilnp, EcnMode.ON).connect();
    t.expect("SEW seq=0 ecn=no");
    t.receive("SAE seq=0 ack=1" + mss(ilnp)).expect("A ack=1 ecn=no");
    t.send(1500).expect("A seq=1 len=1000 ecn=ect0");
    t.expect("PA seq=1001 len=500 ecn=ect0");
    t.shutdown().expect("FA seq=1501 len=0 ecn=no");
    t.end();
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void shouldDoWithoutWhenNotGranted(boolean ilnp) {
    TcpTranscript t = with(ilnp, EcnMode.ON).connect();
    t.expect("SEW seq=0");
    t.receive("SA seq=0 ack=1" + mss(ilnp)).expect("A ack=1");
    t.send(10).expect("PA len=10 ecn=no");
    assertThat(t.connection.info(t.now).ecn()).isFalse();
    t.end();
  }

  @ParameterizedTest(name = "{0}: {1} is answered {2}")
  @CsvSource({
    "PASSIVE, SEW seq=0, SAE",
    "ON, SEW seq=0, SAE",
    "OFF, SEW seq=0, SA",
    "ON, S seq=0, SA",
    "ON, SE seq=0, SA",
    "ON, SW seq=0, SA",
    "ON, SEW seq=0 ecn=ect0, SA",
    "ON, SEW seq=0 ecn=ect1, SA",
    "ON, SEW seq=0 ecn=ce, SA",
  })
  void shouldGrantOnlyWhatIsAskedFor(EcnMode mode, String syn, String answer) {
    for (boolean ilnp : new boolean[] {true, false}) {
      TcpTranscript t = with(ilnp, mode).listen();
      t.receive(syn + mss(ilnp)).expect(answer + " ack=1 ecn=no");
      t.receive("A seq=1 ack=1");
      t.send(10).expect("A len=10 ecn=" + (answer.equals("SAE") ? "ect0" : "no"));
      t.end();
    }
  }

  @ParameterizedTest(name = "answer {0}")
  @ValueSource(strings = {"SAEW", "SAE seq=0 ecn=ce", "SAE seq=0 ecn=ect1"})
  void shouldNotBelieveAnAnswerThatOnlyReflectsOrIsMarked(String answer) {
    TcpTranscript t = with(true, EcnMode.ON).connect();
    t.expect("SEW seq=0");
    t.receive(answer + " ack=1" + mss(true)).expect("A ack=1");
    t.send(10).expect("PA len=10 ecn=no");
    t.end();
  }

  @Test
  void shouldNotAskUnlessToldTo() {
    for (EcnMode mode : new EcnMode[] {EcnMode.OFF, EcnMode.PASSIVE}) {
      TcpTranscript t = with(true, mode).connect();
      t.expect("S seq=0 ecn=no");
      t.end();
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void shouldRepeatALostSynWithoutAndSendNothingMarkedCapable(boolean ilnp) {
    TcpTranscript t = with(ilnp, EcnMode.ON).connect();
    t.expect("SEW seq=0");
    t.after(1000).expect("S seq=0");
    t.receive("SAE seq=0 ack=1" + mss(ilnp)).expect("A ack=1"); // the first one was not lost
    t.send(10).expect("PA len=10 ecn=no");
    t.receive("A seq=1 ack=11 len=10 ecn=ce").expect("AE ack=11"); // the other side may mark
    t.end();
  }

  @Test
  void shouldRepeatALostSynAckWithout() {
    TcpTranscript t = with(true, EcnMode.PASSIVE).listen();
    t.receive("SEW seq=0" + mss(true)).expect("SAE seq=0 ack=1");
    t.after(1000).expect("SA seq=0 ack=1");
    t.receive("A seq=1 ack=1");
    t.send(10).expect("PA len=10 ecn=no");
    t.end();
  }

  @Test
  void shouldTakeBackTheGrantWhenTheSynIsRepeatedWithout() {
    TcpTranscript t = with(true, EcnMode.PASSIVE).listen();
    t.receive("SEW seq=0" + mss(true)).expect("SAE seq=0 ack=1");
    t.receive("S seq=0" + mss(true)).expect("SA seq=0 ack=1");
    t.receive("A seq=1 ack=1");
    assertThat(t.connection.info(t.now).ecn()).isFalse();
    t.end();
  }

  // ---- receiver -------------------------------------------------------------------------------

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void shouldEchoAMarkUntilTheOtherSideHasSlowedDown(boolean ilnp) {
    TcpTranscript t = granted(ilnp);
    t.receive("A seq=1 ack=1 len=1000 ecn=ect0").expect("A ack=1001");
    t.receive("A seq=1001 ack=1 len=1000 ecn=ce").expect("AE ack=2001");
    t.receive("A seq=2001 ack=1 len=1000 ecn=ect0").expect("AE ack=3001");
    t.send(10).expect("AE len=10"); // on data, too
    t.receive("A seq=3001 ack=11 len=1000 ecn=ect0").expect("AE ack=4001");
    t.receive("AW seq=4001 ack=11 len=1000 ecn=ect0").expect("A ack=5001");
    t.receive("AW seq=5001 ack=11 len=1000 ecn=ce").expect("AE ack=6001");
    assertThat(t.connection.info(t.now).ecnMarks()).isEqualTo(2);
    assertThat(t.node.counters.get(Counter.TCP_ECN_MARKS)).isEqualTo(2);
    t.end();
  }

  @Test
  void shouldEchoAtOnce() {
    TcpTranscript t = granted(true).beyondQuickAcks();
    t.receive("A seq=17 ack=1 len=1000 ecn=ce").expect("AE ack=1017");
    t.receive("A seq=1017 ack=1 len=1000 ecn=ce").expectNothing(); // told already
    t.receive("A seq=2017 ack=1 len=1000").expect("AE ack=3017");
    t.receive("AW seq=3017 ack=1 len=1000").expect("A ack=4017");
    t.end();
  }

  @Test
  void shouldTakeNoNoticeOfMarksThatWereNotAgreedOn() {
    TcpTranscript t = new TcpTranscript(true).established();
    t.receive("A seq=1 ack=1 len=1000 ecn=ce").expect("A ack=1001");
    t.send(10).expect("PA len=10 ecn=no");
    t.receive("AE seq=1001 ack=11 ecn=ce").expectNothing();
    assertThat(t.connection.info(t.now).ecnReductions()).isZero();
    t.end();
  }

  // ---- sender ---------------------------------------------------------------------------------

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void shouldReduceOncePerWindowWithoutBurstOrPause(boolean ilnp) {
    TcpTranscript t = granted(ilnp);
    t.send(40_000);
    for (int i = 0; i < 10; i++) {
      t.expect("A seq=" + (1 + 1000 * i) + " len=1000 ecn=ect0");
    }
    t.expectNothing();
    long cwnd = t.connection.info(t.now).cwndBytes();
    int next = 10_001;
    boolean told = false;
    for (int ack = 1001; ack <= 10_001; ack += 1000) {
      t.receive("AE seq=1 ack=" + ack + " win=60000"); // all of the window
      int burst = 0;
      while (!t.sent.isEmpty()) {
        t.expect((told ? "A" : "AW") + " seq=" + next + " len=1000 ecn=ect0");
        told = true;
        next += 1000;
        burst++;
      }
      assertThat(burst).isLessThanOrEqualTo(1);
    }
    TcpInfo info = t.connection.info(t.now);
    assertThat(info.ecnReductions()).isEqualTo(1);
    assertThat(info.cwndBytes()).isBetween(cwnd / 2, cwnd * 9 / 10);
    assertThat(info.flightBytes()).isBetween(info.cwndBytes() - 1000, info.cwndBytes());
    assertThat(info.retransmittedSegments()).isZero();
    t.receive("AE seq=1 ack=11001 win=60000");
    assertThat(t.connection.info(t.now).ecnReductions()).as("another window").isEqualTo(2);
    t.end();
  }

  @Test
  void shouldSayThatItSlowedDownWithTheNextNewData() {
    TcpTranscript t = granted(true);
    t.send(1000).expect("PA seq=1 len=1000 ecn=ect0");
    t.receive("AE seq=1 ack=1001 win=60000").expectNothing();
    t.receive("A seq=1 ack=1001 len=10").expect("A ack=11 len=0");
    t.send(1000).expect("PAW seq=1001 len=1000 ecn=ect0");
    t.receive("A seq=11 ack=2001 win=60000");
    t.send(1000).expect("PA seq=2001 len=1000 ecn=ect0");
    t.end();
  }

  @Test
  void shouldNotMarkRetransmissionsOrProbesCapable() {
    TcpTranscript t = granted(true);
    t.send(2000).expect("A seq=1 len=1000 ecn=ect0");
    t.expect("A seq=1001 len=1000 ecn=ect0");
    t.sent.clear();
    t.after(3000);
    while (!t.sent.isEmpty()) {
      t.expect("A len=1000 ecn=no");
    }
    t.receive("A seq=1 ack=2001 win=0");
    t.send(1000).expectNothing();
    t.after(60_000).expect("A seq=2001 len=1 ecn=no");
    t.end();
  }

  // ---- paths ----------------------------------------------------------------------------------

  @Test
  void shouldStopWhereAcknowledgementsComeMarked() {
    TcpTranscript t = granted(true);
    t.send(1000).expect("PA seq=1 len=1000 ecn=ect0");
    t.receive("A seq=1 ack=1001 win=60000 ecn=ce");
    t.send(1000).expect("PA seq=1001 len=1000 ecn=no");
    t.receive("A seq=1 ack=2001 len=10 ecn=ce").expect("A ack=11"); // and believes no mark
    t.end();
  }

  @Test
  void shouldStopWhereEverythingIsMarkedHoweverLittleIsSent() {
    TcpTranscript t = granted(true);
    int una = 1;
    int windows = 0;
    while (windows < 30) {
      t.send(1000);
      TcpTranscript.Sent s = t.sent.peekLast();
      t.sent.clear();
      if (s.ecn == 0) {
        break;
      }
      una += 1000;
      t.receive("AE seq=1 ack=" + una + " win=60000");
      windows++;
    }
    assertThat(windows).isBetween(6, 20);
    t.end();
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void shouldStartAnewOnAnotherPath(boolean unsound) {
    TcpTranscript t = granted(true);
    t.send(1000).expect("PA seq=1 len=1000 ecn=ect0");
    if (unsound) {
      t.receive("A seq=1 ack=1 win=60000 ecn=ect1");
      t.send(1000).expect("PA seq=1001 len=1000 ecn=no");
    } else {
      t.receive("A seq=1 ack=1 len=1000 ecn=ce").expect("AE ack=1001");
      t.send(1000).expect("AE seq=1001 len=1000 ecn=ect0");
    }
    t.node.ilcc.local().get(TcpTranscript.OUR_L64).leave(t.now);
    t.node.addLocator(TcpTranscript.OTHER_L64, LocalLocator.State.ACTIVE);
    t.node.ilcc.localChanged(t.now);
    t.turn();
    t.sent.clear();
    // Marked on the old path: ended by the CWR, but no reason to slow down on this one.
    t.receive("AE seq=" + (unsound ? 1 : 1001) + " ack=2001 win=60000");
    assertThat(t.connection.info(t.now).ecnReductions()).isZero();
    TcpTranscript.Sent s = t.send(1000).expect("AW seq=2001 len=1000 ecn=ect0");
    assertThat(s.srcL64).isEqualTo(TcpTranscript.OTHER_L64);
    t.receive("AE seq=" + (unsound ? 1 : 1001) + " ack=3001 win=60000");
    assertThat(t.connection.info(t.now).ecnReductions()).isEqualTo(1);
    t.end();
  }

  // ---- in a network ---------------------------------------------------------------------------

  /** The queue of the bottleneck, which marks instead of dropping when it is longer than that. */
  private static final class MarkingQueue implements Predicate<ByteBuf> {
    private final TestNet net;
    private final TestNet.Access bottleneck;
    private final long thresholdBytes;
    private long busyUntilNanos;
    private long longestBytes;
    private long marked;

    MarkingQueue(TestNet net, TestNet.Access bottleneck, long thresholdBytes) {
      this.net = net;
      this.bottleneck = bottleneck;
      this.thresholdBytes = thresholdBytes;
    }

    @Override
    public boolean test(ByteBuf packet) {
      int at = packet.readerIndex();
      if (packet.getLong(at + Ip6.DST_L64) != bottleneck.l64) {
        return true;
      }
      long start = Math.max(net.now, busyUntilNanos);
      long waiting = (start - net.now) * bottleneck.rate / 1_000_000_000L;
      longestBytes = Math.max(longestBytes, waiting);
      busyUntilNanos = start + packet.readableBytes() * 1_000_000_000L / bottleneck.rate;
      int first = packet.getInt(at);
      if (waiting > thresholdBytes && Ip6.ecn(first >>> 20) != 0) {
        packet.setInt(at, first | Ip6.ECN_CE << 20);
        marked++;
      }
      return true;
    }
  }

  @ParameterizedTest(name = "ILNP {0}, {1}")
  @CsvSource({"true, cubic", "false, cubic", "true, reno"})
  void shouldKeepTheQueueShortAndLoseNothing(boolean ilnp, String algorithm) {
    TcpConfig config = TcpConfig.DEFAULT.withEcn(EcnMode.ON).withCongestionControl(algorithm);
    Pair pair = new Pair(4, ilnp, config, 1500, 10);
    TestNet.Access bottleneck = pair.net.access(Pair.L1);
    bottleneck.rate = 50_000_000 / 8;
    bottleneck.queueBytes = 4 << 20;
    MarkingQueue queue = new MarkingQueue(pair.net, bottleneck, 60_000); // half of what fits
    pair.net.filter = queue;
    pair.openAndAwait(0, 1L << 40);
    pair.net.runFor(NanoClock.seconds(2));
    queue.longestBytes = 0;
    long before = pair.client.received;
    pair.net.runFor(NanoClock.seconds(8));
    TcpInfo sender = pair.server.connection.info(pair.net.now);
    assertThat(sender.retransmittedSegments()).isZero();
    assertThat(sender.ecnReductions()).isBetween(4L, 200L);
    assertThat(pair.client.connection.info(pair.net.now).ecnMarks()).isEqualTo(queue.marked);
    assertThat(queue.longestBytes).isLessThan(120_000);
    assertThat((pair.client.received - before) / (8.0 * bottleneck.rate)).isGreaterThan(0.9);
    pair.client.connection.abort(pair.net.now);
    pair.server.connection.abort(pair.net.now);
    pair.listener.close();
    pair.net.assertNoLeaks();
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void shouldConnectThroughAMiddleboxThatDropsSynsWithEcnFlags(boolean ilnp) {
    Pair pair = new Pair(5, ilnp, TcpConfig.DEFAULT.withEcn(EcnMode.ON));
    pair.net.filter =
        packet -> {
          PacketView v = new PacketView();
          TcpHeader h = new TcpHeader();
          v.parse(packet);
          h.parse(packet, v.upperIndex, v.upperLength);
          return !(h.has(TcpHeader.SYN) && (h.flags & 0xc0) != 0);
        };
    pair.open(100_000, 100_000);
    pair.net.await(NanoClock.seconds(30), pair::isDone);
    pair.assertIntact();
    assertThat(pair.client.connection.info(pair.net.now).ecn()).isFalse();
    pair.net.assertNoLeaks();
  }
}

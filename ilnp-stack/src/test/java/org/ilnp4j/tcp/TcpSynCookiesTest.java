package org.ilnp4j.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.ilnp4j.ilnp.Correspondent;
import org.ilnp4j.time.NanoClock;
import org.ilnp4j.util.Counter;
import org.ilnp4j.util.DropReason;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * SYN cookies (RFC 4987, tcp.md B3 and B8): what happens to callers when too many are half open.
 */
class TcpSynCookiesTest {
  private static final int BACKLOG = 4;

  /** Callers asked about while they have a connection already, in the order they came. */
  private final List<TcpPending> asked = new ArrayList<>();

  /** A listener whose backlog is full of callers that never answer. */
  private static TcpTranscript pressed(boolean ilnp) {
    return pressed(ilnp, TcpConfig.DEFAULT.withBuffers(65536, 1 << 20));
  }

  private static TcpTranscript pressed(boolean ilnp, TcpConfig config) {
    TcpTranscript t = new TcpTranscript(ilnp, config.withBacklog(BACKLOG), 77, 1500).listen();
    for (int i = 0; i < BACKLOG; i++) {
      t.receive("S seq=0 nid=" + (1 + i));
      t.events.clear();
    }
    assertThat(t.sent).hasSize(BACKLOG);
    t.sent.clear();
    t.connection = null;
    return t;
  }

  private static TcpTranscript sendsCookie(TcpTranscript t) {
    assertThat(t.node.counters.get(Counter.TCP_SYN_COOKIES_SENT)).isPositive();
    assertThat(t.listener.halfOpen).as("nothing is remembered").isEqualTo(BACKLOG);
    assertThat(t.node.engine.connections()).isEqualTo(BACKLOG);
    assertThat(t.node.ilcc.size()).isEqualTo(BACKLOG);
    return t;
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void shouldServeACallerBeyondTheBacklogWithoutRememberingItsSyn(boolean ilnp) {
    TcpTranscript t = pressed(ilnp);
    t.after(1000).sent.clear();
    t.receive("S seq=0 mss=1440 ws=7 sackok ts=500");
    assertThat(t.expect("SA seq=0 ack=1 mss=1440 ws=5 sackok ts=500").nonce).isEqualTo(ilnp);
    sendsCookie(t).expectEvents();
    t.receive("A seq=1 ack=1 win=100").expectEvents("syn", "connected").expectNothing();
    t.expectState(TcpState.ESTABLISHED);
    assertThat(t.listener.halfOpen).isEqualTo(BACKLOG);
    assertThat(t.node.counters.get(Counter.TCP_SYN_COOKIES_ACCEPTED)).isOne();
    TcpInfo info = t.connection.info(t.now);
    assertThat(info.sendWindowBytes()).as("scaled").isEqualTo(100 << 7);
    assertThat(info.mssBytes()).isEqualTo(1440 - 12 - (ilnp ? 8 : 0));
    t.receive("PA seq=1 ack=1 len=500").expectEvents("readable");
    t.expect("A ack=501"); // the window grows beyond what a SYN can say
    t.receive("PA seq=1001 ack=1 len=500");
    t.expect("A ack=501 sack=1001-1501");
    t.receive("PA seq=501 ack=1 len=500").expectEvents("readable");
    t.expect("A ack=1501");
    t.end();
  }

  @Test
  void shouldGoWithoutOptionsWhenThereAreNoTimestampsToKeepThemIn() {
    TcpTranscript t = pressed(true);
    t.receive("S seq=0 mss=1400 ws=7 sackok");
    t.expect("SA seq=0 ack=1 mss=1440 ws=no sackok=no ts=no");
    t.receive("A seq=1 ack=1 win=100");
    assertThat(t.connection.info(t.now).sendWindowBytes()).isEqualTo(100);
    t.receive("PA seq=1001 ack=1 len=500");
    t.expect("A ack=1 sack=no");
    t.end();
  }

  @ParameterizedTest
  @EnumSource(EcnMode.class)
  void shouldKeepWhatTheCallerSaidOfEcn(EcnMode mode) {
    TcpConfig config = TcpConfig.DEFAULT.withBuffers(65536, 65535).withEcn(mode);
    TcpTranscript t = pressed(true, config);
    t.receive("SEW seq=0 mss=1440 ts=500");
    t.expect((mode == EcnMode.OFF ? "SA" : "SAE") + " seq=0 ack=1");
    t.receive("A seq=1 ack=1");
    assertThat(((Tcb) t.connection).ecn != null).isEqualTo(mode != EcnMode.OFF);
    t.receive("SEW seq=0 mss=1440 ts=no sport=5").expect("SA ts=no"); // nowhere to keep it
    t.end();
  }

  @Test
  void shouldNotAgreeToWhatIsSwitchedOff() {
    TcpConfig config = TcpConfig.DEFAULT.withBuffers(65536, 65535);
    TcpTranscript t = pressed(true, config.withSack(false).withWindowScaling(false));
    t.receive("S seq=0 mss=1440 ws=7 sackok ts=500").expect("SA ts=500 ws=no sackok=no");
    t.receive("A seq=1 ack=1 win=100");
    assertThat(t.connection.info(t.now).sendWindowBytes()).isEqualTo(100);
    t.end();
    TcpTranscript plain = pressed(true, config.withTimestamps(false));
    plain.receive("S seq=0 mss=1440 ws=7 sackok ts=500").expect("SA ts=no ws=no sackok=no");
    plain.receive("A seq=1 ack=1 ts=no").expectEvents("syn", "connected");
    plain.end();
  }

  /** The MSS is cut down to one of eight sizes, never up; 1220 when there is none. */
  @ParameterizedTest
  @CsvSource({"0,64", "1,64", "535,64", "536,536", "1219,536", "-1,1220", "1380,1360", "9999,1440"})
  void shouldRememberASegmentSizeTheCallerTakes(int mss, int expected) {
    TcpTranscript t = pressed(false);
    t.receive("S seq=0" + (mss < 0 ? "" : " mss=" + mss));
    t.expect("SA seq=0 ack=1");
    t.receive("A seq=1 ack=1");
    assertThat(t.connection.info(t.now).mssBytes()).isEqualTo(expected);
    t.end();
  }

  /** google/gvisor#6076. */
  @Test
  void shouldTakeNothingButAnAcknowledgementForTheAnswer() {
    TcpTranscript t = pressed(true);
    t.receive("S seq=0 mss=1000");
    t.expect("SA seq=0 ack=1");
    t.receive("RA seq=1 ack=1").receive("SA seq=1 ack=1");
    t.expect("R seq=1"); // to the latter
    t.expectEvents().expectNothing();
    sendsCookie(t);
    t.receive("A seq=1 ack=1").expectEvents("syn", "connected");
    t.receive("R seq=1").expectEvents("closed RESET");
    t.end();
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void shouldRefuseWhatIsNoAnswerToACookie(boolean ilnp) {
    TcpTranscript t = pressed(ilnp);
    t.receive("S seq=0 mss=1000");
    t.expect("SA seq=0 ack=1");
    t.receive("A seq=1 ack=2");
    t.expect("R seq=2");
    t.receive("A seq=2 ack=1");
    t.expect("R seq=1");
    t.receive("A seq=1 ack=1 sport=40001");
    t.expect("R seq=1");
    t.receive("A seq=1 ack=1 nid=9");
    t.expect("R seq=1");
    t.receive("A seq=1 ack=1 nonce=" + (ilnp ? "wrong" : "no from=20010db800020003"));
    t.expect("R seq=1");
    // What may come before its time is not refused, but waited for again.
    t.receive("PA seq=501 ack=1 len=500").expectNothing();
    assertThat(t.dropped(DropReason.TCP_BAD_COOKIE)).isEqualTo(6);
    sendsCookie(t).expectEvents();
    t.receive("PA seq=1 ack=1 len=500").expectEvents("syn", "connected", "readable");
    t.end();
  }

  @Test
  void shouldForgetACookieAfterTwoPeriods() {
    TcpTranscript t = pressed(true);
    long period = SynCookies.PERIOD_NANOS / NanoClock.millis(1);
    t.after(period - 1);
    for (int i = 0; i < BACKLOG; i++) {
      t.receive("S seq=0 nid=" + (10 + i));
    }
    t.sent.clear();
    t.receive("S seq=0 mss=1000");
    t.expect("SA seq=0 ack=1");
    t.after(period).events.clear(); // the end of the next one
    t.receive("A seq=1 ack=1").expectEvents("syn", "connected");
    t.abort().sent.clear();
    t.after(1);
    t.receive("A seq=1 ack=1");
    t.expect("R seq=1");
    t.after(2 * period);
    t.receive("A seq=1 ack=1");
    t.expect("R seq=1");
    assertThat(t.dropped(DropReason.TCP_BAD_COOKIE)).as("none were out").isOne();
    t.end();
  }

  /** google/gvisor#11536: an old Linux leaves timestamps out of the handshake's last ACK. */
  @Test
  void shouldWaitForTheNextSegmentWhenTheAnswerHasLostTheOptions() {
    TcpTranscript t = pressed(true);
    t.receive("S seq=0 mss=1000 ws=7 sackok ts=500");
    t.expect("SA seq=0 ack=1");
    t.receive("A seq=1 ack=1 ts=no").expectEvents().expectNothing();
    t.receive("PA seq=1 ack=1 win=10 len=5").expectEvents("syn", "connected", "readable");
    assertThat(t.connection.info(t.now).sendWindowBytes()).isEqualTo(10 << 7);
    t.end();
  }

  @Test
  void shouldTakeTheAnswerFromWhereverTheNonceProvesTheCaller() {
    TcpTranscript t = pressed(true);
    t.receive("S seq=0 mss=1000");
    t.expect("SA seq=0 ack=1");
    t.receive("A seq=1 ack=1 from=20010db800090009").expectEvents("syn", "connected");
    t.send(10);
    assertThat(t.expect("PA seq=1 len=10").dstL64).isEqualTo(0x20010db800090009L);
    t.end();
  }

  /** Whatever it is answered with, a caller knows us by one nonce. */
  @Test
  void shouldShowACallerTheSameNonceBeforeAndAfterItHasAnEntry() {
    TcpTranscript t = pressed(true);
    t.receive("S seq=0 mss=1000");
    int cookie = t.expect("SA seq=0 ack=1").nonceHigh;
    t.receive("S seq=0 mss=1000 sport=40001");
    assertThat(t.expect("SA ack=1").nonceHigh).as("its other connection").isEqualTo(cookie);
    t.receive("S seq=0 mss=1000 nid=9");
    assertThat(t.expect("SA ack=1").nonceHigh).as("another one").isNotEqualTo(cookie);
    t.receive("A seq=1 ack=1").expectEvents("syn", "connected");
    t.send(10);
    assertThat(t.expect("PA seq=1").nonceHigh).isEqualTo(cookie);
    t.receive("R seq=1 nid=1").receive("R seq=1 nid=2"); // pressure ends
    t.receive("S seq=0 mss=1000 sport=40002");
    assertThat(t.expect("SA ack=1").nonceHigh).isEqualTo(cookie);
    t.end();
  }

  @Test
  void shouldAnswerAKnownPeerWithTheNonceItKnows() {
    TcpTranscript t = new TcpTranscript(true, TcpConfig.DEFAULT.withBacklog(1), 77, 1500);
    t.connect();
    int ours = t.expect("S seq=0").nonceHigh;
    t.receive("SA seq=0 ack=1").expectEvents("connected");
    t.expect("A");
    t.listen();
    t.ourPort = TcpTranscript.OUR_PORT;
    t.peerPort = TcpTranscript.PEER_PORT;
    t.receive("S seq=0 nid=1");
    t.sent.clear();
    t.ourIsnKnown = false;
    t.receive("S seq=0");
    assertThat(t.expect("SA seq=0 ack=1").nonceHigh).isEqualTo(ours);
    t.events.clear();
    t.receive("A seq=1 ack=1").expectEvents("syn", "connected");
    assertThat(t.connection.correspondent()).isSameAs(t.peer);
    t.end();
  }

  /** RFC 6741 §5.4: with an equal NID it may be another node; its nonce is not the known one's. */
  @Test
  void shouldHearTheAnswerOfACallerWhoseNidIsKnownOfAnother() {
    TcpTranscript t = pressed(true);
    t.receive("A seq=1 ack=99 nonce=wrong nid=1").expectNothing();
    assertThat(t.dropped(DropReason.NONCE_WRONG)).isOne();
    t.receive("S seq=0 mss=1000 nonce=wrong nid=1 sport=5");
    t.expect("SA seq=0 ack=1");
    t.receive("A seq=1 ack=7 nonce=wrong nid=1 sport=5").expectNothing();
    assertThat(t.dropped(DropReason.NONCE_WRONG)).as("as without cookies").isEqualTo(2);
    t.receive("A seq=1 ack=1 nonce=wrong nid=1 sport=5").expectEvents("syn", "connected");
    assertThat(t.node.ilcc.size()).isEqualTo(BACKLOG + 1);
    t.end();
  }

  /** The first answer was slow, and the next SYN found room. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void shouldTakeTheAnswerToACookieWhenItHasStateBySomeLaterSyn(boolean decided) {
    TcpTranscript t = pressed(true);
    t.receive("S seq=0 mss=1000");
    t.expect("SA seq=0 ack=1");
    t.receive("R seq=1 nid=1").events.clear();
    t.autoAccept = decided;
    t.receive("S seq=0 mss=1000").events.clear();
    t.sent.clear();
    assertThat(t.listener.halfOpen).isEqualTo(BACKLOG);
    t.autoAccept = true;
    t.receive("A seq=1 ack=1");
    assertThat(t.events).contains("syn", "connected");
    t.expectNothing().expectState(TcpState.ESTABLISHED);
    assertThat(t.listener.halfOpen).isEqualTo(BACKLOG - 1);
    t.end();
  }

  // ---- the server decides later ---------------------------------------------------------------

  private TcpTranscript undecided() {
    TcpTranscript t = pressed(true);
    t.autoAccept = false;
    t.receive("S seq=0 mss=1000 ts=9");
    t.expect("SA seq=0 ack=1");
    t.receive("A seq=1 ack=1").expectEvents("syn").expectNothing();
    assertThat(t.listener.waiting).isOne();
    assertThat(t.pending.remotePort()).isEqualTo(TcpTranscript.PEER_PORT);
    return t;
  }

  /** Too late for "connection refused". */
  @Test
  void shouldResetACallerTheServerRefusesAfterItsCookie() {
    TcpTranscript t = undecided();
    t.pending.refuse(t.now);
    t.turn().expect("RA seq=1 ack=1");
    t.pending.refuse(t.now);
    t.turn().expectNothing();
    assertThat(t.pending.accept(t.now, t.handler)).isNull();
    assertThat(t.listener.waiting).isZero();
    t.end();
  }

  @Test
  void shouldKeepWhatTheCallerSendsUntilTheServerAccepts() {
    TcpTranscript t = undecided();
    t.receive("PA seq=1 ack=1 len=700").after(40);
    t.expect("A ack=701");
    t.receive("FA seq=701 ack=1");
    t.expect("A ack=702");
    t.expectEvents();
    t.connection = t.pending.accept(t.now, t.handler);
    t.turn().expectEvents("connected", "end", "end"); // data, then no more
    assertThat(t.readBytes()).isEqualTo(700);
    assertThat(t.listener.waiting).isZero();
    assertThat(t.pending.accept(t.now, t.handler)).as("only once").isNull();
    t.end();
  }

  @Test
  void shouldForgetAnUndecidedCallerThatResets() {
    TcpTranscript t = undecided();
    t.receive("PA seq=1 ack=1 len=700").sent.clear();
    t.receive("R seq=701");
    assertThat(t.listener.waiting).isZero();
    assertThat(t.pending.accept(t.now, t.handler)).isNull();
    t.expectNothing().expectEvents();
    assertThat(t.node.usedMemory()).isZero();
    t.end();
  }

  @Test
  void shouldResetACallerTheServerNeverDecidesAbout() {
    TcpTranscript t = undecided();
    t.after(75_000);
    assertThat(t.sent.removeLast().h.flags & 4).isEqualTo(4);
    assertThat(t.listener.waiting).isZero();
    t.end();
  }

  @Test
  void shouldResetUndecidedCallersWhenTheListenerCloses() {
    TcpTranscript t = undecided();
    t.listener.close();
    t.turn();
    assertThat(t.sent).hasSize(BACKLOG + 1).allMatch(s -> (s.h.flags & 4) != 0);
    assertThat(t.listener.waiting).isZero();
    assertThat(t.listener.halfOpen).isZero();
    t.end();
  }

  @Test
  void shouldBoundHowManyWaitForTheServer() {
    TcpTranscript t = pressed(true);
    t.autoAccept = false;
    for (int i = 0; i < BACKLOG + 1; i++) {
      t.receive("S seq=0 mss=1000 sport=" + i);
    }
    List<TcpTranscript.Sent> answers = List.copyOf(t.sent);
    t.sent.clear();
    t.ourIsn = 0;
    for (int i = 0; i < BACKLOG + 1; i++) {
      t.receive("A seq=1 sport=" + i + " ack=" + (answers.get(i).h.seq + 1));
    }
    assertThat(t.listener.waiting).isEqualTo(BACKLOG);
    assertThat(t.dropped(DropReason.TCP_BACKLOG_FULL)).isOne();
    t.expectNothing();
    t.connection = t.pending.accept(t.now, t.handler);
    t.receive("A seq=1 sport=4 ack=" + (answers.get(4).h.seq + 1));
    assertThat(t.listener.waiting).as("there was room again").isEqualTo(BACKLOG);
    t.end();
  }

  // ---- floods ---------------------------------------------------------------------------------

  /** Callers that never answer, each of its own NID; one in between that does. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void shouldServeARealCallerInAFloodOfTenThousand(boolean ilnp) {
    TcpConfig config = TcpConfig.DEFAULT.withBuffers(65536, 65535).withBacklog(64);
    TcpTranscript t = new TcpTranscript(ilnp, config, 77, 1500).listen();
    for (int i = 0; i < 5000; i++) {
      t.receive("S seq=" + i + " mss=1000 ws=7 ts=1 nid=" + (1 + i));
    }
    t.sent.clear();
    t.events.clear();
    t.receive("S seq=0 mss=1000 ws=7 sackok ts=500");
    t.expect("SA seq=0 ack=1");
    for (int i = 5000; i < 10_000; i++) {
      t.receive("S seq=" + i + " mss=1000 nid=" + (1 + i));
    }
    t.receive("A seq=1 ack=1");
    t.expectEvents("syn", "connected");
    t.receive("PA seq=1 ack=1 len=100").expectEvents("readable");
    assertThat(t.node.engine.connections()).isEqualTo(64 + 1);
    assertThat(t.node.ilcc.size()).isEqualTo(64 + 1);
    assertThat(t.node.counters.get(Counter.TCP_SYN_COOKIES_SENT)).isEqualTo(10_000 - 64 + 1);
    assertThat(t.sent.stream().filter(s -> s.h.flags == 0x12)).hasSize(5000);
    t.abort();
    t.after(200_000);
    assertThat(t.node.engine.connections()).as("half-open ones go by themselves").isZero();
    assertThat(t.node.usedMemory()).isZero();
    t.end();
  }

  /** One sender that shows itself at every Locator of its prefix, each time with another nonce. */
  @Test
  void shouldBoundTheEntriesOfOneNidFromManyLocators() {
    TcpConfig config = TcpConfig.DEFAULT.withBuffers(65536, 65535).withBacklog(16);
    TcpTranscript t = new TcpTranscript(true, config, 77, 1500).listen();
    for (int i = 0; i < 1000; i++) {
      t.receive("S seq=0 from=20010db80002" + String.format("%04x", i) + " sport=" + (1 + i));
    }
    assertThat(t.node.ilcc.size()).as("one nonce, one entry").isOne();
    Correspondent one = t.node.ilcc.all().get(0);
    assertThat(one.remoteLocators()).hasSizeLessThanOrEqualTo(16);
    for (int i = 0; i < 1000; i++) {
      t.receive("S seq=0 value=" + i + " from=20010db80002" + String.format("%04x", i));
    }
    assertThat(t.node.ilcc.size()).isOne();
    assertThat(t.listener.halfOpen).isEqualTo(16);
    t.end();
  }

  @Test
  void shouldLimitTheHalfOpenOnesOfAllListenersTogether() {
    TcpConfig config =
        TcpConfig.DEFAULT.withBuffers(65536, 65535).withBacklog(10).withMaxHalfOpen(15);
    TcpTranscript t = new TcpTranscript(true, config, 77, 1500).listen();
    TcpListener other = t.node.engine.listen(81, (now, p) -> asked.add(p));
    for (int i = 0; i < 20; i++) {
      t.receive("S seq=0 dport=" + (80 + i % 2) + " sport=" + (1000 + i));
    }
    assertThat(t.listener.halfOpen + other.halfOpen).isEqualTo(15);
    assertThat(t.node.counters.get(Counter.TCP_SYN_COOKIES_SENT)).isEqualTo(5);
    t.end();
    assertThat(t.listener.halfOpen + other.halfOpen).isZero();
  }

  /** The table of correspondents is full of others: the caller gets an entry once it has proved. */
  @Test
  void shouldAnswerWithACookieWhenThereIsNoRoomForAnEntry() {
    TcpConfig config = TcpConfig.DEFAULT.withBuffers(65536, 65535).withBacklog(2000);
    TcpTranscript t = new TcpTranscript(true, config, 77, 1500).listen();
    for (int i = 0; i < 1000; i++) {
      t.receive("S seq=0 nid=" + (1 + i));
    }
    t.sent.clear();
    t.receive("S seq=0 mss=1000");
    t.expect("SA seq=0 ack=1");
    assertThat(t.node.counters.get(Counter.TCP_SYN_COOKIES_SENT)).isOne();
    t.receive("R seq=1 nid=1");
    t.after(1000).sent.clear(); // its entry is not needed any more
    t.events.clear();
    t.receive("A seq=1 ack=1").expectEvents("syn", "connected");
    t.end();
  }

  @Test
  void shouldLetACookieCallerTakeThePlaceOfATimeWait() {
    TcpConfig config = TcpConfig.DEFAULT.withBuffers(65536, 65535).withBacklog(1);
    TcpTranscript t = new TcpTranscript(true, config, 77, 1500).in(TcpState.TIME_WAIT);
    t.receive("S seq=0 nid=1").sent.clear();
    t.events.clear();
    t.receive("S seq=10 mss=1000");
    t.ourIsnKnown = false;
    t.expect("SA seq=0 ack=11");
    t.receive("A seq=11 ack=1").expectEvents("syn", "connected");
    t.end();
  }

  // ---- whole connections ----------------------------------------------------------------------

  /** Both sides are ours; whatever is lost, late or moved, what a cookie opened is a connection. */
  @ParameterizedTest
  @CsvSource({"true,0", "true,0.02", "true,0.08", "false,0", "false,0.02", "false,0.08"})
  void shouldCarryWholeTransfersOpenedByCookies(boolean ilnp, double loss) {
    for (int seed = 1; seed <= 20; seed++) {
      TcpConfig config = TcpConfig.DEFAULT.withBuffers(1 << 17, 1 << 17).withBacklog(1);
      Pair p = new Pair(seed, ilnp, config, 1500, 20);
      p.net.access(Pair.LC).loss = loss;
      p.net.access(Pair.L1).loss = loss;
      p.net.access(Pair.L1).jitterNanos = NanoClock.millis(seed % 3);
      p.client = new Stream(p.mn, 100_000, 1, 2);
      p.server = new Stream(p.cn, 100_000, 2, 1);
      p.listener =
          p.cn.engine.listen(
              Pair.PORT, (now, pending) -> p.server.on(pending.accept(now, p.server)));
      p.listener.halfOpened(); // somebody who never answers
      p.client.on(p.mn.engine.connect(p.net.now, p.toCn(), Pair.PORT, p.client));
      p.net.await(NanoClock.seconds(60), () -> p.client.connected);
      if (ilnp) {
        p.softMove(p.mn, Pair.L1, Pair.L2, true);
      }
      p.net.await(NanoClock.seconds(120), p::isDone);
      assertThat(p.cn.counters.get(Counter.TCP_SYN_COOKIES_ACCEPTED)).as("seed %d", seed).isOne();
      p.assertIntact();
      p.listener.halfOpenOver();
      p.net.assertNoLeaks();
    }
  }
}

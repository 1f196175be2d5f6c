package org.ilnp4j.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.ilnp4j.ilnp.Correspondent;
import org.ilnp4j.ilnp.LocatorPair;
import org.ilnp4j.ilnp.SessionMode;
import org.ilnp4j.time.NanoClock;
import org.ilnp4j.util.Counter;
import org.ilnp4j.util.DropReason;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Opening a connection, actively, passively and both at once; ILNP or classic. */
class TcpHandshakeTest {
  private static TcpTranscript ilnp() {
    return new TcpTranscript(true);
  }

  private static TcpTranscript classic() {
    return new TcpTranscript(false);
  }

  // ---- active ---------------------------------------------------------------------------------

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void shouldOfferEverythingAndConnect(boolean ilnp) {
    TcpTranscript t = new TcpTranscript(ilnp).connect();
    TcpTranscript.Sent syn = t.expect("S seq=0 mss=1440 ws=0 sackok ts=0 win=65535 len=0");
    assertThat(syn.nonce).isEqualTo(ilnp);
    assertThat(syn.nidOnly).isEqualTo(ilnp);
    t.receive("SA seq=0 ack=1 mss=1440 ws=7 sackok ts=700");
    t.expect("A seq=1 ack=1 ts=700 len=0 mss=no ws=no");
    t.expectEvents("connected");
    assertThat(t.peer.isProven()).isEqualTo(ilnp);
    t.end();
  }

  @Test
  void shouldScaleTheWindowItOffersByTheBuffer() {
    TcpConfig config = TcpConfig.DEFAULT.withBuffers(65536, 6 << 20);
    TcpTranscript t = new TcpTranscript(true, config, 1, 1500).connect();
    t.expect("S ws=7 win=65535");
    t.receive("SA seq=0 ack=1 ws=2");
    t.expect("A win=" + ((64 << 10) >>> 7)); // the rest when the user has begun to read
    t.end();
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void shouldOfferAndAcceptOnlyWhatTheSettingsAllow(boolean ilnp) {
    TcpConfig plain =
        TcpConfig.DEFAULT.withSack(false).withTimestamps(false).withWindowScaling(false);
    TcpTranscript t = new TcpTranscript(ilnp, plain, 1, 1500).connect();
    t.expect("S seq=0 mss=1440 ws=no sackok=no ts=no win=65535");
    t.receive("SA seq=0 ack=1 ws=7 sackok ts=700");
    t.expect("A ws=no ts=no win=65535");
    t.end();
    t = new TcpTranscript(ilnp, plain.withSack(true), 1, 1500).listen();
    t.receive("S seq=0 ws=7 sackok ts=700").expect("SA ws=no sackok ts=no win=65535");
    t.end();
  }

  @Test
  void shouldNotScaleWhenTheOtherSideDoesNot() {
    TcpConfig config = TcpConfig.DEFAULT.withBuffers(65536, 6 << 20);
    TcpTranscript t = new TcpTranscript(true, config, 1, 1500).connect();
    t.expect("S ws=7");
    t.receive("SA seq=0 ack=1 win=5000");
    t.expect("A win=65535");
    assertThat(t.connection.info(t.now).sendWindowBytes()).isEqualTo(5000);
    t.end();
  }

  @Test
  void shouldRepeatTheSynForThreeMinutesThenGiveUp() {
    TcpTranscript t = classic().connect();
    t.expect("S");
    for (long wait : new long[] {1000, 2000, 4000, 8000, 16000, 32000, 60000}) {
      t.after(wait - 1).expectNothing();
      t.after(1).expect("S seq=0");
    }
    t.after(59_999).expectNothing();
    t.expectEvents();
    t.after(1).expectEvents("closed TIMED_OUT");
    assertThat(t.now).isGreaterThan(NanoClock.seconds(180));
    t.end();
  }

  @Test
  void shouldReportRefusal() {
    TcpTranscript t = ilnp().connect();
    t.expect("S");
    t.receive("RA seq=0 ack=1 nonce=no sum=nid");
    t.expectEvents("closed REFUSED");
    t.expectNothing();
    t.end();
  }

  @Test
  void shouldIgnoreResetsThatDoNotAnswerItsSyn() {
    TcpTranscript t = ilnp().connect();
    t.expect("S");
    t.receive("RA seq=0 ack=2");
    t.receive("RA seq=0 ack=0");
    t.receive("R seq=0");
    t.expectState(TcpState.SYN_SENT).expectNothing();
    t.end();
  }

  @Test
  void shouldResetWhatAcknowledgesSomethingElse() {
    TcpTranscript t = classic().connect();
    t.expect("S");
    t.receive("SA seq=500 ack=77");
    t.expect("R seq=77");
    t.receive("A seq=500 ack=0");
    t.expect("R seq=0");
    t.expectState(TcpState.SYN_SENT);
    t.receive("SA seq=0 ack=1");
    t.expect("A seq=1 ack=1");
    t.end();
  }

  @Test
  void shouldTakeDataAndFinInTheAnswer() {
    TcpTranscript t = ilnp().connect();
    t.expect("S");
    t.receive("SFA seq=0 ack=1 len=10");
    t.expect("A seq=1 ack=12");
    t.expectEvents("connected", "end", "end");
    assertThat(t.readBytes()).isEqualTo(10);
    t.expectState(TcpState.CLOSE_WAIT);
    t.end();
  }

  @Test
  void shouldSendWhatWasQueuedBefore() {
    TcpTranscript t = ilnp().connect();
    t.expect("S");
    t.send(500).expectNothing();
    t.shutdown().expectNothing();
    t.receive("SA seq=0 ack=1 mss=1000");
    t.expect("FA seq=1 ack=1 len=500");
    t.expectNothing();
    t.expectState(TcpState.FIN_WAIT_1);
    t.end();
  }

  @Test
  void shouldForgetAConnectionClosedWhileConnecting() {
    TcpTranscript t = ilnp().connect();
    t.expect("S");
    t.close().expectEvents("closed ABORTED").expectNothing();
    t.receive("SA seq=0 ack=1");
    t.expect("R seq=1"); // the late answer meets nobody
    t.end();
  }

  @Test
  void shouldStillDeliverWhenClosedWhileConnectingWithDataQueued() {
    TcpTranscript t = ilnp().connect();
    t.expect("S");
    t.send(10).close().expectNothing();
    t.receive("SA seq=0 ack=1");
    t.expect("FA seq=1 len=10");
    t.end();
  }

  // ---- MSS (B6) -------------------------------------------------------------------------------

  @ParameterizedTest(name = "peer MSS {0}, MTU {1}: segments of {2}")
  @CsvSource({
    "1440, 1500, 1432", // less the nonce header
    "1000, 1500, 992",
    "9000, 1500, 1432",
    "1440, 1280, 1212",
    "0, 1500, 64",
    "1, 1500, 64",
    "65535, 9000, 8932",
  })
  void shouldFitSegmentsToBothMssAndMtu(int mss, int mtu, int expected) {
    TcpTranscript t = new TcpTranscript(true, TcpConfig.DEFAULT, 5, mtu);
    t.established("win=65535 mss=" + mss);
    t.send(20_000);
    TcpTranscript.Sent s = t.expect("A seq=1");
    assertThat(s.payload.length).isEqualTo(Math.max(56, expected));
    assertThat(s.packetBytes).isLessThanOrEqualTo(mtu);
    t.end();
  }

  @Test
  void shouldAssumeTheIpv6DefaultWhenThereIsNoMss() {
    TcpTranscript t = classic().established("win=65535");
    t.send(5000);
    t.expect("A len=1220");
    t.end();
  }

  @Test
  void shouldFillClassicPacketsToTheMtu() {
    TcpTranscript t = classic().established("win=65535 mss=1440 ts=1");
    t.send(5000);
    assertThat(t.expect("A len=1428 ts").packetBytes).isEqualTo(1500);
    t.end();
  }

  // ---- passive --------------------------------------------------------------------------------

  @Test
  void shouldAnswerOnlyWithWhatWasOffered() {
    TcpTranscript t = ilnp().listen();
    t.receive("S seq=0 mss=1000");
    t.expect("SA seq=0 ack=1 ws=no sackok=no ts=no mss=1440");
    t.end();
    t = ilnp().listen();
    t.receive("S seq=0 mss=1000 ws=3 sackok ts=12");
    t.expect("SA ws=0 sackok ts=12");
    t.end();
  }

  @Test
  void shouldBeIlnpWithANonceAndClassicWithout() {
    TcpTranscript t = ilnp().established();
    assertThat(t.connection.info(t.now).mode()).isEqualTo(SessionMode.ILNP);
    t.receive("A seq=1 ack=1 len=10");
    t.after(40);
    assertThat(t.expect("A ack=11 nonce").nidOnly).isTrue();
    t.end();
    t = classic().established();
    assertThat(t.connection.info(t.now).mode()).isEqualTo(SessionMode.CLASSIC);
    t.receive("A seq=1 ack=1 len=10");
    t.after(40);
    assertThat(t.expect("A ack=11 nonce=no").nidOnly).isFalse();
    t.end();
  }

  @Test
  void shouldAnswerFromTheLocatorTheSynCameTo() {
    TcpTranscript t = ilnp();
    t.node.ilcc.local().get(TcpTranscript.OUR_L64).leave(0);
    t.node.addLocator(TcpTranscript.OTHER_L64, org.ilnp4j.ilnp.LocalLocator.State.ACTIVE);
    t.listen();
    t.receive("S seq=0");
    assertThat(t.expect("SA").srcL64).isEqualTo(TcpTranscript.OUR_L64);
    t.receive("A seq=1 ack=1");
    assertThat(t.expect("A seq=1 len=0").srcL64).isEqualTo(TcpTranscript.OTHER_L64);
    t.send(10);
    assertThat(t.expect("A len=10").srcL64).isEqualTo(TcpTranscript.OTHER_L64);
    t.end();
  }

  @Test
  void shouldRepeatItsAnswerAndThenForgetTheCaller() {
    TcpTranscript t = ilnp().listen();
    t.receive("S seq=0");
    t.expect("SA");
    t.receive("S seq=0");
    t.expect("SA"); // the caller repeats, so do we
    for (long wait : new long[] {1000, 2000, 4000, 8000}) {
      t.after(wait);
      t.expect("SA seq=0 ack=1");
    }
    t.after(100_000);
    t.expectState(TcpState.CLOSED);
    assertThat(t.listener.halfOpen).isZero();
    t.end();
  }

  @Test
  void shouldResetABadAcknowledgementOfItsAnswer() {
    TcpTranscript t = ilnp().listen();
    t.receive("S seq=0");
    t.expect("SA");
    t.receive("A seq=1 ack=2");
    t.expect("R seq=2");
    t.receive("A seq=1 ack=0");
    t.expect("R seq=0");
    t.expectState(TcpState.SYN_RECEIVED);
    t.end();
  }

  @Test
  void shouldNotLetAResetCompleteTheHandshake() {
    TcpTranscript t = ilnp().listen();
    t.receive("S seq=0");
    t.expect("SA");
    t.receive("RA seq=1 ack=1");
    t.expectEvents("syn", "closed RESET");
    assertThat(t.listener.halfOpen).isZero();
    t.end();
  }

  @Test
  void shouldCarryDataThatComesWithTheHandshakesEnd() {
    TcpTranscript t = ilnp().listen();
    t.receive("S seq=0");
    t.expect("SA");
    t.receive("FA seq=1 ack=1 len=100");
    t.expect("A ack=102");
    t.expectEvents("syn", "connected", "end", "end");
    assertThat(t.readBytes()).isEqualTo(100);
    t.end();
  }

  // ---- both at once (RFC 9293 §3.5, MUST-10) --------------------------------------------------

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void shouldOpenFromBothSidesAtOnce(boolean ilnp) {
    TcpTranscript t = new TcpTranscript(ilnp).connect();
    t.expect("S seq=0");
    t.receive("S seq=0 mss=1000");
    t.expect("SA seq=0 ack=1 sackok=no");
    t.expectState(TcpState.SYN_RECEIVED);
    assertThat(t.peer.isProven()).as("a SYN proves nothing").isFalse();
    t.receive("SA seq=0 ack=1 mss=1000");
    t.expectState(TcpState.ESTABLISHED);
    t.expectEvents("connected");
    assertThat(t.peer.isProven()).isEqualTo(ilnp);
    t.expectNothing();
    t.end();
  }

  @Test
  void shouldReportRefusalOfASimultaneousOpen() {
    TcpTranscript t = ilnp().connect();
    t.expect("S");
    t.receive("S seq=0");
    t.expect("SA");
    t.receive("R seq=1");
    t.expectEvents("closed REFUSED");
    t.end();
  }

  // ---- ILNP or not (RFC 6744 §6) --------------------------------------------------------------

  @Test
  void shouldFallBackToClassicAfterSilence() {
    TcpTranscript t = ilnp().connect();
    t.expect("S seq=0 nonce");
    t.after(1000).expect("S seq=0 nonce");
    t.after(1999).expectNothing();
    t.after(1);
    TcpTranscript.Sent plain = t.sent.poll();
    assertThat(plain.nonce).isFalse();
    assertThat(plain.nidOnly).isFalse();
    assertThat(plain.h.seq).as("a new sequence number").isNotEqualTo(t.ourIsn);
    t.ourIsn = plain.h.seq;
    t.receive("SA seq=0 ack=1 nonce=no");
    t.expect("A seq=1 ack=1 nonce=no");
    t.expectEvents("connected");
    assertThat(t.connection.correspondent().mode).isEqualTo(SessionMode.CLASSIC);
    assertThat(t.node.counters.get(Counter.TCP_CLASSIC_FALLBACKS)).isEqualTo(1);
    t.end();
  }

  @Test
  void shouldTryBothModesInTurnWhileNothingAnswers() {
    TcpTranscript t = ilnp().connect();
    t.after(3000);
    t.sent.clear();
    for (int i = 0; i < 5; i++) {
      while (t.sent.isEmpty()) {
        t.after(10);
      }
      TcpTranscript.Sent syn = t.sent.poll();
      assertThat(syn.nonce).isEqualTo(i % 2 == 0);
      assertThat(syn.nidOnly).isEqualTo(i % 2 == 0);
      t.ourIsn = syn.h.seq;
    }
    t.receive("SA seq=0 ack=1"); // it was the path that was silent
    t.expect("A seq=1 ack=1 nonce");
    assertThat(t.connection.correspondent().mode).isEqualTo(SessionMode.ILNP);
    t.end();
  }

  @Test
  void shouldFallBackAtOnceWhenTheNonceIsRefused() {
    TcpTranscript t = ilnp().connect();
    t.expect("S");
    int seq = t.ourIsn;
    t.node.engine.onIcmpError(
        0, t.peer, t.ourPort, 80, seq + 1, IcmpErrorKind.NONCE_REFUSED); // quotes another
    t.turn().expectNothing();
    t.afterNanos(10_000);
    t.node.engine.onIcmpError(t.now, t.peer, t.ourPort, 80, seq, IcmpErrorKind.NONCE_REFUSED);
    t.turn();
    assertThat(t.sent.poll().nonce).isFalse();
    t.end();
  }

  @Test
  void shouldNotFallBackOnceTheOtherSideHasProvedToSpeakIlnp() {
    TcpTranscript t = ilnp().established();
    Correspondent c = t.connection.correspondent();
    TcpConnection second = t.node.engine.connect(t.now, c, 80, t.handler);
    t.turn();
    TcpTranscript.Sent syn = t.sent.poll();
    t.node.engine.onIcmpError(
        t.now, c, second.localPort(), 80, syn.h.seq, IcmpErrorKind.NONCE_REFUSED);
    t.turn().expectNothing();
    t.after(900).expectNothing();
    assertThat(second.correspondent()).isSameAs(c);
    t.end();
  }

  @Test
  void shouldNotFallBackWhenTheDestinationIsUnreachable() {
    TcpTranscript t = ilnp().connect();
    t.expect("S");
    t.node.engine.onIcmpError(0, t.peer, t.ourPort, 80, t.ourIsn, IcmpErrorKind.UNREACHABLE_SOFT);
    t.after(3500);
    t.expect("S nonce");
    t.expect("S nonce");
    t.expectNothing();
    t.node.engine.onIcmpError(
        t.now, t.peer, t.ourPort, 80, t.ourIsn, IcmpErrorKind.UNREACHABLE_HARD);
    t.turn().expectEvents("closed UNREACHABLE");
    t.end();
  }

  @Test
  void shouldIgnoreAnswersWithoutNonce() {
    TcpTranscript t = ilnp().connect();
    t.expect("S");
    t.receive("SA seq=0 ack=1 nonce=no");
    t.receive("SA seq=0 ack=1 nonce=no sum=nid");
    t.receive("S seq=0 nonce=no");
    assertThat(t.dropped(DropReason.TCP_NO_NONCE)).isEqualTo(3);
    t.expectState(TcpState.SYN_SENT).expectNothing();
    t.receive("SA seq=0 ack=1");
    t.expect("A seq=1 ack=1");
    t.end();
  }

  @Test
  void shouldTakeTheAnswerFromAnotherLocatorForWhatItAcknowledges() {
    TcpTranscript t = ilnp().connect();
    t.expect("S");
    t.receive("SA seq=0 ack=1 from=20010db800050005"); // the other side moved meanwhile
    assertThat(t.expect("A seq=1 ack=1").dstL64).isEqualTo(0x20010db800050005L);
    t.expectNothing();
    t.expectEvents("connected");
    t.end();
  }

  @Test
  void shouldSayWhatIsWrongWithAConfiguration() {
    assertThatThrownBy(() -> TcpConfig.DEFAULT.withCongestionControl("vegas"))
        .hasMessage("unknown congestion control \"vegas\": use cubic, reno or bbr");
    assertThatThrownBy(() -> TcpConfig.DEFAULT.withBuffers(100, 4096))
        .hasMessage("TCP buffers of 100 and 4096 octets: each needs 4096 at least");
  }

  @Test
  void shouldNotBelieveANonceThatDoesNotAnswerItsSyn() {
    TcpTranscript t = ilnp().connect();
    t.expect("S");
    t.receive("SA seq=0 ack=99 nonce=wrong");
    t.expect("R seq=99");
    assertThat(t.peer.isProven()).isFalse();
    t.receive("SA seq=0 ack=1");
    t.expect("A seq=1 ack=1");
    assertThat(t.peer.isProven()).isTrue();
    t.end();
  }

  @Test
  void shouldStartAfreshWithAPeerThatMayHaveForgottenUs() {
    TcpTranscript t = ilnp().established();
    Correspondent old = t.connection.correspondent();
    TcpConnection second = t.node.engine.connect(t.now, old, 80, t.handler);
    t.turn();
    t.sent.clear();
    t.after(1000);
    t.sent.clear();
    t.after(2000);
    t.sent.clear();
    assertThat(second.correspondent()).isSameAs(old);
    t.after(4000);
    Correspondent fresh = second.correspondent();
    assertThat(fresh).isNotSameAs(old);
    assertThat(fresh.remoteNid).isEqualTo(old.remoteNid);
    assertThat(fresh.path())
        .isEqualTo(new LocatorPair(TcpTranscript.OUR_L64, TcpTranscript.PEER_L64));
    assertThat(t.sent.poll().nonce).isTrue();
    t.end();
  }

  @Test
  void shouldKeepTwoPeersWithOneNidApart() {
    TcpTranscript t = ilnp().established();
    TcpConnection first = t.connection;
    t.receive("S seq=0 nonce=wrong"); // another nonce: another node
    t.expect("SA seq=" + (t.sent.peek().h.seq - t.ourIsn));
    assertThat(t.connection).isNotSameAs(first);
    assertThat(t.connection.correspondent()).isNotSameAs(first.correspondent());
    assertThat(first.state()).isEqualTo(TcpState.ESTABLISHED);
    t.end();
  }

  @Test
  void shouldTakeAClassicCallFromANodeItKnowsAsIlnp() {
    TcpTranscript t = ilnp().established();
    t.receive("S seq=0 nonce=no sport=5000");
    TcpTranscript.Sent answer = t.sent.poll();
    assertThat(answer.nonce).isFalse();
    assertThat(answer.h.dstPort).isEqualTo(5000);
    assertThat(t.connection.correspondent().mode).isEqualTo(SessionMode.CLASSIC);
    t.end();
  }

  @Test
  void shouldFindTheRightOneOfTwoEntriesThatWaitForTheirProof() {
    TcpTranscript t = ilnp();
    Correspondent a =
        t.node.ilcc.openFresh(0, TcpTranscript.PEER, List.of(TcpTranscript.PEER_L64), 1L << 60);
    Correspondent b =
        t.node.ilcc.openFresh(0, TcpTranscript.PEER, List.of(TcpTranscript.PEER_L64), 1L << 60);
    TcpConnection ca = t.node.engine.connect(0, a, 80, t.handler);
    TcpConnection cb = t.node.engine.connect(0, b, 80, t.handler);
    t.turn();
    int synA = t.sent.poll().h.seq;
    int synB = t.sent.poll().h.seq;
    t.peerPort = 80;
    t.ourPort = ca.localPort();
    t.ourIsn = synA;
    t.receive("SA seq=0 ack=1");
    t.ourPort = cb.localPort();
    t.ourIsn = synB;
    t.receive("SA seq=0 ack=1 nonce=wrong");
    assertThat(ca.state()).isEqualTo(TcpState.ESTABLISHED);
    assertThat(cb.state()).isEqualTo(TcpState.ESTABLISHED);
    t.end();
  }

  // ---- checksums ------------------------------------------------------------------------------

  @Test
  void shouldAcceptBothSumsInIlnpSessionsAndCountThem() {
    TcpTranscript t = ilnp().established();
    long before = t.node.counters.get(Counter.CHECKSUM_NID_ONLY);
    t.receive("A seq=1 ack=1 len=10 sum=nid");
    t.receive("A seq=11 ack=1 len=10 sum=ipv6");
    t.receive("A seq=21 ack=1 len=10 nonce=no sum=nid");
    assertThat(t.readBytes()).isEqualTo(30);
    assertThat(t.node.counters.get(Counter.CHECKSUM_IPV6)).isEqualTo(1);
    assertThat(t.node.counters.get(Counter.CHECKSUM_NID_ONLY)).isEqualTo(before + 2);
    t.receive("A seq=31 ack=1 len=10 sum=bad");
    assertThat(t.readBytes()).isEqualTo(30);
    assertThat(t.dropped(DropReason.TCP_CHECKSUM)).isEqualTo(1);
    t.end();
  }

  @Test
  void shouldAcceptOnlyTheOrdinarySumInClassicSessions() {
    TcpTranscript t = classic().established();
    t.receive("A seq=1 ack=1 len=10 sum=nid");
    assertThat(t.readBytes()).isZero();
    assertThat(t.dropped(DropReason.TCP_CHECKSUM)).isEqualTo(1);
    t.receive("A seq=1 ack=1 len=10");
    assertThat(t.readBytes()).isEqualTo(10);
    t.end();
  }

  /** RFC 9293 §3.9.2: the user's choice, beside the ECN field. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void shouldSendInTheTrafficClassTheUserAsksFor(boolean ilnp) {
    TcpConfig config = TcpConfig.DEFAULT.withBuffers(65536, 65535).withEcn(EcnMode.ON);
    TcpTranscript t = new TcpTranscript(ilnp, config, 1, 1500).listen();
    t.receive("SEW seq=0 mss=1000 win=10000").expect("SAE ecn=no");
    t.receive("A seq=1 ack=1 win=10000");
    t.connection.trafficClass(0xbb); // the lower bits are not the user's
    t.send(10);
    assertThat(trafficClass(t.expect("A seq=1 ecn=ect0"))).isEqualTo(0xba);
    t.receive("FA seq=1 ack=11");
    assertThat(trafficClass(t.expect("A seq=11 ack=2 ecn=no"))).isEqualTo(0xb8);
    t.end();
  }

  private static int trafficClass(TcpTranscript.Sent s) {
    return s.packet.getUnsignedShort(s.packet.readerIndex()) >>> 4 & 0xff;
  }

  // ---- limits ---------------------------------------------------------------------------------

  @Test
  void shouldSayWhenTheTableIsFull() {
    TcpConfig tiny =
        TcpConfig.DEFAULT.withBuffers(4096, 4096).withMaxConnections(1).withBacklog(10);
    TcpTranscript t = new TcpTranscript(true, tiny, 1, 1500).connect();
    assertThatThrownBy(() -> t.node.engine.connect(0, t.peer, 80, t.handler))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("no more than 1 TCP connections are allowed");
    t.listen();
    t.receive("S seq=0 sport=1000 dport=80");
    assertThat(t.dropped(DropReason.TCP_TABLE_FULL)).isEqualTo(1);
    t.end();
  }
}

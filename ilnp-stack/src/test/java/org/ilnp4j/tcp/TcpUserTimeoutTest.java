package org.ilnp4j.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import org.ilnp4j.time.NanoClock;
import org.ilnp4j.wire.TcpHeader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** When a connection is given up, and who is told (RFC 5482, RFC 9293 §3.8.3, tcp.md B10). */
class TcpUserTimeoutTest {
  private static final TcpConfig FOLLOWS =
      TcpConfig.DEFAULT.withBuffers(65536, 65535).withPeerUserTimeout(true);

  private static long seconds(TcpTranscript t) {
    return t.connection.info(t.now).userTimeoutNanos() / NanoClock.seconds(1);
  }

  // ---- R1 and R2 ------------------------------------------------------------------------------

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void shouldTellTheUserAfterThreeTimeoutsAndGoOn(boolean ilnp) {
    TcpTranscript t = new TcpTranscript(ilnp).established();
    t.send(100).expect("A seq=1");
    for (int again = 0; again < 2; again++) {
      t.sent.clear();
      t.afterNanos(t.connection.info(t.now).rtoNanos()).expect("A seq=1 len=100");
      assertThat(t.connection.info(t.now).timeoutsInRow()).isEqualTo(again + 1);
      t.expectEvents();
    }
    t.afterNanos(t.connection.info(t.now).rtoNanos()).expectEvents("stalled");
    t.after(100_000).expectEvents(); // once
    t.receive("A seq=1 ack=101").expectEvents();
    assertThat(t.connection.info(t.now).timeoutsInRow()).isZero();
    t.sent.clear();
    t.send(100).expect("A seq=101");
    t.after(200_000).expectEvents("stalled");
    t.after(800_000);
    assertThat(t.events).containsExactly("closed TIMED_OUT");
    t.end();
  }

  @Test
  void shouldGiveUpAfterTheUsersOwnTime() {
    TcpTranscript t = new TcpTranscript(true).established();
    t.connection.userTimeout(t.now, NanoClock.seconds(5));
    t.turn().expect("A seq=1 ack=1 uto=5 len=0");
    t.send(100).expect("A seq=1 uto=no");
    t.after(4999).expectState(TcpState.ESTABLISHED);
    t.after(1).expectState(TcpState.CLOSED);
    assertThat(t.events).contains("closed TIMED_OUT");
    assertThat(t.sent.peekLast().h.has(TcpHeader.RST)).isTrue();
    t.end();
  }

  @Test
  void shouldCountFromTheLastProgress() {
    TcpTranscript t = new TcpTranscript(true).established();
    t.connection.userTimeout(t.now, NanoClock.seconds(5));
    t.turn();
    t.send(1000);
    t.after(4000);
    t.receive("A seq=1 ack=501");
    t.after(4999).expectState(TcpState.ESTABLISHED);
    t.connection.userTimeout(t.now, NanoClock.seconds(10)); // just in time
    t.after(5000).expectState(TcpState.ESTABLISHED);
    t.after(1).expectState(TcpState.CLOSED);
    t.end();
  }

  @Test
  void shouldNotGiveUpAConnectionThatHasNothingToSay() {
    TcpTranscript t = new TcpTranscript(true).established();
    t.connection.userTimeout(t.now, NanoClock.seconds(1));
    t.turn().expect("A uto=1");
    t.after(10_000_000).expectNothing().expectState(TcpState.ESTABLISHED);
    t.send(10).expect("A seq=1 len=10");
    t.after(999).expectState(TcpState.ESTABLISHED);
    t.after(1).expectState(TcpState.CLOSED);
    t.end();
  }

  @Test
  void shouldGiveUpASynAfterTheUsersOwnTime() {
    TcpTranscript t = new TcpTranscript(true).connect();
    t.connection.userTimeout(t.now, NanoClock.seconds(20));
    t.after(19_999).expectState(TcpState.SYN_SENT);
    t.after(1).expectState(TcpState.CLOSED).expectEvents("closed TIMED_OUT");
    t.end();
  }

  // ---- the option -----------------------------------------------------------------------------

  @Test
  void shouldSayItInTheSynAndOnceMoreWhenConnected() {
    TcpTranscript t = new TcpTranscript(true);
    t.peer =
        t.node.ilcc.open(
            0, TcpTranscript.PEER, java.util.List.of(TcpTranscript.PEER_L64), 1L << 50);
    t.peerPort = 80;
    t.connection = t.node.engine.connect(t.now, t.peer, 80, t.handler);
    t.ourPort = t.connection.localPort();
    t.connection.userTimeout(t.now, NanoClock.seconds(40_000));
    t.turn().expect("S uto=39960 mss=1440 ws=0 sackok ts"); // whole minutes
    t.receive("SA seq=0 ack=1").expect("A seq=1 ack=1 uto=39960");
    t.send(10).expect("A uto=no");
    t.receive("PA seq=1 ack=11 len=5").after(100);
    t.expect("A ack=6 uto=no");
    t.end();
  }

  @Test
  void shouldSayNothingWithoutAChoice() {
    TcpTranscript t = new TcpTranscript(true).connect();
    t.expect("S uto=no");
    t.receive("SA seq=0 ack=1").expect("A uto=no");
    t.end();
  }

  /** RFC 5482 §3.1: the longer of the two counts, within limits; 0 is ignored. */
  @ParameterizedTest
  @CsvSource({"1000,1000", "10,900", "0,900", "3601,3600", "1966020,3600"})
  void shouldFollowThePeersWishWithinLimits(int wish, int expected) {
    TcpTranscript t = new TcpTranscript(true, FOLLOWS, 77, 1500).established();
    t.receive("A seq=1 ack=1 uto=" + wish);
    assertThat(seconds(t)).isEqualTo(expected);
    t.end();
  }

  @Test
  void shouldKeepTheUsersChoiceAndTheDefaultWhenNotAllowed() {
    TcpTranscript t = new TcpTranscript(true, FOLLOWS, 77, 1500).established();
    t.connection.userTimeout(t.now, NanoClock.seconds(200));
    t.receive("A seq=1 ack=1 uto=3000");
    assertThat(seconds(t)).isEqualTo(200);
    t.connection.userTimeout(t.now, 0);
    assertThat(seconds(t)).isEqualTo(900);
    t.end();
    TcpTranscript other = new TcpTranscript(true).established("mss=1000 uto=3000 win=10000");
    other.receive("A seq=1 ack=1 uto=3000");
    assertThat(seconds(other)).isEqualTo(900);
    other.end();
  }

  // ---- persist and keep-alive -----------------------------------------------------------------

  /** A closed window is borne for ever while it is answered, whatever the user's time. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void shouldBearAClosedWindowForEverWhileItIsAnswered(boolean ilnp) {
    TcpTranscript t = new TcpTranscript(ilnp).established();
    t.connection.userTimeout(t.now, NanoClock.seconds(100));
    t.turn();
    t.receive("A seq=1 ack=1 win=0");
    t.send(100).sent.clear();
    for (int i = 0; i < 200; i++) {
      for (int waited = 0; t.sent.isEmpty(); waited++) {
        assertThat(waited).isLessThan(100);
        t.after(1000);
      }
      t.sent.clear();
      t.receive("A seq=1 ack=1 win=0");
    }
    t.expectState(TcpState.ESTABLISHED).expectEvents();
    t.after(99_000).expectState(TcpState.ESTABLISHED);
    t.after(1_000).expectState(TcpState.CLOSED); // not answered any more
    assertThat(t.events).contains("closed TIMED_OUT");
    t.end();
  }

  /** Mellanox/libxlio#590, Linux: the user's time takes the place of the number of probes. */
  @Test
  void shouldLetTheUsersTimeoutOverrideTheNumberOfKeepAliveProbes() {
    TcpTranscript t = new TcpTranscript(true).established();
    t.connection.keepAlive(t.now, NanoClock.seconds(10));
    t.connection.userTimeout(t.now, NanoClock.seconds(34));
    t.turn().expect("A uto=34");
    for (int i = 0; i < 3; i++) {
      t.after(9_999).expectNothing();
      t.after(1).expect("A seq=0 ack=1 len=0");
    }
    t.after(3_999).expectState(TcpState.ESTABLISHED);
    t.after(1).expectEvents("closed TIMED_OUT").expect("RA seq=1");
    t.end();
  }

  /** google/gvisor#7493: the probes live as long as the connection is open, and no longer. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void shouldStopProbingWhenTheConnectionIsOver(boolean ilnp) {
    TcpTranscript t = new TcpTranscript(ilnp).established();
    t.connection.keepAlive(t.now, NanoClock.seconds(10));
    t.after(10_000).expect("A seq=0 ack=1 len=0");
    t.receive("A seq=1 ack=1");
    t.connection.keepAlive(t.now, 0);
    t.after(100_000).expectNothing();
    t.connection.keepAlive(t.now, NanoClock.seconds(10));
    t.shutdown().expect("FA seq=1");
    t.receive("FA seq=1 ack=2").expect("A ack=2");
    t.connection.keepAlive(t.now, NanoClock.seconds(10));
    t.after(59_999).expectNothing().expectState(TcpState.TIME_WAIT);
    t.after(1).expectState(TcpState.CLOSED);
    t.connection.keepAlive(t.now, NanoClock.seconds(10));
    assertThat(t.node.timers.armed()).isZero();
    t.end();
  }

  /** google/gvisor#6317, #6441: idleness alone ends nothing. */
  @ParameterizedTest
  @CsvSource({"true,0", "true,7200", "false,0", "false,7200"})
  void shouldKeepAnIdleConnectionForAMonth(boolean ilnp, long keepAliveSeconds) {
    Pair p = new Pair(1, ilnp, TcpConfig.DEFAULT.withBuffers(65536, 65536));
    p.keepAliveNanos = NanoClock.seconds(keepAliveSeconds);
    p.open(200_000, 0);
    p.client.trickle = true;
    p.client.allowed = 100_000;
    p.net.await(NanoClock.seconds(10), () -> p.server.received == 100_000);
    p.net.runFor(NanoClock.seconds(30 * 86_400));
    p.client.allowed = 200_000;
    p.client.pump(p.net.now);
    p.net.await(NanoClock.seconds(10), p::isDone);
    p.assertIntact();
    p.net.assertNoLeaks();
  }

  @Test
  void shouldGiveUpASilentPeerOnlyAfterAProbe() {
    TcpTranscript t = new TcpTranscript(true).established();
    t.connection.userTimeout(t.now, NanoClock.seconds(5));
    t.connection.keepAlive(t.now, NanoClock.seconds(100));
    t.turn().expect("A uto=5");
    t.after(100_000).expect("A seq=0 ack=1 len=0");
    t.expectState(TcpState.ESTABLISHED);
    t.receive("A seq=1 ack=1");
    t.after(100_000).expect("A seq=0 ack=1 len=0");
    t.after(100_000).expectEvents("closed TIMED_OUT");
    t.end();
  }
}

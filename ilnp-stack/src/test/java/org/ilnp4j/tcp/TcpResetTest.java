package org.ilnp4j.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import org.ilnp4j.util.DropReason;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * RST in states that {@link TcpAcceptanceTest} does not know (RFC 9293 §3.10.7, tcp.md B3, B10).
 */
class TcpResetTest {
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void shouldIgnoreResetsInListenAndClosed(boolean ilnp) {
    TcpTranscript t = new TcpTranscript(ilnp).listen();
    t.receive("R seq=5").receive("RA seq=5 ack=7").expectNothing().expectEvents();
    t.receive("R seq=5 dport=81").receive("RA seq=5 ack=7 dport=81").expectNothing();
    assertThat(t.dropped(DropReason.TCP_NO_CONNECTION)).isEqualTo(4);
    t.end();
  }

  /** RFC 9293 §3.10.7.4: a passive open returns to LISTEN, and gives its place back. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void shouldReturnToListenWhenAHalfOpenCallerResets(boolean ilnp) {
    TcpTranscript t = new TcpTranscript(ilnp).listen();
    t.receive("S seq=0 mss=1000").expect("SA seq=0 ack=1");
    t.receive("R seq=0").receive("R seq=70000").expectNothing(); // outside
    t.expectState(TcpState.SYN_RECEIVED);
    t.receive("R seq=100").expect("A seq=1 ack=1"); // inside: challenge
    t.expectState(TcpState.SYN_RECEIVED);
    assertThat(t.listener.halfOpen).isOne();
    t.receive("RA seq=1 ack=1").expectState(TcpState.CLOSED).expectEvents("syn", "closed RESET");
    assertThat(t.listener.halfOpen).isZero();
    assertThat(t.node.timers.armed()).isZero();
    t.after(100_000).expectNothing();
    t.ourIsnKnown = false;
    t.receive("S seq=0 mss=1000").expect("SA seq=0 ack=1");
    t.end();
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void shouldRefuseAConnectOnlyForAResetThatAnswersItsSyn(boolean ilnp) {
    TcpTranscript t = new TcpTranscript(ilnp).connect();
    t.expect("S seq=0");
    t.receive("R seq=0").receive("RA seq=0 ack=0").receive("RA seq=0 ack=2").expectNothing();
    t.expectState(TcpState.SYN_SENT);
    t.receive("RA seq=0 ack=1").expectState(TcpState.CLOSED).expectEvents("closed REFUSED");
    assertThat(t.node.timers.armed()).isZero();
    t.end();
  }

  /** moby/vpnkit#389: a reset takes every timer and buffer with it, whatever the connection did. */
  @ParameterizedTest
  @EnumSource(
      value = TcpState.class,
      names = {"ESTABLISHED", "FIN_WAIT_1", "FIN_WAIT_2", "CLOSE_WAIT", "CLOSING", "LAST_ACK"})
  void shouldLeaveNothingAfterAReset(TcpState state) {
    for (boolean ilnp : new boolean[] {true, false}) {
      TcpTranscript t = new TcpTranscript(ilnp).in(state);
      boolean finSeen =
          state == TcpState.CLOSE_WAIT || state == TcpState.CLOSING || state == TcpState.LAST_ACK;
      t.connection.keepAlive(t.now, 1_000_000_000L);
      t.autoRead = false;
      if (state.canSend()) {
        t.send(500);
      }
      if (!finSeen) {
        t.receive("PA seq=1 ack=1 len=100"); // not read
        t.receive("PA seq=501 ack=1 len=100"); // early
      }
      t.after(100);
      t.receive("R seq=" + (finSeen ? 2 : 101)).expectState(TcpState.CLOSED);
      assertThat(t.node.timers.armed()).isZero();
      assertThat(t.node.engine.connections()).isZero();
      assertThat(t.node.usedMemory()).isZero();
      t.sent.clear();
      t.after(10_000_000).expectNothing();
      t.end();
    }
  }

  /** tass-belgium/picotcp#56: the numbers of a reset, at the wrap as well. */
  @Test
  void shouldNumberItsResetsByWhatCame() {
    for (int isn : new int[] {0, 1, -1, Integer.MIN_VALUE, Integer.MAX_VALUE}) {
      TcpTranscript t = new TcpTranscript(true, TcpConfig.DEFAULT, isn, 1500);
      t.receive("S seq=0 len=9 dport=81");
      assertThat(t.expect("RA seq=0 ack=10").h.seq).isZero();
      t.receive("F seq=0 len=9 dport=81");
      t.expect("RA seq=0 ack=10");
      t.receive("PA seq=0 ack=-1 dport=81");
      TcpTranscript.Sent s = t.expect("R seq=-1");
      assertThat(s.h.ack).isZero();
      t.end();
    }
  }
}

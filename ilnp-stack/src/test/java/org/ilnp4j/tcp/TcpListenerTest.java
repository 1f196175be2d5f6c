package org.ilnp4j.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.ilnp4j.util.Counter;
import org.ilnp4j.util.DropReason;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Listeners, backlog, half-open connections, TIME-WAIT reuse (tcp.md B7, B8). */
class TcpListenerTest {
  private static TcpTranscript withBacklog(int backlog) {
    TcpConfig config =
        TcpConfig.DEFAULT
            .withBuffers(65536, 65535)
            .withMaxConnections(100_000)
            .withBacklog(backlog);
    return new TcpTranscript(true, config, 77, 1500);
  }

  @Test
  void shouldAnswerNothingBeforeTheServerDecides() {
    TcpTranscript t = new TcpTranscript(true);
    t.autoAccept = false;
    t.listen();
    t.receive("S seq=0 mss=1000").expectEvents("syn").expectNothing();
    t.after(1000);
    t.receive("S seq=0 mss=1000").expectEvents().expectNothing();
    t.connection = t.pending.accept(t.now, t.handler);
    t.turn();
    t.expect("SA seq=0 ack=1");
    t.receive("A seq=1 ack=1").expectEvents("connected");
    assertThat(t.pending.accept(t.now, t.handler)).as("only once").isNull();
    t.end();
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void shouldRefuse(boolean ilnp) {
    TcpTranscript t = new TcpTranscript(ilnp);
    t.autoAccept = false;
    t.listen();
    t.receive("S seq=0");
    t.pending.refuse(t.now);
    t.expectNothing();
    t.turn();
    TcpTranscript.Sent s = t.expect("RA ack=1");
    assertThat(s.nonce).isEqualTo(ilnp);
    assertThat(s.h.seq).isZero();
    t.pending.refuse(t.now);
    t.turn().expectNothing();
    assertThat(t.listener.halfOpen).isZero();
    t.end();
  }

  @Test
  void shouldForgetACallerThatResetsOrIsNeverAnswered() {
    TcpTranscript t = new TcpTranscript(true);
    t.autoAccept = false;
    t.listen();
    t.receive("S seq=0");
    t.receive("R seq=5");
    assertThat(t.listener.halfOpen).isEqualTo(1);
    t.receive("R seq=1");
    assertThat(t.listener.halfOpen).isZero();
    assertThat(t.pending.accept(t.now, t.handler)).isNull();
    t.receive("S seq=0");
    t.after(76_000);
    assertThat(t.listener.halfOpen).isZero();
    assertThat(t.pending.accept(t.now, t.handler)).isNull();
    t.expectNothing();
    t.end();
  }

  @Test
  void shouldTakeTheLatestSynOfACallerThatStartsAgain() {
    TcpTranscript t = new TcpTranscript(true);
    t.autoAccept = false;
    t.listen();
    t.receive("S seq=0 mss=900");
    t.receive("S seq=5000 mss=900");
    t.connection = t.pending.accept(t.now, t.handler);
    t.turn();
    t.expect("SA ack=5001");
    t.end();
  }

  /**
   * google/gvisor#5637, #3153: so many and no fewer; the next one is served, but not remembered.
   */
  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  void shouldRememberExactlyAsManyCallersAsTheBacklogSays(int backlog) {
    TcpTranscript t = withBacklog(backlog).listen();
    for (int i = 0; i < backlog + 2; i++) {
      t.receive("S seq=0 sport=" + (1000 + i));
    }
    assertThat(t.sent).as("none is refused").hasSize(backlog + 2).allMatch(s -> s.h.flags == 0x12);
    assertThat(t.listener.halfOpen).isEqualTo(backlog);
    assertThat(t.node.counters.get(Counter.TCP_SYN_COOKIES_SENT)).isEqualTo(2);
    t.expect("SA");
    t.sent.clear();
    // A reset gives its place back (tass-belgium/picotcp#53).
    t.receive("R seq=1 sport=1000");
    assertThat(t.listener.halfOpen).isEqualTo(backlog - 1);
    t.receive("S seq=0 sport=2001");
    t.receive("S seq=0 sport=2001"); // again: no other place
    assertThat(t.listener.halfOpen).isEqualTo(backlog);
    // So does the end of a handshake.
    t.receive("A seq=1 ack=" + (ackOf(t) - t.ourIsn) + " sport=2001");
    assertThat(t.listener.halfOpen).isEqualTo(backlog - 1);
    t.end();
  }

  /** ibigbug/clash-rs#1070: a SYN that comes again costs nothing, before and after the answer. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void shouldRememberARepeatedSynOnce(boolean accepted) {
    TcpTranscript t = new TcpTranscript(false).listen();
    t.autoAccept = accepted;
    for (int i = 0; i < 10_000; i++) {
      t.receive("S seq=0 mss=1000 ts=5").sent.clear();
    }
    assertThat(t.listener.halfOpen).isOne();
    assertThat(t.node.engine.connections()).isEqualTo(accepted ? 1 : 0);
    assertThat(t.node.timers.armed()).isOne();
    assertThat(t.node.ilcc.size()).isOne();
    assertThat(t.node.usedMemory()).isZero();
    t.expectEvents("syn");
    t.end();
  }

  /** openshwprojects/OpenBK7231T_App#2191: no backlog is an error, not one place. */
  @Test
  void shouldSayThatABacklogOfNothingMakesNoSense() {
    assertThatThrownBy(() -> TcpConfig.DEFAULT.withBacklog(0))
        .hasMessage("backlog 0 must be positive");
    assertThatThrownBy(() -> TcpConfig.DEFAULT.withMaxHalfOpen(0))
        .hasMessage("maxHalfOpen 0 must be positive");
  }

  private static int ackOf(TcpTranscript t) {
    List<Integer> isns = new ArrayList<>();
    t.node.engine.forEach(
        c -> {
          if (c.remotePort() == 2001) {
            isns.add(((Tcb) c).snd.iss + 1);
          }
        });
    return isns.get(0);
  }

  @Test
  void shouldKeepAFullBacklogFromGrowingUnderAFlood() {
    TcpTranscript t = withBacklog(64).listen();
    for (int i = 0; i < 10_000; i++) {
      t.receive("S seq=0 sport=" + (1000 + i));
    }
    assertThat(t.node.engine.connections()).isEqualTo(64);
    assertThat(t.node.usedMemory()).isZero();
    t.after(200_000);
    assertThat(t.node.engine.connections()).as("half-open ones go by themselves").isZero();
    assertThat(t.listener.halfOpen).isZero();
    t.end();
  }

  @Test
  void shouldResetHalfOpenOnesAndKeepEstablishedOnesWhenItCloses() {
    TcpTranscript t = new TcpTranscript(true).established();
    TcpConnection established = t.connection;
    t.receive("S seq=0 sport=1001");
    t.expect("SA");
    t.events.clear();
    t.autoAccept = false;
    t.receive("S seq=0 sport=1002");
    t.events.clear();
    t.listener.close();
    t.turn();
    assertThat(t.sent).hasSize(2).allMatch(s -> (s.h.flags & 4) != 0);
    t.expectEvents("closed ABORTED");
    assertThat(established.state()).isEqualTo(TcpState.ESTABLISHED);
    t.sent.clear();
    t.receive("S seq=0 sport=1003");
    t.expect("RA ack=1");
    t.end();
  }

  @Test
  void shouldRefuseASecondListenerOnAPort() {
    TcpTranscript t = new TcpTranscript(true).listen();
    assertThatThrownBy(() -> t.node.engine.listen(80, (n, p) -> {}))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("port 80 in use");
    assertThatThrownBy(() -> t.node.engine.listen(0, (n, p) -> {}))
        .hasMessage("port 0 is not within 1 to 65535");
    t.listener.close();
    t.node.engine.listen(80, (n, p) -> {}).close();
    t.end();
  }

  @Test
  void shouldResetWhatNobodyListensTo() {
    TcpTranscript t = new TcpTranscript(true);
    t.receive("S seq=0 dport=99");
    TcpTranscript.Sent s = t.expect("RA ack=1 nonce=no");
    assertThat(s.nidOnly).as("in the way the SYN came").isTrue();
    t.receive("S seq=0 dport=99 nonce=no");
    assertThat(t.expect("RA ack=1").nidOnly).isFalse();
    t.receive("A seq=5 ack=1000 len=10 dport=99");
    t.expect("R seq=1000");
    t.receive("R seq=5 dport=99");
    t.receive("RA seq=5 ack=7 dport=99");
    t.expectNothing();
    t.end();
  }

  @Test
  void shouldLimitResetsToStrangers() {
    TcpTranscript t = new TcpTranscript(true);
    for (int i = 0; i < 5000; i++) {
      t.receive("S seq=0 dport=" + (1000 + i));
    }
    assertThat(t.sent.size()).isBetween(100, 1000);
    assertThat(t.dropped(DropReason.TCP_NO_CONNECTION)).isEqualTo(5000);
    t.end();
  }

  // ---- TIME-WAIT; see also TcpReuseTest --------------------------------------------------------

  @Test
  void shouldAcknowledgeARepeatedFinInTimeWaitAndWaitAnew() {
    TcpTranscript t = new TcpTranscript(true).in(TcpState.TIME_WAIT);
    t.after(50_000);
    t.receive("FA seq=1 ack=2");
    t.expect("A seq=2 ack=2");
    t.after(59_999).expectState(TcpState.TIME_WAIT);
    t.after(1).expectState(TcpState.CLOSED);
    t.end();
  }

  @Test
  void shouldNotAnswerAPlainAckInTimeWait() {
    TcpTranscript t = new TcpTranscript(true).in(TcpState.TIME_WAIT);
    t.receive("A seq=2 ack=2");
    t.expectNothing();
    t.end();
  }
}

package org.ilnp4j.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.ilnp4j.time.NanoClock;
import org.ilnp4j.util.Counter;
import org.ilnp4j.util.DropReason;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** TIME-WAIT, ports used again, peers that have forgotten (RFC 6191, RFC 1337, tcp.md B7). */
class TcpReuseTest {
  /** A connection in TIME-WAIT; the last segment heard had timestamp 102 and ended before 2. */
  private static TcpTranscript timeWait(boolean ilnp, boolean timestamps) {
    TcpTranscript t = new TcpTranscript(ilnp).listen();
    String[] ts = timestamps ? new String[] {" ts=100", " ts=101", " ts=102"} : new String[3];
    if (!timestamps) {
      java.util.Arrays.fill(ts, "");
    }
    t.receive("S seq=0" + ts[0]).expect("SA seq=0 ack=1");
    t.receive("A seq=1 ack=1" + ts[1]);
    t.shutdown().expect("FA seq=1");
    t.receive("FA seq=1 ack=2" + ts[2]).expect("A seq=2 ack=2");
    t.expectState(TcpState.TIME_WAIT);
    t.events.clear();
    return t;
  }

  /** Each row of RFC 6191 §2. What is not newer is answered as RFC 9293 §3.10.7.4 says. */
  @ParameterizedTest
  @CsvSource({
    "true,103,-5000,true", "true,102,100,true", "true,102,-5000,false", "true,102,2,false",
    "true,101,100,false", "true,101,-5000,false", "true,-1,100,true", "true,-1,-5000,false",
    "true,-1,2,false", "false,5,-5000,true", "false,5,100,true", "false,-1,100,true",
    "false,-1,2,false", "false,-1,-5000,false"
  })
  void shouldReopenFromTimeWaitForASynThatIsNewer(
      boolean timestamps, int synTimestamp, int synSeq, boolean reopens) {
    for (boolean ilnp : new boolean[] {true, false}) {
      TcpTranscript t = timeWait(ilnp, timestamps);
      int before = t.ourIsn;
      t.receive("S seq=" + synSeq + (synTimestamp < 0 ? " ts=no" : " ts=" + synTimestamp));
      if (reopens) {
        t.expectEvents("syn");
        TcpTranscript.Sent s = t.sent.poll();
        assertThat(s.h.ack - t.peerIsn).isEqualTo(synSeq + 1);
        assertThat(s.h.seq - before).as("beyond the old connection's").isGreaterThan(0x10000);
      } else {
        t.expect("A seq=2 ack=2");
        t.expectEvents().expectState(TcpState.TIME_WAIT);
      }
      assertThat(t.node.engine.connections()).isOne();
      t.end();
    }
  }

  /** RFC 1337: a late RST does not end the wait. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void shouldIgnoreResetsInTimeWait(boolean ilnp) {
    TcpTranscript t = timeWait(ilnp, true);
    for (int seq : new int[] {1, 2, 3, 60_000}) {
      t.receive("R seq=" + seq).receive("RA seq=" + seq + " ack=2");
    }
    t.expectState(TcpState.TIME_WAIT).expectNothing();
    t.after(60_000).expectState(TcpState.CLOSED);
    t.end();
  }

  /**
   * tass-belgium/picotcp#26: the peer has lost its memory and calls again from the same port. It
   * resets what it does not know, and its next SYN is heard.
   */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void shouldServeAPeerThatHasRebooted(boolean ilnp) {
    TcpTranscript t = new TcpTranscript(ilnp).established();
    t.receive("S seq=90000 mss=1000");
    t.expect("A seq=1 ack=1");
    t.receive("R seq=1"); // as RFC 9293 figure 9
    t.expectEvents("closed RESET").expectNothing();
    t.receive("S seq=90000 mss=1000");
    t.ourIsnKnown = false;
    t.expect("SA seq=0 ack=90001");
    t.receive("A seq=90001 ack=1").expectEvents("syn", "connected");
    assertThat(t.node.engine.connections()).isOne();
    t.end();
  }

  /** cilium/cilium#45863: neither side may answer the other's answer for ever. */
  @Test
  void shouldNotAnswerAChallengeWithoutEnd() {
    TcpTranscript t = timeWait(true, true);
    for (int i = 0; i < 1000; i++) {
      t.receive("S seq=-5000 ts=50").receive("R seq=2 ts=no");
    }
    assertThat(t.sent).as("challenges are limited").hasSize(1);
    t.end();
  }

  /** Whichever side has closed first, the same ports serve at once again. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void shouldConnectFromTheSamePortAtOnce(boolean weCloseFirst) {
    TcpTranscript t = new TcpTranscript(true).listen();
    int isn = 0;
    for (int i = 0; i < 20; i++) {
      t.ourIsnKnown = false;
      t.receive("S seq=" + isn + " ts=" + (100 + 10 * i)).expect("SA seq=0 ack=" + (isn + 1));
      t.receive("A seq=" + (isn + 1) + " ack=1 ts=" + (101 + 10 * i));
      if (weCloseFirst) {
        t.shutdown().expect("FA seq=1");
        t.receive("FA seq=" + (isn + 1) + " ack=2 ts=" + (102 + 10 * i)).expect("A");
      } else {
        t.receive("FA seq=" + (isn + 1) + " ack=1 ts=" + (102 + 10 * i)).expect("A");
        t.shutdown().expect("FA seq=1");
        t.receive("A seq=" + (isn + 2) + " ack=2 ts=" + (102 + 10 * i));
      }
      t.expectNothing();
      assertThat(t.events).startsWith("syn", "connected");
      t.events.clear();
      assertThat(t.node.engine.connections()).isEqualTo(weCloseFirst ? 1 : 0);
      isn += 10;
    }
    t.end();
  }

  /** google/gvisor#6209, #1030: a port in use towards one peer is free towards another. */
  @Test
  void shouldNotHandOutAPortInUse() {
    TcpTranscript t = new TcpTranscript(true).connect();
    List<Integer> ports = new ArrayList<>();
    ports.add(t.connection.localPort());
    for (int i = 0; i < 5000; i++) {
      ports.add(t.node.engine.connect(t.now, t.peer, 80, t.handler).localPort());
    }
    assertThat(ports).doesNotHaveDuplicates();
    t.turn();
    t.end();
  }

  /** RFC 6056 §3.2 range; then RFC 6191 for our own choice; then a clear word. */
  @Test
  void shouldReuseItsOwnPortInTimeWaitWhenAllOthersAreTaken() {
    TcpTranscript t = new TcpTranscript(true).connect();
    t.expect("S seq=0");
    t.receive("SA seq=0 ack=1 ts=700").expect("A");
    t.shutdown().expect("FA seq=1");
    t.receive("FA seq=1 ack=2").expect("A ack=2");
    t.expectState(TcpState.TIME_WAIT);
    int port = t.connection.localPort();
    int before = t.ourIsn;
    for (int p = Ports.FIRST; p <= Ports.LAST; p++) {
      if (p != port) {
        t.node.engine.listen(p, (now, pending) -> {});
      }
    }
    assertThatThrownBy(() -> t.node.engine.connect(t.now, t.peer, 80, t.handler))
        .as("its timestamps could be the same")
        .hasMessageStartingWith("no free local port towards port 80 of correspondent 1");
    t.now += NanoClock.seconds(1);
    TcpConnection again = t.node.engine.connect(t.now, t.peer, 80, t.handler);
    assertThat(again.localPort()).isEqualTo(port);
    assertThat(((Tcb) again).snd.iss - before).isGreaterThan(0x10000);
    assertThat(t.node.engine.connect(t.now, t.peer, 81, t.handler)).as("elsewhere").isNotNull();
    assertThatThrownBy(() -> t.node.engine.connect(t.now, t.peer, 80, t.handler))
        .isInstanceOf(IllegalStateException.class);
    t.end();
  }

  /** A full table is no reason to refuse while connections only wait out their time. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void shouldMakeRoomFromTheOldestTimeWait(boolean ilnp) {
    TcpConfig config = TcpConfig.DEFAULT.withBuffers(65536, 65535).withMaxConnections(2);
    TcpTranscript t = new TcpTranscript(ilnp, config, 77, 1500).in(TcpState.TIME_WAIT);
    TcpConnection oldest = t.connection;
    t.peerPort++;
    t.ourIsnKnown = false;
    t.receive("S seq=0 mss=1000").expect("SA seq=0");
    t.receive("A seq=1 ack=1");
    t.shutdown().expect("FA seq=1");
    t.receive("FA seq=1 ack=2").expect("A");
    t.expectState(TcpState.TIME_WAIT);
    t.events.clear();
    t.peerPort++;
    t.ourIsnKnown = false;
    t.receive("S seq=0 mss=1000").expect("SA seq=0"); // a cookie: it has proved nothing
    assertThat(oldest.state()).isEqualTo(TcpState.TIME_WAIT);
    t.receive("A seq=1 ack=1").expectEvents("syn", "connected");
    assertThat(oldest.state()).isEqualTo(TcpState.CLOSED);
    assertThat(t.node.engine.connections()).isEqualTo(2);
    assertThat(t.node.counters.get(Counter.TCP_TIME_WAITS_CUT)).isOne();
    assertThat(t.dropped(DropReason.TCP_TABLE_FULL)).isZero();
    t.node.engine.connect(t.now, t.connection.correspondent(), 80, t.handler);
    assertThatThrownBy(
            () -> t.node.engine.connect(t.now, t.connection.correspondent(), 80, t.handler))
        .hasMessage("no more than 2 TCP connections are allowed");
    t.end();
  }
}

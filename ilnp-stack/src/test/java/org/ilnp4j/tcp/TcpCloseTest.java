package org.ilnp4j.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import org.ilnp4j.time.NanoClock;
import org.junit.jupiter.api.Test;

/** Closing in every order, FIN lost in every state (tcp.md B2, B10). */
class TcpCloseTest {
  private static TcpTranscript established() {
    return new TcpTranscript(true).established();
  }

  @Test
  void shouldCloseFirst() {
    TcpTranscript t = established();
    t.close().expect("FA seq=1 ack=1");
    t.receive("A seq=1 ack=2").expectState(TcpState.FIN_WAIT_2);
    t.receive("FA seq=1 ack=2").expect("A seq=2 ack=2");
    t.expectState(TcpState.TIME_WAIT).expectEvents("end", "closed NORMAL");
    t.after(60_000).expectState(TcpState.CLOSED).expectNothing().expectEvents();
    t.end();
  }

  @Test
  void shouldCloseSecond() {
    TcpTranscript t = established();
    t.receive("FA seq=1 ack=1").expect("A seq=1 ack=2");
    t.expectState(TcpState.CLOSE_WAIT).expectEvents("end");
    t.close().expect("FA seq=1 ack=2");
    t.expectState(TcpState.LAST_ACK);
    t.receive("A seq=2 ack=2").expectState(TcpState.CLOSED).expectEvents("closed NORMAL");
    t.end();
  }

  @Test
  void shouldCloseWhenTheirFinAcknowledgesOurs() {
    TcpTranscript t = established();
    t.close().expect("FA seq=1 ack=1");
    t.receive("FA seq=1 ack=2").expect("A seq=2 ack=2");
    t.expectState(TcpState.TIME_WAIT).expectEvents("end", "closed NORMAL");
    t.end();
  }

  @Test
  void shouldCloseFromBothSidesAtOnceWithDataUnderWay() {
    TcpTranscript t = established();
    t.connection.send(t.now, io.netty.buffer.Unpooled.wrappedBuffer(new byte[100]));
    t.shutdown().expect("FA seq=1 ack=1 len=100");
    t.receive("FA seq=1 ack=1 len=50").expect("A seq=102 ack=52");
    t.expectState(TcpState.CLOSING);
    assertThat(t.readBytes()).isEqualTo(50);
    t.receive("A seq=52 ack=102").expectState(TcpState.TIME_WAIT);
    t.end();
  }

  @Test
  void shouldNotLeaveFinWait1ForTheAckOfDataAlone() {
    TcpTranscript t = established();
    t.connection.send(t.now, io.netty.buffer.Unpooled.wrappedBuffer(new byte[100]));
    t.shutdown().expect("FA seq=1 len=100");
    t.receive("A seq=1 ack=101").expectState(TcpState.FIN_WAIT_1);
    t.after(201);
    t.expect("FA seq=101 len=0"); // the same number as before
    t.receive("A seq=1 ack=102").expectState(TcpState.FIN_WAIT_2);
    t.end();
  }

  @Test
  void shouldRepeatALostFinWithItsNumber() {
    for (TcpState state :
        new TcpState[] {TcpState.FIN_WAIT_1, TcpState.CLOSING, TcpState.LAST_ACK}) {
      TcpTranscript t = new TcpTranscript(true).in(state);
      for (int i = 0; i < 4; i++) {
        while (t.sent.isEmpty()) {
          t.after(100);
        }
        t.expect("FA seq=1 len=0");
        t.expectNothing();
      }
      t.receive("A seq=" + (state == TcpState.FIN_WAIT_1 ? 1 : 2) + " ack=2");
      t.after(10_000).expectNothing();
      t.end();
    }
  }

  @Test
  void shouldGiveUpAFinThatIsNeverAcknowledged() {
    TcpTranscript t = new TcpTranscript(true).in(TcpState.LAST_ACK);
    t.after(901_000);
    t.expectEvents("stalled", "closed TIMED_OUT");
    t.end();
  }

  @Test
  void shouldNotLetAFinOvertakeMissingData() {
    TcpTranscript t = established();
    t.receive("FA seq=101 ack=1 len=50").expect("A ack=1");
    t.expectState(TcpState.ESTABLISHED).expectEvents();
    t.receive("A seq=1 ack=1 len=100").expect("A ack=152");
    t.expectState(TcpState.CLOSE_WAIT);
    assertThat(t.readBytes()).isEqualTo(150);
    t.end();
  }

  @Test
  void shouldRememberAnEarlyBareFin() {
    TcpTranscript t = established();
    t.receive("FA seq=101 ack=1").expect("A ack=1");
    t.receive("A seq=1 ack=1 len=100").expect("A ack=102");
    t.expectState(TcpState.CLOSE_WAIT);
    t.end();
  }

  @Test
  void shouldIgnoreDataBehindAFin() {
    TcpTranscript t = established();
    t.receive("FA seq=11 ack=1").expect("A ack=1");
    t.receive("A seq=1 ack=1 len=100").expect("A ack=12");
    assertThat(t.readBytes()).isEqualTo(10);
    t.receive("A seq=12 ack=1 len=100").expect("A ack=12");
    assertThat(t.readBytes()).isEqualTo(10);
    t.end();
  }

  @Test
  void shouldTakeAFinThatRepeatsData() {
    TcpTranscript t = established();
    t.receive("A seq=1 ack=1 len=100").expect("A ack=101");
    t.receive("FA seq=1 ack=1 len=100").expect("A ack=102");
    t.expectState(TcpState.CLOSE_WAIT);
    assertThat(t.readBytes()).isEqualTo(100);
    t.end();
  }

  @Test
  void shouldReceiveAfterItsOwnFin() {
    TcpTranscript t = new TcpTranscript(true).in(TcpState.FIN_WAIT_2);
    t.receive("A seq=1 ack=2 len=100").expect("A seq=2 ack=101");
    t.receive("A seq=101 ack=2 len=1000").expect("A seq=2 ack=1101");
    assertThat(t.readBytes()).isEqualTo(1100);
    t.after(3_600_000).expectState(TcpState.FIN_WAIT_2); // half-closed, not orphaned
    t.receive("FA seq=1101 ack=2").expect("A ack=1102");
    t.expectState(TcpState.TIME_WAIT);
    t.end();
  }

  @Test
  void shouldSendAfterTheirFin() {
    TcpTranscript t = new TcpTranscript(true).in(TcpState.CLOSE_WAIT);
    t.send(100).expect("A seq=1 ack=2 len=100");
    t.after(201).expect("A seq=1 len=100"); // and repeats it
    t.receive("A seq=2 ack=101");
    t.shutdown().expect("FA seq=101");
    t.receive("A seq=2 ack=102").expectState(TcpState.CLOSED);
    t.end();
  }

  @Test
  void shouldCloseBehindAZeroWindow() {
    TcpTranscript t = established();
    t.receive("A seq=1 ack=1 win=0");
    t.send(100);
    t.close().expectState(TcpState.FIN_WAIT_1).expectNothing();
    t.after(201).expect("A seq=1 len=1");
    t.receive("A seq=1 ack=1 win=0");
    t.receive("A seq=1 ack=2 win=0").expectState(TcpState.FIN_WAIT_1); // not our FIN
    t.receive("A seq=1 ack=2 win=1000").expect("FA seq=2 len=99");
    t.receive("A seq=1 ack=102").expectState(TcpState.FIN_WAIT_2);
    t.end();
  }

  @Test
  void shouldGiveUpAnOrphanBehindAWindowThatStaysClosed() {
    TcpTranscript t = established();
    t.receive("A seq=1 ack=1 win=0");
    t.send(100).close();
    for (int i = 0; i < 16; i++) {
      t.after(60_000);
      t.receive("A seq=1 ack=1 win=0");
    }
    t.expectState(TcpState.CLOSED);
    t.end();
  }

  @Test
  void shouldSendBareFinIntoAClosedWindow() {
    TcpTranscript t = established();
    t.receive("A seq=1 ack=1 win=0");
    t.close().expect("FA seq=1 len=0");
    t.end();
  }

  @Test
  void shouldResetWhenClosedWithUnreadData() {
    TcpTranscript t = new TcpTranscript(true);
    t.autoRead = false;
    t.established();
    t.receive("A seq=1 ack=1 len=100").expect("A ack=101");
    t.close().expect("RA seq=1 ack=101");
    t.expectEvents("readable", "closed ABORTED").expectState(TcpState.CLOSED);
    t.end();
  }

  @Test
  void shouldResetDataThatComesAfterClose() {
    TcpTranscript t = established();
    t.close().expect("FA seq=1");
    t.receive("A seq=1 ack=2");
    t.receive("A seq=1 ack=2 len=10").expect("RA seq=2");
    t.expectState(TcpState.CLOSED).expectEvents("closed ABORTED");
    t.end();
  }

  @Test
  void shouldLetAnOrphanInFinWait2GoAfterAMinute() {
    TcpTranscript t = established();
    t.close().expect("FA seq=1");
    t.receive("A seq=1 ack=2");
    t.after(59_999).expectState(TcpState.FIN_WAIT_2);
    t.after(1).expectState(TcpState.CLOSED).expectEvents("closed TIMED_OUT");
    t.end();
  }

  @Test
  void shouldLetAHalfClosedOneBecomeAnOrphan() {
    TcpTranscript t = new TcpTranscript(true).in(TcpState.FIN_WAIT_2);
    t.after(100_000);
    t.close();
    t.after(60_000).expectState(TcpState.CLOSED);
    t.end();
  }

  @Test
  void shouldKeepWhatWasNotReadBeyondTheGoodEnd() {
    TcpTranscript t = new TcpTranscript(true);
    t.autoRead = false;
    t.established();
    t.receive("FA seq=1 ack=1 len=100");
    t.expect("A ack=102");
    t.shutdown().expect("FA seq=1");
    t.receive("A seq=102 ack=2").expectState(TcpState.CLOSED);
    t.after(100_000);
    t.expectEvents("readable");
    assertThat(t.node.engine.connections()).isZero();
    assertThat(t.readAll()).isEqualTo(100);
    t.turn().expectEvents("end", "closed NORMAL");
    t.end();
  }

  @Test
  void shouldDropWhatWasNotReadWhenTheUserClosesAtTheEnd() {
    TcpTranscript t = new TcpTranscript(true);
    t.autoRead = false;
    t.established();
    t.receive("FA seq=1 ack=1 len=100");
    t.shutdown();
    t.receive("A seq=102 ack=2").expectState(TcpState.CLOSED);
    t.connection.close(t.now);
    t.turn().expectEvents("readable", "closed NORMAL");
    t.end();
  }

  @Test
  void shouldAbort() {
    TcpTranscript t = established();
    t.send(100);
    t.sent.clear();
    t.abort().expect("RA seq=101 ack=1");
    t.expectEvents("closed ABORTED").expectState(TcpState.CLOSED);
    t.abort().close();
    t.expectNothing().expectEvents();
    t.receive("A seq=1 ack=101").expect("R seq=101");
    t.end();
  }

  @Test
  void shouldGiveWhatCameBeforeAReset() {
    TcpTranscript t = established();
    t.receiveNoTurn("A seq=1 ack=1 len=100");
    t.receive("R seq=101");
    t.expectEvents("readable", "closed RESET");
    assertThat(t.readBytes()).isEqualTo(100);
    t.end();
  }

  @Test
  void shouldCancelAllTimersOnReset() {
    TcpTranscript t = established();
    t.connection.keepAlive(t.now, NanoClock.seconds(100));
    t.send(100);
    t.receive("A seq=1 ack=1 len=10");
    assertThat(t.node.timers.armed()).isEqualTo(1);
    t.receive("R seq=11");
    assertThat(t.node.timers.armed()).isZero();
    assertThat(t.node.usedMemory()).isZero();
    t.end();
  }

  @Test
  void shouldRefuseDataAfterShutdownAndReleaseIt() {
    TcpTranscript t = new TcpTranscript(true).in(TcpState.FIN_WAIT_2);
    ByteBuf data = t.node.allocator.directBuffer().writeZero(10);
    assertThatThrownBy(() -> t.connection.send(t.now, data))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("FIN_WAIT_2");
    assertThat(data.refCnt()).isZero();
    assertThat(t.connection.sendSpaceBytes()).isZero();
    t.end();
  }

  @Test
  void shouldRefuseMoreThanTheSpaceThereIs() {
    TcpTranscript t = established();
    ByteBuf data = t.node.allocator.directBuffer().writeZero(65537);
    assertThatThrownBy(() -> t.connection.send(t.now, data))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("65537 octets, but room for 65536");
    assertThat(data.refCnt()).isZero();
    t.end();
  }

  @Test
  void shouldSayWhenThereIsSpaceAgain() {
    TcpTranscript t = new TcpTranscript(true).established("mss=1008 win=65535");
    t.send(65536);
    assertThat(t.connection.sendSpaceBytes()).isZero();
    t.receive("A seq=1 ack=10001 win=65535");
    t.receive("A seq=1 ack=16001 win=65535").expectEvents();
    t.receive("A seq=1 ack=17001 win=65535").expectEvents("writable");
    t.receive("A seq=1 ack=40001 win=65535").expectEvents();
    t.end();
  }
}

package org.ilnp4j.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import org.ilnp4j.time.NanoClock;
import org.ilnp4j.util.DropReason;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Timestamps and PAWS (RFC 7323, tcp.md B9). */
class TcpTimestampsTest {
  private static TcpTranscript established() {
    return established(true);
  }

  private static TcpTranscript established(boolean ilnp) {
    TcpTranscript t = new TcpTranscript(ilnp).listen();
    t.receive("S seq=0 mss=1440 ts=1000 win=10000");
    t.expect("SA ts=1000");
    t.receive("A seq=1 ack=1 ts=1001");
    t.events.clear();
    return t;
  }

  @Test
  void shouldEchoTheTimestampOfTheSegmentThatMovesTheWindow() {
    TcpTranscript t = established();
    t.receiveNoTurn("A seq=1 ack=1 len=100 ts=1010");
    t.receive("A seq=101 ack=1 len=1000 ts=1020"); // not the first since the last ACK
    t.expect("A ack=1101 ts=1010");
    t.receive("A seq=1201 ack=1 len=100 ts=1030").expect("A ack=1101 ts=1010"); // a gap
    t.receive("A seq=1101 ack=1 len=100 ts=1040").expect("A ack=1301 ts=1040");
    t.end();
  }

  @Test
  void shouldDropOldDuplicatesAndAcknowledge() {
    TcpTranscript t = established();
    t.receive("A seq=1 ack=1 len=100 ts=9000");
    t.after(40).expect("A ack=101 ts=9000");
    t.receive("A seq=101 ack=1 len=10 ts=8999").expect("A ack=101");
    assertThat(t.dropped(DropReason.TCP_PAWS)).isEqualTo(1);
    assertThat(t.readBytes()).isEqualTo(100);
    t.receive("A seq=101 ack=1 len=10 ts=9000").after(40).expect("A ack=111");
    t.end();
  }

  @Test
  void shouldCompareTimestampsAcrossTheirWrap() {
    TcpTranscript t = new TcpTranscript(true).listen();
    t.receive("S seq=0 ts=-10");
    t.expect("SA ts=-10");
    t.receive("A seq=1 ack=1 ts=-5");
    t.receive("A seq=1 ack=1 len=10 ts=5").after(40).expect("A ack=11 ts=5");
    t.receive("A seq=11 ack=1 len=10 ts=-3").expect("A ack=11");
    assertThat(t.dropped(DropReason.TCP_PAWS)).isEqualTo(1);
    t.end();
  }

  @Test
  void shouldNotApplyToResets() {
    TcpTranscript t = established();
    t.receive("A seq=1 ack=1 len=100 ts=9000");
    t.receive("R seq=101 ts=1");
    t.expectState(TcpState.CLOSED);
    t.end();
  }

  @Test
  void shouldTakeResetsWithoutTimestamps() {
    TcpTranscript t = established();
    t.receive("R seq=1 ts=no");
    t.expectState(TcpState.CLOSED);
    t.end();
  }

  /** google/gvisor#11536: an old Linux leaves them out there. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void shouldEndTheHandshakeWithAnAckWithoutTimestamps(boolean ilnp) {
    TcpTranscript t = new TcpTranscript(ilnp).listen();
    t.receive("S seq=0 ts=1000");
    t.expect("SA ts=1000");
    t.receive("A seq=1 ack=1 ts=no");
    t.expectState(TcpState.ESTABLISHED);
    t.receive("A seq=1 ack=1 len=10 ts=1005").after(40).expect("A ack=11 ts=1005");
    t.end();
  }

  /** TritonDataCenter/smartos-live#535, openzfs/openzfs#292: dropped, they end in a reset. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void shouldAnswerKeepAlivesWithoutTimestamps(boolean ilnp) {
    TcpTranscript t = established(ilnp);
    t.receive("A seq=0 ack=1 ts=no").expect("A seq=1 ack=1 ts");
    t.after(7_200_000);
    t.receive("A seq=0 ack=1 len=1 ts=no").expect("A seq=1 ack=1 ts");
    t.expectState(TcpState.ESTABLISHED);
    t.end();
  }

  /** snort3/snort3#407, RFC 7323 §5.5. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void shouldForgetATimestampAfter24Days(boolean ilnp) {
    TcpTranscript t = established(ilnp);
    t.receive("A seq=1 ack=1 len=10 ts=9000").after(40).expect("A ack=11");
    t.after(25L * 86400 * 1000);
    t.receive("A seq=11 ack=1 len=10 ts=5").after(40).expect("A ack=21 ts=5");
    t.end();
  }

  @Test
  void shouldNotCallASlowerPathsSegmentsOld() {
    TcpTranscript t = established();
    t.receive("A seq=1 ack=1 len=10 ts=9000 from=20010db800050005").after(40).expect("A ack=11");
    // Sent before the move, and overtaken: 700 ms old, by the old path.
    t.receive("A seq=11 ack=1 len=10 ts=8300").after(40).expect("A ack=21");
    assertThat(t.readBytes()).isEqualTo(20);
    t.receive("A seq=21 ack=1 len=10 ts=6900").expect("A ack=21"); // that is too old
    assertThat(t.dropped(DropReason.TCP_PAWS)).isEqualTo(1);
    t.end();
  }

  @Test
  void shouldMeasureTheRoundTripOfARetransmissionByItsEcho() {
    TcpTranscript t = established();
    t.send(10);
    t.expect("A seq=1 len=10");
    while (t.sent.isEmpty()) {
      t.after(1);
    }
    t.expect("A seq=1 len=10"); // the echo of this one comes back
    t.after(50);
    t.receive("A seq=1 ack=11 ts=2000");
    long srtt = t.connection.info(t.now).srttNanos();
    assertThat(srtt).isBetween(5_000_000L, 8_000_000L); // an eighth of 50 ms
    t.end();
  }

  @Test
  void shouldNotTakeTheEchoOfADuplicateForARoundTrip() {
    TcpTranscript t = new TcpTranscript(true);
    t.established("mss=1020 win=20000 sackok ts=1000", 100);
    t.send(3000);
    t.expect("A seq=1 len=1000");
    t.expect("A seq=1001 len=1000");
    int echo = t.expect("A seq=2001 len=1000").h.tsVal;
    // All of it arrives, but the acknowledgement is lost.
    while (t.connection.info(t.now).timeouts() == 0) {
      t.after(10);
    }
    t.receive("A seq=1 ack=3001 sack=1-1001 ts=9000:" + echo);
    assertThat(t.connection.info(t.now).srttNanos()).isEqualTo(NanoClock.millis(100));
    t.end();
  }
}

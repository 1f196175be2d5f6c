package org.ilnp4j.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Segments that were taken for lost and were only late: F-RTO (RFC 5682), Eifel (RFC 3522). */
class TcpSpuriousLossTest {
  /** Ten segments of 1000 are in flight, and more waits. */
  private static TcpTranscript sending(boolean ilnp, String options) {
    TcpTranscript t = new TcpTranscript(ilnp).established("mss=1008 win=65535 " + options, 20);
    t.send(32_000);
    assertThat(t.sent).hasSize(10);
    return t;
  }

  /** The path stands still for a while: a time-out, and nothing was lost. */
  private static TcpTranscript timedOut(boolean ilnp, String options) {
    TcpTranscript t = sending(ilnp, options);
    int size = t.sent.peek().h.payloadLength;
    assertThat(t.connection.info(t.now).mssBytes()).isEqualTo(size);
    t.sent.clear();
    while (t.connection.info(t.now).timeouts() == 0) {
      t.sent.clear();
      t.after(1);
    }
    t.expect("A seq=1 len=" + size);
    t.expectNothing();
    assertThat(t.connection.info(t.now).cwndBytes()).isEqualTo(size);
    return t;
  }

  @ParameterizedTest
  @CsvSource({"true,''", "true,sackok", "false,''", "false,sackok"})
  void shouldTakeBackATimeoutThatWasForNothing(boolean ilnp, String options) {
    TcpTranscript t = timedOut(ilnp, options);
    int size = t.connection.info(t.now).mssBytes();
    t.after(20).receive("A seq=1 ack=" + (1 + size) + " win=65535");
    // Something new instead of the rest once more: its acknowledgement will tell.
    assertThat(t.sent).hasSizeBetween(1, 2).allMatch(s -> s.h.seq - t.ourIsn >= 1 + 10 * size);
    t.sent.clear();
    t.after(1).receive("A seq=1 ack=" + (1 + 2 * size) + " win=65535");
    TcpInfo info = t.connection.info(t.now);
    assertThat(info.spuriousRecoveries()).isOne();
    assertThat(info.ssthreshBytes()).isEqualTo(Long.MAX_VALUE);
    assertThat(info.cwndBytes()).isGreaterThanOrEqualTo(10L * size);
    for (int i = 3; i <= 10; i++) {
      t.after(1).receive("A seq=1 ack=" + (1 + i * size) + " win=65535");
    }
    assertThat(t.sent).allMatch(s -> s.h.seq - t.ourIsn >= 1 + 10 * size);
    assertThat(t.connection.info(t.now).retransmittedSegments())
        .as("but for the head, and a probe of the tail")
        .isLessThanOrEqualTo(options.isEmpty() ? 1 : 2);
    t.end();
  }

  @ParameterizedTest
  @CsvSource({"true,''", "true,sackok", "false,''"})
  void shouldRepeatTheRestWhenTheTimeoutWasReal(boolean ilnp, String options) {
    TcpTranscript t = timedOut(ilnp, options);
    int size = t.connection.info(t.now).mssBytes();
    t.after(20).receive("A seq=1 ack=" + (1 + size) + " win=65535"); // of the repeated head
    int left = t.sent.peek().h.seq - t.ourIsn;
    t.sent.clear();
    String block = options.isEmpty() ? "" : " sack=" + left + "-" + (left + size);
    t.after(20).receive("A seq=1 ack=" + (1 + size) + " win=65535" + block);
    t.expect("A seq=" + (1 + size) + " len=" + size);
    assertThat(t.connection.info(t.now).spuriousRecoveries()).isZero();
    assertThat(t.connection.info(t.now).ssthreshBytes()).isLessThan(10L * size);
    t.end();
  }

  /** The acknowledgement echoes what was sent before the repetition. */
  @Test
  void shouldTakeBackARecoveryWhenTheEchoIsOlderThanTheRepetition() {
    TcpTranscript t = sending(true, "sackok ts=5000");
    int size = t.connection.info(t.now).mssBytes();
    int mark = t.sent.peek().h.tsVal;
    t.sent.clear();
    t.after(20)
        .receive(
            "A seq=1 ack=1 win=65535 sack="
                + (1 + size)
                + "-"
                + (1 + 4 * size)
                + " ts=5020:"
                + mark);
    t.expect("A seq=1 len=" + size);
    t.sent.clear();
    assertThat(t.connection.info(t.now).ssthreshBytes()).isLessThan(10L * size);
    t.after(2).receive("A seq=1 ack=" + (1 + 4 * size) + " win=65535 ts=5022:" + mark);
    TcpInfo info = t.connection.info(t.now);
    assertThat(info.spuriousRecoveries()).isOne();
    assertThat(info.ssthreshBytes()).isEqualTo(Long.MAX_VALUE);
    t.end();
  }
}

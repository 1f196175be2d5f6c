package org.ilnp4j.tcp.recovery;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** The examples follow RFC 9937 §7: twenty segments in flight, a target of ten. */
class ProportionalRateTest {
  private static final int MSS = 1000;
  private final ProportionalRate rate = new ProportionalRate();

  @Test
  void shouldSendOneSegmentForTwoDelivered() {
    rate.start(20 * MSS);
    long pipe = 19 * MSS;
    int sent = 0;
    for (int ack = 1; ack <= 18; ack++) {
      pipe -= MSS;
      rate.onAck(MSS, pipe, 10 * MSS, MSS, false);
      while (pipe + MSS <= rate.windowBytes()) {
        pipe += MSS;
        rate.onSent(MSS);
        sent++;
      }
    }
    assertThat(sent).isEqualTo(9);
    assertThat(pipe).isEqualTo(10 * MSS);
  }

  @Test
  void shouldNotBurstWhenMuchWasLost() {
    rate.start(20 * MSS);
    rate.onAck(MSS, 3 * MSS, 10 * MSS, MSS, false); // sixteen lost at once
    assertThat(rate.windowBytes()).as("as much as was delivered").isEqualTo(4 * MSS);
    rate.onSent(MSS);
    rate.onAck(MSS, 3 * MSS, 10 * MSS, MSS, true);
    assertThat(rate.windowBytes()).as("slow start while it goes well").isEqualTo(5 * MSS);
  }

  @Test
  void shouldNeverGoBeyondTheTarget() {
    rate.start(20 * MSS);
    rate.onAck(15 * MSS, 5 * MSS, 10 * MSS, MSS, true);
    assertThat(rate.windowBytes()).isEqualTo(10 * MSS);
  }
}

package org.ilnp4j.tcp.congestion;

import static org.assertj.core.api.Assertions.assertThat;

import org.ilnp4j.time.NanoClock;
import org.junit.jupiter.api.Test;

/** RFC 5681 as published results were measured with. */
class RenoTest {
  private static final int MSS = Flow.MSS;

  @Test
  void shouldHalveAndGrowByOneSegmentPerRound() {
    Flow flow = new Flow("reno");
    flow.grow(40);
    flow.lose(43 * MSS); // limited transmit had let three more go
    assertThat(flow.window()).isEqualTo(20);
    for (int i = 1; i <= 5; i++) {
      flow.round();
      assertThat(flow.window()).isEqualTo(20 + i);
    }
    flow.segmentsPerAck = 1;
    for (int i = 6; i <= 10; i++) {
      flow.round();
      assertThat(flow.window()).isEqualTo(20 + i);
    }
  }

  @Test
  void shouldGrowByOneSegmentPerRoundFromAPartOfASegmentToo() {
    Flow flow = new Flow("reno");
    flow.grow(19);
    flow.lose(19 * MSS);
    flow.segmentsPerAck = 1;
    for (int i = 0; i < 8; i++) {
      assertThat(flow.window()).isEqualTo(9.5 + i);
      flow.round((9 + i) * MSS, true); // half a segment is not sent
    }
  }

  @Test
  void shouldDrawTheSawToothOfAFixedLossRate() {
    // One loss in 200 segments: W * 3/8 * W = 200 per cycle, so W is 23 and the mean 17.3.
    Flow flow = new Flow("reno");
    flow.grow(23);
    flow.lose(23 * MSS);
    double sum = 0;
    int rounds = 0;
    double sinceLoss = 0;
    for (; rounds < 1000; rounds++) {
      sum += flow.window();
      sinceLoss += flow.window();
      flow.round();
      if (sinceLoss >= 200) {
        sinceLoss -= 200;
        flow.lose(flow.cc.cwndBytes());
      }
    }
    assertThat(sum / rounds).isBetween(16.0, 18.5);
  }

  @Test
  void shouldSlowStartToTheThresholdAfterATimeout() {
    Flow flow = new Flow("reno");
    flow.grow(32);
    flow.cc.onTimeout(flow.now, 32 * MSS, true);
    double[] expected = {1, 2, 4, 8, 16, 17, 18};
    for (double window : expected) {
      assertThat(flow.window()).isEqualTo(window);
      flow.round();
    }
  }

  @Test
  void shouldNotHeedARisingRtt() {
    Flow flow = new Flow("reno");
    for (int i = 0; i < 6; i++) {
      flow.rttNanos += NanoClock.millis(20);
      flow.round();
    }
    assertThat(flow.window()).isEqualTo(640);
  }
}

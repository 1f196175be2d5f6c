package org.ilnp4j.tcp.congestion;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.ilnp4j.time.NanoClock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** RFC 7661 and RFC 9438 §5.8, seen through the controllers. */
class WindowValidationTest {
  private static final int MSS = Flow.MSS;

  @ParameterizedTest
  @ValueSource(strings = {"cubic", "reno"})
  void shouldNotGrowBeyondTwiceWhatIsUsedInSlowStart(String name) {
    Flow flow = new Flow(name);
    flow.rttNanos = NanoClock.millis(10); // an RTO is thirty rounds
    for (int i = 0; i < 20; i++) {
      flow.round(20 * MSS, false);
    }
    assertThat(flow.window()).isBetween(40.0, 62.0);
  }

  @ParameterizedTest
  @ValueSource(strings = {"cubic", "reno"})
  void shouldNotGrowInCongestionAvoidanceUnlessFull(String name) {
    Flow flow = new Flow(name);
    flow.grow(40);
    flow.lose(40 * MSS);
    flow.rttNanos = NanoClock.millis(10);
    flow.sendOnly(10 * MSS);
    flow.round(10 * MSS, false);
    flow.round(10 * MSS, false); // by now the last full window is two rounds ago
    double window = flow.window();
    for (int i = 0; i < 20; i++) {
      flow.round(10 * MSS, false);
    }
    assertThat(flow.window()).isEqualTo(window);
  }

  @Test
  void shouldHalveTheWindowForEachRtoOfSilence() {
    Flow flow = new Flow("reno");
    flow.grow(160);
    flow.now += Flow.RTO;
    flow.cc.onIdle(flow.now, Flow.RTO, Flow.RTO);
    assertThat(flow.window()).as("not before it is over").isEqualTo(160);
    flow.cc.onIdle(flow.now, 2 * Flow.RTO + 1, Flow.RTO);
    assertThat(flow.window()).isEqualTo(40);
    flow.cc.onIdle(flow.now, NanoClock.seconds(3600), Flow.RTO);
    assertThat(flow.window()).as("the initial window at least").isEqualTo(10);
  }

  @Test
  void shouldNotRaiseASmallWindowAfterSilence() {
    Flow flow = new Flow("reno");
    flow.lose(8 * MSS);
    assertThat(flow.window()).isEqualTo(4);
    flow.cc.onIdle(flow.now, NanoClock.seconds(3600), Flow.RTO);
    assertThat(flow.window()).isEqualTo(4);
  }

  @ParameterizedTest
  @ValueSource(strings = {"cubic", "reno"})
  void shouldRememberInTheThresholdWhereItHadBeen(String name) {
    Flow flow = new Flow(name);
    flow.grow(400);
    flow.lose(400 * MSS);
    double before = flow.window();
    flow.cc.onIdle(flow.now, NanoClock.seconds(60), Flow.RTO);
    assertThat(flow.window()).isEqualTo(10);
    assertThat(flow.cc.ssthreshBytes()).isEqualTo((long) before * MSS);
    int rounds = 0;
    for (; flow.cc.inSlowStart(); rounds++) {
      flow.round();
    }
    assertThat(rounds).as("slow start back to it").isLessThanOrEqualTo(5);
  }

  @Test
  void shouldMoveHalfWayToWhatIsUsedEachRtoWithoutAFullWindow() {
    Flow flow = new Flow("reno");
    flow.grow(160);
    flow.lose(160 * MSS);
    assertThat(flow.window()).isEqualTo(80);
    for (int i = 0; i < 100; i++) {
      flow.round(20 * MSS, false);
    }
    assertThat(flow.window()).as("slow start runs ahead by half").isBetween(40.0, 41.0);
    assertThat(flow.cc.ssthreshBytes()).isGreaterThanOrEqualTo(60 * MSS);
  }

  @ParameterizedTest
  @ValueSource(strings = {"cubic", "reno"})
  void shouldReckonFromWhatThePathCarriedNotFromAMomentsFlight(String name) {
    Flow flow = new Flow(name);
    flow.segmentsPerAck = 1;
    flow.round();
    flow.round();
    flow.round();
    assertThat(flow.window()).isEqualTo(80);
    flow.round();
    flow.lose(3 * MSS); // the last three of a reply were under way
    double beta = name.equals("reno") ? 0.5 : 0.7;
    assertThat(flow.window()).isCloseTo(80 * beta, within(1.0));
  }

  @Test
  void shouldForgetWhatThePathCarriedLongAgo() {
    Flow flow = new Flow("reno");
    for (int i = 0; i < 4; i++) {
      flow.round();
    }
    for (int i = 0; i < 40; i++) {
      flow.round(2 * MSS, false);
    }
    flow.lose(2 * MSS);
    assertThat(flow.window()).isEqualTo(2);
  }

  @Test
  void shouldNotReckonFromAWindowThatWasNeverUsed() {
    Flow flow = new Flow("reno");
    flow.round(4 * MSS, false);
    flow.round(4 * MSS, false);
    flow.lose(4 * MSS);
    assertThat(flow.window()).isEqualTo(2);
  }

  @Test
  void shouldKeepTheWindowOfABulkFlowForEver() {
    Flow flow = new Flow("reno");
    flow.grow(100);
    flow.lose(100 * MSS);
    for (int i = 0; i < 2000; i++) {
      double before = flow.window();
      flow.round();
      assertThat(flow.window()).isEqualTo(before + 1);
    }
  }
}

package org.ilnp4j.tcp.congestion;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.ilnp4j.time.NanoClock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What all algorithms driven by loss have in common (RFC 5681, 6928, 3465, 8511). */
class CongestionControlTest {
  private static final int MSS = Flow.MSS;

  @ParameterizedTest
  @ValueSource(strings = {"cubic", "reno"})
  void shouldStartWithTenSegmentsAndDoubleEachRound(String name) {
    Flow flow = new Flow(name);
    assertThat(flow.window()).isEqualTo(10);
    assertThat(flow.cc.inSlowStart()).isTrue();
    flow.round();
    assertThat(flow.window()).as("delayed acknowledgements count in full").isEqualTo(20);
    flow.segmentsPerAck = 20;
    flow.round();
    assertThat(flow.window()).as("so do stretched ones").isEqualTo(40);
  }

  @ParameterizedTest
  @CsvSource({"1500, 14600", "1460, 14600", "1000, 10000", "9000, 18000"})
  void shouldBoundTheInitialWindowInOctets(int mss, long bytes) {
    assertThat(new Reno(mss).cwndBytes()).isEqualTo(bytes);
  }

  @ParameterizedTest
  @ValueSource(strings = {"cubic", "reno"})
  void shouldSendOneSegmentAfterATimeout(String name) {
    Flow flow = new Flow(name);
    flow.send();
    flow.cc.onTimeout(0, 10 * MSS, true);
    assertThat(flow.window()).isEqualTo(1);
    long ssthresh = flow.cc.ssthreshBytes();
    assertThat(ssthresh).isEqualTo(name.equals("reno") ? 5 * MSS : 7 * MSS);
    flow.cc.onTimeout(flow.rttNanos, MSS, false);
    assertThat(flow.cc.ssthreshBytes()).as("not for the same segment").isEqualTo(ssthresh);
    flow.send();
    flow.ack(8 * MSS);
    assertThat(flow.window()).as("at most two segments per acknowledgement").isEqualTo(3);
  }

  @ParameterizedTest
  @ValueSource(strings = {"cubic", "reno"})
  void shouldNeverGoBelowTwoSegmentsOnLossAndOneOnMarks(String name) {
    Flow flow = new Flow(name);
    flow.lose(MSS);
    assertThat(flow.cc.cwndBytes()).isEqualTo(2 * MSS);
    assertThat(flow.cc.ssthreshBytes()).isEqualTo(2 * MSS);
    for (int i = 0; i < 10; i++) {
      flow.congestion(MSS, CongestionControl.Cause.MARK);
    }
    assertThat(flow.cc.cwndBytes()).isEqualTo(MSS);
    assertThat(flow.cc.ssthreshBytes()).isEqualTo(2 * MSS);
  }

  @ParameterizedTest
  @CsvSource({"cubic, LOSS, 70", "cubic, MARK, 85", "reno, LOSS, 50", "reno, MARK, 80"})
  void shouldGiveUpLessOnMarksThanOnLoss(String name, CongestionControl.Cause cause, double left) {
    Flow flow = new Flow(name);
    flow.grow(100);
    flow.congestion(100 * MSS, cause);
    assertThat(flow.window()).isEqualTo(left);
  }

  @ParameterizedTest
  @ValueSource(strings = {"cubic", "reno"})
  void shouldNotGrowDuringRecovery(String name) {
    Flow flow = new Flow(name);
    flow.grow(40);
    flow.lose(40 * MSS);
    double window = flow.window();
    AckSample ack = new AckSample();
    ack.deliveredBytes = 40 * MSS;
    ack.held = true;
    flow.cc.onAck(ack);
    assertThat(flow.window()).isEqualTo(window);
  }

  @ParameterizedTest
  @ValueSource(strings = {"cubic", "reno"})
  void shouldTakeAReductionBackThatWasForNothing(String name) {
    Flow flow = new Flow(name);
    flow.grow(40);
    flow.lose(40 * MSS);
    flow.cc.onTimeout(flow.now, 10 * MSS, true); // in the same recovery
    flow.cc.undo();
    assertThat(flow.window()).isEqualTo(40);
    assertThat(flow.cc.inSlowStart()).as("as before").isTrue();
    flow.lose(40 * MSS);
    double reduced = flow.window();
    flow.cc.undo();
    flow.cc.undo();
    assertThat(flow.window()).isEqualTo(40);
    flow.lose(40 * MSS);
    assertThat(flow.window()).isEqualTo(reduced);
  }

  @ParameterizedTest
  @ValueSource(strings = {"cubic", "reno"})
  void shouldKeepAWindowThatHasOutgrownTheReduction(String name) {
    Flow flow = new Flow(name);
    flow.grow(20);
    flow.lose(20 * MSS);
    while (flow.window() <= 21) {
      flow.round();
    }
    double window = flow.window();
    flow.cc.undo();
    assertThat(flow.window()).isEqualTo(window);
    assertThat(flow.cc.inSlowStart()).isFalse();
  }

  @ParameterizedTest
  @ValueSource(strings = {"cubic", "reno"})
  void shouldNotUndoWithoutAnythingSaved(String name) {
    Flow flow = new Flow(name);
    flow.cc.undo();
    assertThat(flow.window()).isEqualTo(10);
  }

  @Test
  void shouldPaceSlowStartAtTwiceTheWindowAndLaterALittleAboveIt() {
    Flow flow = new Flow("cubic");
    assertThat(flow.cc.pacingRate(-1)).isEqualTo(Pacer.UNLIMITED);
    assertThat(flow.cc.pacingRate(NanoClock.millis(100))).isEqualTo(200_000);
    flow.grow(20);
    flow.lose(20 * MSS);
    assertThat(flow.cc.pacingRate(NanoClock.millis(100))).isEqualTo(168_000);
  }

  @Test
  void shouldKeepTheSegmentCountWhenTheMtuFalls() {
    CongestionControl cc = CongestionControl.create("cubic", 1400, true);
    cc.saveForUndo();
    cc.mss(1200);
    assertThat(cc.cwndBytes()).isEqualTo(12_000);
    cc.onCongestionEvent(0, 12_000, CongestionControl.Cause.LOSS);
    cc.undo();
    assertThat(cc.cwndBytes()).isEqualTo(12_000);
  }

  @Test
  void shouldNameTheChoicesWhenAskedForAnUnknownOne() {
    assertThatThrownBy(() -> CongestionControl.create("vegas", MSS, true))
        .hasMessage("unknown congestion control \"vegas\": use cubic, reno or bbr");
    assertThat(CongestionControl.isKnown("vegas")).isFalse();
    assertThat(CongestionControl.isKnown("newreno")).isTrue();
    assertThat(CongestionControl.create("newreno", MSS, true).name()).isEqualTo("reno");
  }
}

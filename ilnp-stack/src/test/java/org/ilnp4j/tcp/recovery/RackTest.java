package org.ilnp4j.tcp.recovery;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.ilnp4j.tcp.recovery.SentSegment.Fate;
import org.ilnp4j.time.NanoClock;
import org.ilnp4j.wire.TcpHeader;
import org.junit.jupiter.api.Test;

/**
 * The SACK scoreboard and RACK. Segments of 1000 octets, numbered by their position, sent a
 * millisecond apart; what is acknowledged has taken 40 ms at least.
 */
class RackTest {
  private static final int SIZE = 1000;
  private static final long RTT_NANOS = NanoClock.millis(40);
  private final RetransmitQueue queue = new RetransmitQueue();
  private final SackScoreboard sack = new SackScoreboard(queue);
  private final PathState a = RetransmitQueueTest.path(1);
  private final PathState b = RetransmitQueueTest.path(2);
  private final Delivery delivery = new Delivery();
  private long now;
  private long order;
  private int sent;
  private long again;

  private void send(int segments, PathState on) {
    for (int i = 0; i < segments; i++) {
      now += NanoClock.millis(1);
      SentSegment s = queue.append(sent * SIZE, SIZE, false, false);
      queue.sent(s, on, now, ++order, 0);
      sent++;
    }
  }

  /** So many segments as one record. */
  private void sendTogether(int segments, PathState on) {
    now += NanoClock.millis(1);
    SentSegment s = queue.append(sent * SIZE, segments * SIZE, false, false);
    s.segmentBytes(SIZE);
    queue.sent(s, on, now, ++order, 0);
    sent += segments;
  }

  private void resend(int i, PathState on) {
    now += NanoClock.millis(1);
    SentSegment s = queue.get(i);
    queue.sent(s, on, now, ++order, 0);
  }

  /** Blocks as pairs of segment numbers, right one excluded. */
  private void ack(PathState current, int... blocks) {
    now += RTT_NANOS;
    ackNow(current, blocks);
  }

  private void ackNow(PathState current, int... blocks) {
    TcpHeader h = new TcpHeader().clear();
    for (int i = 0; i < blocks.length; i += 2) {
      h.sackLeft[h.sackCount] = blocks[i] * SIZE;
      h.sackRight[h.sackCount++] = blocks[i + 1] * SIZE;
    }
    delivery.reset(now, current, false, 0);
    sack.onBlocks(h, 0, sent * SIZE, delivery);
    PathState sample = delivery.samplePath();
    if (sample != null) {
      sample.rtt.onSample(now - delivery.firstSentNanos());
    }
    again = Math.min(detect(a), detect(b));
  }

  private long detect(PathState p) {
    return p.detectLosses(now, queue, sent * SIZE);
  }

  private List<Integer> lost() {
    List<Integer> out = new ArrayList<>();
    for (int i = 0; i < queue.size(); i++) {
      if (queue.get(i).fate() == Fate.LOST) {
        out.add(i);
      }
    }
    return out;
  }

  @Test
  void shouldNotTakeTheOrderOfBlocksForThatOfArrivals() {
    send(10, a);
    ack(a, 6, 7, 4, 5, 2, 3); // the latest first; acknowledgements before it were lost
    assertThat(a.isReorderingSeen()).isFalse();
    assertThat(lost()).containsExactly(0, 1, 3, 5);
  }

  @Test
  void shouldTellTheSegmentsOfASuperSegmentApart() {
    sendTogether(10, a);
    ack(a, 3, 7);
    assertThat(queue.size()).as("before, what arrived, and behind it").isEqualTo(3);
    assertThat(queue.get(1).seq()).isEqualTo(3 * SIZE);
    assertThat(queue.get(1).fate()).isEqualTo(Fate.SACKED);
    assertThat(a.sackedSegments()).isEqualTo(4);
    assertThat(lost()).as("four later ones arrived").containsExactly(0);
    assertThat(queue.get(2).fate()).as("nothing later arrived").isEqualTo(Fate.IN_FLIGHT);
    assertThat(a.inFlightBytes()).isEqualTo(3 * SIZE);
    assertThat(queue.lostBytes()).isEqualTo(3 * SIZE);
  }

  @Test
  void shouldNotWaitLongerForASegmentOfASuperSegment() {
    sendTogether(10, a);
    ack(a, 1, 3);
    assertThat(lost()).as("a little later than its follower, it may still come").isEmpty();
    ackNow(a, 1, 4);
    assertThat(lost()).containsExactly(0);
    assertThat(queue.get(0).length()).isEqualTo(SIZE);
    assertThat(queue.size()).as("blocks that grew are two records").isEqualTo(4);
  }

  @Test
  void shouldTakeWholeSegmentsOnlyForArrived() {
    sendTogether(10, a);
    TcpHeader h = new TcpHeader().clear();
    h.sackLeft[0] = 3500;
    h.sackRight[0] = 6999;
    h.sackCount = 1;
    now += RTT_NANOS;
    delivery.reset(now, a, false, 0);
    sack.onBlocks(h, 0, sent * SIZE, delivery);
    assertThat(delivery.bytes()).isEqualTo(2 * SIZE);
    assertThat(queue.get(1).seq()).isEqualTo(4 * SIZE);
    assertThat(queue.get(1).endSeq()).isEqualTo(6 * SIZE);
  }

  @Test
  void shouldBoundTheRecordsThatOddBlocksMake() {
    sendTogether(40, a);
    for (int octet = 1; octet < 40 * SIZE; octet += 7) {
      TcpHeader h = new TcpHeader().clear();
      h.sackLeft[0] = octet;
      h.sackRight[0] = octet + 6;
      h.sackCount = 1;
      delivery.reset(now, a, false, 0);
      sack.onBlocks(h, 0, sent * SIZE, delivery);
    }
    assertThat(queue.size()).isOne();
  }

  @Test
  void shouldTakeTheHeadForLostAfterThreeLaterOnesArrived() {
    send(10, a);
    ack(a, 1, 3);
    assertThat(lost()).as("a little later than its follower, it may still come").isEmpty();
    assertThat(a.phase()).isEqualTo(PathState.Phase.OPEN);
    ackNow(a, 1, 4);
    assertThat(lost()).containsExactly(0);
    assertThat(a.phase()).isEqualTo(PathState.Phase.RECOVERY);
    assertThat(a.congestion.cwndBytes()).isEqualTo(5 * SIZE); // half of ten in flight
    assertThat(a.recoveryPoint()).isEqualTo(10 * SIZE);
    assertThat(a.pipeBytes()).isEqualTo(6 * SIZE);
  }

  @Test
  void shouldTakeTheHeadForLostAQuarterOfTheRttAfterASingleFollower() {
    a.rtt.onSample(RTT_NANOS);
    send(10, a);
    ack(a, 1, 2);
    assertThat(lost()).isEmpty();
    long latestRtt = now - queue.get(1).sentNanos();
    assertThat(again).isEqualTo(queue.get(1).sentNanos() + latestRtt + a.rtt.minRttNanos() / 4);
    now = again;
    again = detect(a);
    assertThat(lost()).containsExactly(0);
    assertThat(again).isEqualTo(NanoClock.NEVER);
  }

  @Test
  void shouldWaitForLateSegmentsOnceReorderingWasSeen() {
    a.rtt.onSample(RTT_NANOS);
    send(10, a);
    ack(a, 2, 4);
    ackNow(a, 1, 4); // the second was not lost: it was late
    assertThat(a.isReorderingSeen()).isTrue();
    ackNow(a, 1, 4, 5, 9);
    assertThat(lost()).as("four later ones arrived, but it is early yet").isEmpty();
    now = again;
    detect(a);
    assertThat(lost()).containsExactly(0, 4);
  }

  @Test
  void shouldWaitLongerAfterEachRoundWithAUselessRepetition() {
    a.rtt.onSample(RTT_NANOS);
    send(10, a);
    ack(a, 2, 4);
    ackNow(a, 1, 4);
    a.onDsack(0, sent * SIZE);
    a.onDsack(0, sent * SIZE); // the same round
    send(3, a);
    ack(a, 1, 4, 12, 13);
    long latestRtt = now - queue.get(12).sentNanos();
    assertThat(again - queue.get(12).sentNanos() - latestRtt)
        .isEqualTo(2 * a.rtt.minRttNanos() / 4);
  }

  @Test
  void shouldReduceTheWindowOncePerWindowOfData() {
    send(20, a);
    ack(a, 1, 4);
    long cwnd = a.congestion.cwndBytes();
    ack(a, 8, 12, 1, 4);
    assertThat(lost()).containsExactly(0, 4, 5, 6, 7);
    assertThat(a.congestion.cwndBytes()).isEqualTo(cwnd);
  }

  @Test
  void shouldFindALostRetransmissionByWhatWasSentAfterIt() {
    send(6, a);
    ack(a, 1, 4);
    resend(0, a);
    send(3, a);
    ackNow(a, 1, 6); // sent before the retransmission: says nothing about it
    assertThat(lost()).isEmpty();
    ack(a, 1, 7);
    assertThat(lost()).containsExactly(0);
  }

  /** RFC 9937 §6: what had arrived before the recovery began has no part in its rate. */
  @Test
  void shouldReckonTheRateFromWhatWasInFlightWhenRecoveryBegan() {
    send(10, a);
    ack(a, 1, 2);
    a.onAck(now, SIZE, -1, false);
    ack(a, 1, 3);
    a.onAck(now, SIZE, -1, false);
    ack(a, 1, 4);
    assertThat(a.congestion.ssthreshBytes()).isEqualTo(5 * SIZE);
    assertThat(a.pipeBytes()).isEqualTo(6 * SIZE);
    a.onRecoveryAck(SIZE, false);
    assertThat(a.windowBytes()).as("five for each eight").isEqualTo(6 * SIZE + SIZE * 5 / 8);
  }

  @Test
  void shouldReduceAgainWhenARetransmissionIsLost() {
    send(10, a);
    ack(a, 1, 5);
    assertThat(a.congestion.ssthreshBytes()).isEqualTo(5 * SIZE);
    resend(0, a);
    send(4, a);
    ack(a, 1, 14);
    assertThat(lost()).containsExactly(0);
    assertThat(a.congestion.ssthreshBytes()).isLessThan(5 * SIZE);
    assertThat(a.phase()).isEqualTo(PathState.Phase.RECOVERY);
  }

  @Test
  void shouldNeverInferLossOnOnePathFromAnother() {
    send(5, a);
    send(10, b); // moved; the new path is faster
    ack(b, 5, 15);
    assertThat(lost()).isEmpty();
    ack(b, 5, 15, 1, 3);
    assertThat(lost()).isEmpty();
    ackNow(b, 5, 15, 1, 4); // three of the old path itself
    assertThat(lost()).containsExactly(0);
    assertThat(a.phase()).isEqualTo(PathState.Phase.RECOVERY);
    assertThat(b.phase()).isEqualTo(PathState.Phase.OPEN);
    assertThat(b.congestion.cwndBytes()).isEqualTo(10 * SIZE);
  }

  @Test
  void shouldFindLossesOnTheNewPathWhileTheOldOneIsStillOutstanding() {
    send(3, a);
    send(8, b);
    ack(b, 4, 7);
    assertThat(lost()).containsExactly(3);
    ack(b, 4, 7, 8, 11);
    assertThat(lost()).containsExactly(3, 7);
    assertThat(queue.get(0).fate()).isEqualTo(Fate.IN_FLIGHT);
  }

  @Test
  void shouldNotCountWhatArrivedBeforeTheRetransmission() {
    send(10, a);
    ack(a, 4, 10);
    assertThat(lost()).containsExactly(0, 1, 2, 3);
    resend(0, a);
    resend(1, a);
    resend(2, a);
    ack(a, 4, 10);
    assertThat(lost()).containsExactly(3);
  }

  @Test
  void shouldIgnoreBlocksThatNameNothingOutstanding() {
    send(5, a);
    ack(a, 7, 9); // beyond what was sent
    ack(a, 3, 2); // reversed
    ack(a, -4, -1); // below
    ack(a, 0, 3); // a D-SACK: starts at the cumulative ACK
    assertThat(a.sackedSegments()).isZero();
    assertThat(delivery.bytes()).isZero();
  }

  @Test
  void shouldMarkOnlySegmentsCoveredWhole() {
    send(4, a);
    TcpHeader h = new TcpHeader().clear();
    h.sackCount = 1;
    h.sackLeft[0] = SIZE + 1;
    h.sackRight[0] = 3 * SIZE + 999;
    delivery.reset(now, a, false, 0);
    sack.onBlocks(h, 0, sent * SIZE, delivery);
    assertThat(a.sackedSegments()).isEqualTo(1);
    h.sackRight[0] = 4 * SIZE;
    sack.onBlocks(h, 0, sent * SIZE, delivery);
    assertThat(a.sackedSegments()).as("the block grew").isEqualTo(2);
  }

  @Test
  void shouldForgetWhatTheOtherSideThrewAway() {
    send(5, a);
    ack(a, 1, 5);
    queue.forgetSacks();
    sack.reset();
    assertThat(lost()).containsExactly(0, 1, 2, 3, 4);
    ack(a, 1, 5);
    assertThat(a.sackedSegments()).isEqualTo(4);
  }

  @Test
  void shouldNotBelieveThatARetransmissionArrivedBeforeItCould() {
    send(10, a);
    a.rtt.onSample(NanoClock.millis(50));
    ack(a, 1, 9);
    resend(0, a);
    delivery.reset(now, a, false, 0);
    delivery.add(queue.get(0), SIZE); // acknowledged within a millisecond: the original was late
    now += NanoClock.seconds(1);
    detect(a);
    assertThat(lost()).as("nothing sent later is known to have arrived").isEmpty();
  }

  @Test
  void shouldTellADuplicateFromASelectiveAcknowledgement() {
    send(5, a);
    ack(a, 0, 1, 2, 4); // the first block lies before the acknowledgement of the header
    assertThat(delivery.hasDsack()).isFalse();
    TcpHeader h = new TcpHeader().clear();
    h.ack = SIZE;
    h.sackCount = 1;
    h.sackRight[0] = SIZE;
    delivery.reset(now, a, false, 0);
    sack.onBlocks(h, SIZE, sent * SIZE, delivery);
    assertThat(delivery.hasDsack()).isTrue();
    assertThat(delivery.dsackRight()).isEqualTo(SIZE);
  }
}

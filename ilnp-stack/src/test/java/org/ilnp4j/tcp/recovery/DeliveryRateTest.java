package org.ilnp4j.tcp.recovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.List;
import org.ilnp4j.tcp.congestion.AckSample;
import org.ilnp4j.time.NanoClock;
import org.junit.jupiter.api.Test;

/** Segments of 1000 octets on a path of 100 ms; rates in octets per second. */
class DeliveryRateTest {
  private static final int SIZE = 1000;
  private static final long MIN_RTT = NanoClock.millis(100);

  private final DeliveryRate deliveries = new DeliveryRate();
  private final AckSample sample = new AckSample();
  private final List<SentSegment> sent = new ArrayList<>();
  private long inFlight;

  private void send(long atMillis) {
    SentSegment s = new SentSegment();
    s.length = SIZE;
    s.transmissions = 1;
    s.order = sent.size();
    s.sentNanos = NanoClock.millis(atMillis);
    inFlight += SIZE;
    deliveries.onSent(s.sentNanos, s, inFlight);
    sent.add(s);
  }

  /** Segments from one to another, the latter excluded, are acknowledged together. */
  private void ack(long atMillis, int from, int to) {
    for (int i = from; i < to; i++) {
      inFlight -= SIZE;
      deliveries.onDelivered(NanoClock.millis(atMillis), sent.get(i), SIZE, true);
    }
    deliveries.fill(sample, MIN_RTT);
  }

  @Test
  void shouldMeasureTheRateAtWhichTheBottleneckDelivers() {
    for (int i = 0; i < 20; i++) {
      send(0);
    }
    for (int i = 0; i < 20; i += 2) {
      ack(100 + 5 * i, i, i + 2); // two segments each 10 ms
      for (int k = 0; k < 2; k++) {
        send(100 + 5 * i);
      }
    }
    ack(200, 20, 22);
    assertThat(sample.rate).isCloseTo(200_000, within(20_000.0));
    assertThat(sample.totalDelivered).isEqualTo(22 * SIZE);
    assertThat(sample.priorDelivered).isEqualTo(2 * SIZE);
    assertThat(sample.txInFlight).isEqualTo(20 * SIZE);
  }

  @Test
  void shouldNotBelieveCompressedAcknowledgements() {
    send(0);
    for (int i = 1; i <= 10; i++) {
      send(10 * i);
    }
    ack(100, 0, 1);
    ack(210, 1, 11); // all at once, though they had been sent over 100 ms
    assertThat(sample.rate).isLessThanOrEqualTo(11 * SIZE / 0.1);
    assertThat(sample.rate).isGreaterThan(9 * SIZE / 0.21);
  }

  @Test
  void shouldTellWhenTheSenderHadNothingToSend() {
    send(0);
    deliveries.onAppLimited(inFlight);
    send(10);
    ack(100, 0, 1);
    assertThat(sample.appLimited).isFalse();
    send(105);
    ack(110, 1, 2);
    assertThat(sample.appLimited).isTrue();
    send(200);
    ack(205, 2, 3);
    ack(300, 3, 4);
    assertThat(sample.appLimited).as("the gap has passed").isFalse();
  }

  @Test
  void shouldCountWhatWasLostSinceASegmentWasSent() {
    for (int i = 0; i < 5; i++) {
      send(i);
    }
    assertThat(deliveries.onLost(sent.get(0))).isEqualTo(SIZE);
    assertThat(deliveries.onLost(sent.get(1))).isEqualTo(2 * SIZE);
    ack(104, 2, 5);
    assertThat(sample.lostSinceSent).isEqualTo(2 * SIZE);
    send(104);
    ack(204, 5, 6);
    assertThat(sample.lostSinceSent).isZero();
  }

  @Test
  void shouldGiveNoRateWhenAnEarlierTransmissionArrived() {
    send(0);
    deliveries.onDelivered(NanoClock.millis(100), sent.get(0), SIZE, false);
    deliveries.fill(sample, MIN_RTT);
    assertThat(sample.rate).isZero();
    assertThat(sample.sampleDelivered).isZero();
    assertThat(sample.totalDelivered).isEqualTo(SIZE);
  }
}

package org.ilnp4j.tcp.recovery;

import static org.assertj.core.api.Assertions.assertThat;

import org.ilnp4j.tcp.recovery.SentSegment.Fate;
import org.junit.jupiter.api.Test;

class NewRenoRecoveryTest {
  private static final int SIZE = 1000;
  private final RetransmitQueue queue = new RetransmitQueue();
  private final NewRenoRecovery recovery = new NewRenoRecovery(queue);
  private final PathState a = RetransmitQueueTest.path(1);
  private final PathState b = RetransmitQueueTest.path(2);
  private long order;
  private int una;
  private int nxt;

  private void send(int segments, PathState on) {
    for (int i = 0; i < segments; i++) {
      queue.sent(queue.append(nxt, SIZE, false, false), on, 0, ++order, 0);
      nxt += SIZE;
    }
  }

  private void duplicates(int n, PathState current) {
    for (int i = 0; i < n; i++) {
      recovery.onDuplicateAck(0, current, una, nxt);
    }
  }

  private void ack(int segments, PathState current) {
    for (int i = 0; i < segments; i++) {
      queue.removeFirst();
    }
    una += segments * SIZE;
    recovery.onNewAck(current, una, (long) segments * SIZE);
    current.onCumulativeAck(una);
  }

  @Test
  void shouldRetransmitOnTheThirdDuplicateAndHalve() {
    send(10, a);
    duplicates(2, a);
    assertThat(queue.firstLost()).isNull();
    assertThat(a.pipeBytes()).as("limited transmit").isEqualTo(8 * SIZE);
    duplicates(1, a);
    assertThat(queue.firstLost()).isSameAs(queue.first());
    assertThat(a.congestion.cwndBytes()).isEqualTo(5 * SIZE);
    assertThat(a.takeRetransmitDue()).isTrue();
    assertThat(a.takeRetransmitDue()).isFalse();
  }

  @Test
  void shouldRetransmitTheNextHoleOnAPartialAck() {
    send(10, a);
    duplicates(5, a);
    queue.sent(queue.first(), a, 0, ++order, 0);
    ack(3, a);
    assertThat(a.phase()).isEqualTo(PathState.Phase.RECOVERY);
    assertThat(queue.first().fate()).isEqualTo(Fate.LOST);
    queue.sent(queue.first(), a, 0, ++order, 0);
    ack(7, a);
    assertThat(a.phase()).isEqualTo(PathState.Phase.OPEN);
    assertThat(a.pipeBytes()).isZero();
  }

  @Test
  void shouldIgnoreDuplicatesThatATimeoutCaused() {
    send(10, a);
    a.onTimeout(0, nxt, 10 * SIZE);
    recovery.onTimeout(nxt);
    queue.markLost(queue.first(), false);
    queue.sent(queue.first(), a, 0, ++order, 0);
    long cwnd = a.congestion.cwndBytes();
    duplicates(5, a);
    assertThat(a.phase()).isEqualTo(PathState.Phase.LOSS);
    assertThat(a.congestion.cwndBytes()).isEqualTo(cwnd);
  }

  @Test
  void shouldIgnoreDuplicatesWhileAnotherPathIsOutstanding() {
    send(2, a);
    send(8, b);
    duplicates(8, b);
    assertThat(queue.firstLost()).isNull();
    assertThat(b.phase()).isEqualTo(PathState.Phase.OPEN);
    assertThat(b.pipeBytes()).isEqualTo(8 * SIZE);
  }
}

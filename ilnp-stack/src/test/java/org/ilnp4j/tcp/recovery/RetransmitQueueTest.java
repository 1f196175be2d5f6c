package org.ilnp4j.tcp.recovery;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.ilnp4j.ilnp.LocatorPair;
import org.ilnp4j.tcp.congestion.CongestionControl;
import org.ilnp4j.tcp.recovery.SentSegment.Fate;
import org.ilnp4j.time.NanoClock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RetransmitQueueTest {
  static PathState path(long l64) {
    return new PathState(
        new LocatorPair(l64, 9),
        new RttEstimator(NanoClock.millis(200)),
        CongestionControl.create("reno", 1000, /* paced= */ false),
        1000,
        1000);
  }

  private final RetransmitQueue queue = new RetransmitQueue();
  private final PathState a = path(1);
  private final PathState b = path(2);
  private long order;

  private SentSegment send(int seq, int length, PathState on) {
    SentSegment s = queue.append(seq, length, false, false);
    queue.sent(s, on, 0, ++order, 0);
    return s;
  }

  @Test
  void shouldCountWhatIsInFlightPerPath() {
    send(0, 100, a);
    SentSegment second = send(100, 200, a);
    send(300, 50, b);
    assertThat(queue.inFlightBytes()).isEqualTo(350);
    assertThat(a.inFlightBytes()).isEqualTo(300);
    assertThat(b.inFlightBytes()).isEqualTo(50);
    queue.markLost(second, false);
    assertThat(a.inFlightBytes()).isEqualTo(100);
    assertThat(queue.lostBytes()).isEqualTo(200);
    queue.sent(second, b, 0, ++order, 0);
    assertThat(b.inFlightBytes()).isEqualTo(250);
    assertThat(second.isRetransmitted()).isTrue();
    queue.clear();
    assertThat(a.inFlightBytes() + b.inFlightBytes() + queue.inFlightBytes()).isZero();
  }

  @Test
  void shouldSplitASegmentThatBecameTooLarge() {
    send(0, 100, a);
    SentSegment fin = queue.append(100, 301, true, false);
    queue.sent(fin, a, 0, ++order, 0);
    send(401, 10, a);
    queue.markLost(fin, true);
    queue.split(1, 120);
    assertThat(queue.size()).isEqualTo(4);
    assertThat(queue.get(1).length()).isEqualTo(120);
    assertThat(queue.get(1).isFin()).isFalse();
    assertThat(queue.get(2).seq()).isEqualTo(220);
    assertThat(queue.get(2).payloadLength()).isEqualTo(180);
    assertThat(queue.get(2).isFin()).isTrue();
    assertThat(queue.get(2).isLostByMove()).isTrue();
    assertThat(queue.get(3).seq()).isEqualTo(401);
    assertThat(queue.lostBytes()).isEqualTo(301);
  }

  @Test
  void shouldFindLostOnesInOrder() {
    SentSegment[] s = new SentSegment[6];
    for (int i = 0; i < s.length; i++) {
      s[i] = send(i * 10, 10, a);
    }
    assertThat(queue.firstLost()).isNull();
    queue.markLost(s[4], false);
    queue.markLost(s[2], false);
    assertThat(queue.firstLost()).isSameAs(s[2]);
    queue.sent(s[2], a, 0, ++order, 0);
    assertThat(queue.firstLost()).isSameAs(s[4]);
    queue.markLost(s[0], false);
    assertThat(queue.firstLost()).isSameAs(s[0]);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 0x7ffffff0, 0xfffffff0})
  void shouldLookUpAcrossTheWrapOfSequenceNumbers(int start) {
    for (int i = 0; i < 20; i++) {
      send(start + i * 7, 7, a);
    }
    for (int i = 0; i < 20; i++) {
      assertThat(queue.indexAfter(start + i * 7)).isEqualTo(i);
      assertThat(queue.indexAfter(start + i * 7 + 6)).isEqualTo(i);
    }
    assertThat(queue.indexAfter(start + 140)).isEqualTo(20);
  }

  @Test
  void shouldKeepItsSumsWhateverHappens() {
    Random random = new Random(7);
    int next = -500;
    for (int step = 0; step < 20_000; step++) {
      int n = queue.size();
      switch (random.nextInt(7)) {
        case 0:
        case 1:
          int length = 2 + random.nextInt(50);
          send(next, length, random.nextBoolean() ? a : b);
          next += length;
          break;
        case 2:
          if (n > 0) {
            queue.markLost(queue.get(random.nextInt(n)), random.nextBoolean());
          }
          break;
        case 3:
          if (n > 0) {
            queue.markSacked(queue.get(random.nextInt(n)));
          }
          break;
        case 4:
          SentSegment lost = queue.firstLost();
          if (lost != null) {
            queue.sent(lost, random.nextBoolean() ? a : b, 0, ++order, 0);
          }
          break;
        case 5:
          if (n > 0 && queue.get(0).length() > 1) {
            queue.trimFirst(1);
          } else if (n > 0) {
            queue.removeFirst();
          }
          break;
        default:
          int i = n == 0 ? 0 : random.nextInt(n);
          if (n > 0 && n < 200 && queue.get(i).length() > 1) {
            queue.split(i, 1);
          }
      }
      while (queue.size() > 150) {
        queue.removeFirst();
      }
      check();
    }
  }

  private void check() {
    long onA = 0;
    long onB = 0;
    long lost = 0;
    int sacked = 0;
    SentSegment first = null;
    for (int i = 0; i < queue.size(); i++) {
      SentSegment s = queue.get(i);
      if (i > 0) {
        assertThat(s.seq()).isEqualTo(queue.get(i - 1).endSeq());
      }
      if (s.fate() == Fate.IN_FLIGHT) {
        onA += s.path() == a ? s.length() : 0;
        onB += s.path() == b ? s.length() : 0;
      } else if (s.fate() == Fate.LOST) {
        lost += s.length();
        first = first == null ? s : first;
      } else {
        sacked += s.sackedSegments;
      }
    }
    assertThat(a.inFlightBytes()).isEqualTo(onA);
    assertThat(b.inFlightBytes()).isEqualTo(onB);
    assertThat(queue.inFlightBytes()).isEqualTo(onA + onB);
    assertThat(queue.lostBytes()).isEqualTo(lost);
    assertThat(a.sackedSegments() + b.sackedSegments()).isEqualTo(sacked);
    assertThat(queue.firstLost()).isSameAs(first);
  }
}

package org.ilnp4j.time;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TimerQueueTest {
  private final TimerQueue queue = new TimerQueue();
  private final List<String> fired = new ArrayList<>();

  private final class Named extends Timer {
    private final String name;

    Named(String name) {
      this.name = name;
    }

    @Override
    protected void fire(long nowNanos) {
      fired.add(name);
    }
  }

  @Test
  void shouldFireEqualDeadlinesInTheOrderOfArming() {
    Named[] timers = new Named[20];
    for (int i = 0; i < timers.length; i++) {
      timers[i] = new Named("t" + i);
    }
    for (int i = 0; i < timers.length; i++) {
      queue.arm(timers[timers.length - 1 - i], 100);
    }
    queue.arm(timers[10], 100); // armed anew: now the last
    queue.advance(100);
    List<String> expected = new ArrayList<>();
    for (int i = timers.length - 1; i >= 0; i--) {
      if (i != 10) {
        expected.add("t" + i);
      }
    }
    expected.add("t10");
    assertThat(fired).isEqualTo(expected);
    assertThat(queue.armed()).isZero();
  }

  @ParameterizedTest(name = "seed {0}")
  @ValueSource(longs = {1, 2, 3, 4, 5})
  void shouldFireLikeASortedListUnderRandomArmingAndCancelling(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    Named[] timers = new Named[50];
    long[] armedAs = new long[timers.length];
    for (int i = 0; i < timers.length; i++) {
      timers[i] = new Named("t" + i);
    }
    long armings = 0;
    long now = 0;
    for (int round = 0; round < 300; round++) {
      for (int n = random.nextInt(40); n > 0; n--) {
        int i = random.nextInt(timers.length);
        switch (random.nextInt(5)) {
          case 0:
            queue.cancel(timers[i]);
            break;
          case 1:
            queue.remove(timers[i]);
            break;
          default:
            queue.arm(timers[i], now + random.nextInt(8));
            armedAs[i] = armings++;
        }
      }
      now += random.nextInt(5);
      List<Integer> due = new ArrayList<>();
      for (int i = 0; i < timers.length; i++) {
        if (timers[i].deadlineNanos() <= now) {
          due.add(i);
        }
      }
      due.sort(
          Comparator.<Integer>comparingLong(i -> timers[i].deadlineNanos())
              .thenComparingLong(i -> armedAs[i]));
      fired.clear();
      queue.advance(now);
      assertThat(fired).as("round %d", round).isEqualTo(due.stream().map(i -> "t" + i).toList());
    }
  }

  @Test
  void shouldKnowTheNextDeadlineAfterPostponingAndCancelling() {
    Named a = new Named("a");
    Named b = new Named("b");
    queue.arm(a, 10);
    queue.arm(b, 20);
    queue.arm(a, 30);
    assertThat(queue.nextDeadlineNanos()).isEqualTo(20);
    queue.cancel(b);
    assertThat(queue.nextDeadlineNanos()).isEqualTo(30);
    queue.remove(a);
    assertThat(queue.nextDeadlineNanos()).isEqualTo(NanoClock.NEVER);
  }
}

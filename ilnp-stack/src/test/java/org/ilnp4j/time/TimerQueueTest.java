package org.ilnp4j.time;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.LongConsumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TimerQueueTest {
  private final TimerQueue queue = new TimerQueue();
  private final List<String> fired = new ArrayList<>();

  private static final class TestTimer extends Timer {
    private final LongConsumer action;

    TestTimer(LongConsumer action) {
      this.action = action;
    }

    @Override
    protected void fire(long nowNanos) {
      action.accept(nowNanos);
    }
  }

  private Timer timer(String name) {
    return new TestTimer(now -> fired.add(name + "@" + now));
  }

  @Test
  void shouldFireEarliestFirstAndOnce() {
    Timer a = timer("a");
    Timer b = timer("b");
    Timer c = timer("c");
    queue.arm(a, 30);
    queue.arm(b, 10);
    queue.arm(c, 20);
    assertThat(queue.nextDeadlineNanos()).isEqualTo(10);
    queue.advance(9);
    assertThat(fired).isEmpty();
    queue.advance(20);
    assertThat(fired).containsExactly("b@20", "c@20");
    assertThat(queue.armed()).isEqualTo(1);
    queue.advance(100);
    queue.advance(200);
    assertThat(fired).containsExactly("b@20", "c@20", "a@100");
    assertThat(queue.armed()).isZero();
    assertThat(queue.nextDeadlineNanos()).isEqualTo(NanoClock.NEVER);
  }

  @Test
  void shouldMoveDeadlineLaterAndEarlier() {
    Timer a = timer("a");
    queue.arm(a, 10);
    queue.arm(a, 50);
    assertThat(a.deadlineNanos()).isEqualTo(50);
    assertThat(queue.nextDeadlineNanos()).isEqualTo(50);
    queue.arm(a, 20);
    assertThat(queue.nextDeadlineNanos()).isEqualTo(20);
    queue.advance(19);
    assertThat(fired).isEmpty();
    queue.advance(20);
    assertThat(fired).containsExactly("a@20");
    assertThat(a.isArmed()).isFalse();
  }

  @Test
  void shouldNotFireWhatIsCancelled() {
    Timer a = timer("a");
    queue.arm(a, 10);
    queue.cancel(a);
    queue.cancel(a);
    assertThat(queue.armed()).isZero();
    assertThat(queue.nextDeadlineNanos()).isEqualTo(NanoClock.NEVER);
    queue.arm(a, 40);
    queue.arm(a, NanoClock.NEVER);
    queue.advance(100);
    assertThat(fired).isEmpty();
    queue.arm(a, 110);
    queue.advance(110);
    assertThat(fired).containsExactly("a@110");
  }

  @Test
  void shouldLetGoOfRemovedTimerAtOnce() {
    Timer a = timer("a");
    queue.remove(a);
    queue.arm(a, 10);
    queue.remove(a);
    assertThat(a.index).as("filed nowhere").isEqualTo(-1);
    assertThat(queue.armed()).isZero();
    queue.advance(10);
    assertThat(fired).isEmpty();
  }

  @Test
  void shouldFireTimersArmedByOthersInTheSameTurn() {
    Timer late = timer("late");
    Timer now = timer("now");
    Timer first =
        new TestTimer(
            t -> {
              queue.arm(now, t);
              queue.arm(late, t + 1);
            });
    queue.arm(first, 5);
    queue.advance(5);
    assertThat(fired).containsExactly("now@5");
    queue.advance(6);
    assertThat(fired).containsExactly("now@5", "late@6");
  }

  @Test
  void shouldNotBeHeldForEverByTimerThatReArmsItselfForNow() {
    int[] times = {0};
    Timer[] self = new Timer[1];
    self[0] =
        new TestTimer(
            t -> {
              times[0]++;
              queue.arm(self[0], t);
            });
    queue.arm(self[0], 1);
    queue.advance(1);
    assertThat(times[0]).isBetween(1, 10_000);
    assertThat(queue.armed()).isEqualTo(1);
    queue.remove(self[0]);
    assertThat(queue.armed()).isZero();
  }

  @Test
  void shouldSurviveTheEndOfTime() {
    queue.advance(NanoClock.NEVER);
    Timer a = timer("a");
    queue.arm(a, NanoClock.NEVER - 1);
    queue.advance(NanoClock.NEVER);
    assertThat(fired).containsExactly("a@" + NanoClock.NEVER);
  }

  @Test
  void shouldFireEqualDeadlinesInTheOrderOfArming() {
    List<Timer> timers = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      timers.add(timer("t" + i));
    }
    for (int i = 19; i >= 0; i--) {
      queue.arm(timers.get(i), 100);
    }
    queue.arm(timers.get(10), 100); // armed anew: now the last
    queue.advance(100);
    List<String> expected = new ArrayList<>();
    for (int i = 19; i >= 0; i--) {
      if (i != 10) {
        expected.add("t" + i + "@100");
      }
    }
    expected.add("t10@100");
    assertThat(fired).isEqualTo(expected);
  }

  /** Everything a protocol does with timers, at random, against a map of armings. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void shouldAgreeWithTheNaiveModel(long seed) {
    Model model = new Model(seed);
    for (int step = 0; step < 20_000; step++) {
      model.step(step);
    }
    model.close();
  }

  /** Earlier deadlines first, then earlier armings. */
  private record Arming(long deadline, int number) implements Comparable<Arming> {
    @Override
    public int compareTo(Arming other) {
      return deadline != other.deadline
          ? Long.compare(deadline, other.deadline)
          : Integer.compare(number, other.number);
    }
  }

  private static final class Model {
    private final String seed;
    private final SplittableRandom random;
    private final TimerQueue queue = new TimerQueue();
    private final Map<Timer, Arming> expected = new HashMap<>();
    private final List<Timer> timers = new ArrayList<>();
    private long now;
    private int armings;
    private String at;

    Model(long seed) {
      this.seed = "seed " + seed;
      random = new SplittableRandom(seed);
      for (int i = 0; i < 200; i++) {
        Timer[] self = new Timer[1];
        self[0] = new TestTimer(t -> onFire(self[0], t));
        timers.add(self[0]);
      }
    }

    private void onFire(Timer timer, long firedAt) {
      assertThat(firedAt).as(at).isEqualTo(now);
      Arming arming = expected.remove(timer);
      assertThat(arming).as(at + ": fired though not armed").isNotNull();
      assertThat(arming.deadline).as(at + ": fired early").isLessThanOrEqualTo(now);
      assertThat(expected.values())
          .as(at + ": an earlier one was passed over")
          .allMatch(other -> other.compareTo(arming) > 0);
      assertThat(timer.isArmed()).as(at).isFalse();
      if (random.nextInt(3) == 0) {
        arm(timer, now + 1 + random.nextInt(1000));
      }
      if (random.nextInt(4) == 0) {
        arm(any(), now + random.nextInt(1000)); // may be due in this very turn
      }
      if (random.nextInt(8) == 0) {
        disarm(any());
      }
    }

    private Timer any() {
      return timers.get(random.nextInt(timers.size()));
    }

    private void arm(Timer timer, long deadline) {
      queue.arm(timer, deadline);
      expected.put(timer, new Arming(deadline, ++armings));
    }

    private void disarm(Timer timer) {
      if (random.nextBoolean()) {
        queue.cancel(timer);
      } else {
        queue.remove(timer);
        assertThat(timer.index).as(at).isEqualTo(-1);
      }
      expected.remove(timer);
    }

    void step(int step) {
      at = seed + ", step " + step;
      switch (random.nextInt(8)) {
        case 0, 1, 2, 3 -> arm(any(), now + random.nextInt(500));
        case 4 -> disarm(any());
        case 5 -> { // the usual life: later and later
          Timer timer = any();
          arm(timer, Math.max(now, timer.isArmed() ? timer.deadlineNanos() : 0) + 100);
        }
        default -> {
          now += random.nextInt(200);
          queue.advance(now);
          assertThat(expected.values()).as(at + ": overdue").allMatch(a -> a.deadline > now);
        }
      }
      long next = NanoClock.NEVER;
      for (Arming a : expected.values()) {
        next = Math.min(next, a.deadline);
      }
      assertThat(queue.nextDeadlineNanos()).as(at).isEqualTo(next);
      assertThat(queue.armed()).as(at).isEqualTo(expected.size());
    }

    void close() {
      timers.forEach(queue::remove);
      assertThat(queue.armed()).as(seed).isZero();
      assertThat(queue.nextDeadlineNanos()).as(seed).isEqualTo(NanoClock.NEVER);
    }
  }

  @Test
  void shouldMoveManualClockForwardOnly() {
    ManualClock clock = new ManualClock();
    clock.advance(NanoClock.millis(5));
    assertThat(clock.nanoTime()).isEqualTo(5_000_000);
    clock.advanceTo(NanoClock.seconds(1));
    clock.advance(0);
    assertThat(clock.nanoTime()).isEqualTo(1_000_000_000);
    assertThatThrownBy(() -> clock.advanceTo(1)).hasMessageContaining("back");
  }

  @Test
  void shouldStartSystemClockAtZeroAndNeverGoBack() {
    NanoClock clock = NanoClock.system();
    long before = clock.nanoTime();
    assertThat(before).isNotNegative();
    for (int i = 0; i < 1000; i++) {
      long now = clock.nanoTime();
      assertThat(now).isGreaterThanOrEqualTo(before);
      before = now;
    }
  }
}

package org.ilnp4j.time;

import java.util.Arrays;

/**
 * All deadlines of one host: a binary heap with lazy re-arming. The usual life of a protocol timer,
 * being pushed later again and again and hardly ever firing, costs no heap work at all; a hundred
 * thousand idle sessions cost none either. Timers with equal deadlines fire in the order in which
 * they were armed, so that a simulation replays exactly.
 */
public final class TimerQueue {
  private Timer[] heap = new Timer[64];
  private int size;
  private int armed;
  private long armings;

  /** Arms or re-arms {@code timer}; {@link NanoClock#NEVER} disarms. */
  public void arm(Timer timer, long deadlineNanos) {
    if (deadlineNanos == NanoClock.NEVER) {
      cancel(timer);
      return;
    }
    if (!timer.isArmed()) {
      armed++;
    }
    timer.deadlineNanos = deadlineNanos;
    timer.sequence = ++armings;
    if (timer.index < 0) {
      if (size == heap.length) {
        heap = Arrays.copyOf(heap, size * 2);
      }
      file(timer);
      siftUp(size++, timer);
    } else if (deadlineNanos < timer.filedNanos) {
      file(timer);
      siftUp(timer.index, timer);
    }
  }

  public void cancel(Timer timer) {
    if (timer.isArmed()) {
      armed--;
      timer.deadlineNanos = NanoClock.NEVER;
    }
  }

  /** Cancels and lets go of the timer at once, so that its owner can be collected. */
  public void remove(Timer timer) {
    cancel(timer);
    int i = timer.index;
    if (i < 0) {
      return;
    }
    timer.index = -1;
    Timer last = heap[--size];
    heap[size] = null;
    if (last != timer) {
      siftDown(i, last);
      if (last.index == i) {
        siftUp(i, last);
      }
    }
  }

  /** Number of armed timers. */
  public int armed() {
    return armed;
  }

  /** The earliest deadline, or {@link NanoClock#NEVER}. */
  public long nextDeadlineNanos() {
    settleHead();
    return size == 0 ? NanoClock.NEVER : heap[0].filedNanos;
  }

  /** Fires every timer due at {@code nowNanos}, earliest first, including ones armed meanwhile. */
  public void advance(long nowNanos) {
    // A timer that re-arms itself for "now" must not hold the loop for ever: one turn's budget.
    int budget = armed + 1024;
    while (budget-- > 0 && nextDeadlineNanos() <= nowNanos && size > 0) {
      Timer due = heap[0];
      remove(due);
      due.fire(nowNanos);
    }
  }

  /** Brings a truly earliest timer to the head: drops cancelled ones, re-files postponed ones. */
  private void settleHead() {
    while (size > 0
        && (heap[0].filedNanos != heap[0].deadlineNanos
            || heap[0].filedSequence != heap[0].sequence)) {
      Timer head = heap[0];
      if (head.isArmed()) {
        file(head);
        siftDown(0, head);
      } else {
        remove(head);
      }
    }
  }

  private static void file(Timer t) {
    t.filedNanos = t.deadlineNanos;
    t.filedSequence = t.sequence;
  }

  private static boolean before(Timer a, Timer b) {
    return a.filedNanos < b.filedNanos
        || (a.filedNanos == b.filedNanos && a.filedSequence < b.filedSequence);
  }

  private void siftUp(int i, Timer t) {
    while (i > 0) {
      int parent = (i - 1) >>> 1;
      if (before(heap[parent], t)) {
        break;
      }
      place(i, heap[parent]);
      i = parent;
    }
    place(i, t);
  }

  private void siftDown(int i, Timer t) {
    while (true) {
      int child = 2 * i + 1;
      if (child >= size) {
        break;
      }
      if (child + 1 < size && before(heap[child + 1], heap[child])) {
        child++;
      }
      if (before(t, heap[child])) {
        break;
      }
      place(i, heap[child]);
      i = child;
    }
    place(i, t);
  }

  private void place(int i, Timer t) {
    heap[i] = t;
    t.index = i;
  }
}

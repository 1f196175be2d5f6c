package org.ilnp4j.time;

/**
 * One deadline with its action. Belongs to at most one {@link TimerQueue}. Moving the deadline
 * later or cancelling is O(1); the queue notices when the old deadline comes up.
 */
public abstract class Timer {
  long deadlineNanos = NanoClock.NEVER;

  /** Where the queue has filed it: position in the heap, or -1. */
  int index = -1;

  /** The time it is filed under, never later than {@link #deadlineNanos}. */
  long filedNanos;

  /** Number of the arming: among equal deadlines the one armed first fires first. */
  long sequence;

  /** The arming it is filed under. */
  long filedSequence;

  public final boolean isArmed() {
    return deadlineNanos != NanoClock.NEVER;
  }

  /** The deadline, or {@link NanoClock#NEVER}. */
  public final long deadlineNanos() {
    return deadlineNanos;
  }

  /** Called once when due; the timer is disarmed already and may be armed again here. */
  protected abstract void fire(long nowNanos);
}

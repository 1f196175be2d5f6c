package org.ilnp4j.tcp;

import java.util.Arrays;
import org.ilnp4j.time.NanoClock;
import org.ilnp4j.time.Timer;
import org.ilnp4j.time.TimerQueue;

/** All deadlines of one connection, filed in the host's queue as one: the earliest. */
final class TcpTimers extends Timer {
  private final TimerQueue queue;
  private final Tcb tcb;
  private final long[] deadlines = new long[TimerKind.SLOTS];
  private final TimerKind[] kinds = new TimerKind[TimerKind.SLOTS];

  TcpTimers(TimerQueue queue, Tcb tcb) {
    this.queue = queue;
    this.tcb = tcb;
    Arrays.fill(deadlines, NanoClock.NEVER);
  }

  void arm(TimerKind kind, long deadlineNanos) {
    kinds[kind.slot] = kind;
    deadlines[kind.slot] = deadlineNanos;
    file();
  }

  void cancel(TimerKind kind) {
    if (isArmed(kind)) {
      deadlines[kind.slot] = NanoClock.NEVER;
      file();
    }
  }

  boolean isArmed(TimerKind kind) {
    return kinds[kind.slot] == kind && deadlines[kind.slot] != NanoClock.NEVER;
  }

  /** Cancels everything and lets go of the queue. */
  void clear() {
    Arrays.fill(deadlines, NanoClock.NEVER);
    queue.remove(this);
  }

  private void file() {
    long earliest = NanoClock.NEVER;
    for (long d : deadlines) {
      earliest = Math.min(earliest, d);
    }
    if (earliest != deadlineNanos()) {
      queue.arm(this, earliest);
    }
  }

  @Override
  protected void fire(long nowNanos) {
    for (int slot = 0; slot < deadlines.length; slot++) {
      if (deadlines[slot] <= nowNanos) {
        deadlines[slot] = NanoClock.NEVER;
        tcb.onTimer(nowNanos, kinds[slot]);
      }
    }
    file();
  }
}

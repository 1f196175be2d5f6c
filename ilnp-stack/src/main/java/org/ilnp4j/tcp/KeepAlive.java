package org.ilnp4j.tcp;

import org.ilnp4j.time.NanoClock;

/**
 * Keep-alives of one connection (RFC 9293 §3.8.4): off until the user asks for them; when they are
 * on, a silent peer is probed, and given up only after several probes.
 */
final class KeepAlive {
  static final long INTERVAL_NANOS = NanoClock.seconds(75);
  static final int PROBES = 9;

  private final Tcb tcb;
  private long idleNanos;
  private int probes;
  private boolean due;

  KeepAlive(Tcb tcb) {
    this.tcb = tcb;
  }

  /** Probes after so long without a word; 0 for never. */
  void enable(long nowNanos, long newIdleNanos) {
    idleNanos = Math.max(0, newIdleNanos);
    if (idleNanos == 0) {
      tcb.timers.cancel(TimerKind.KEEP_ALIVE);
    } else {
      arm(nowNanos);
    }
  }

  void onHeard() {
    probes = 0;
  }

  void arm(long nowNanos) {
    if (isOn()) {
      tcb.timers.arm(TimerKind.KEEP_ALIVE, Math.max(tcb.heardNanos() + idleNanos, nowNanos + 1));
    }
  }

  private boolean isOn() {
    return idleNanos > 0 && tcb.state().isSynchronized() && tcb.state() != TcpState.TIME_WAIT;
  }

  void onTimer(long nowNanos) {
    if (!isOn()) {
      return;
    }
    if (nowNanos - tcb.heardNanos() < idleNanos) {
      arm(nowNanos);
      return;
    }
    tcb.timers.arm(TimerKind.KEEP_ALIVE, nowNanos + intervalNanos(nowNanos));
    if (tcb.snd.hasOutstanding() || tcb.route.pair() == null) {
      return; // the retransmission timer finds out, or nobody can
    }
    if (isGivenUp(nowNanos)) {
      tcb.end(nowNanos, TcpCloseReason.TIMED_OUT, true);
      return;
    }
    probes++;
    due = true;
  }

  /** Probes follow each other more closely than the first followed the last word. */
  private long intervalNanos(long nowNanos) {
    long interval = Math.min(INTERVAL_NANOS, idleNanos);
    if (tcb.userTimeout.isChosen()) {
      long rest = tcb.heardNanos() + tcb.userTimeout.nanos() - nowNanos;
      return rest > 0 ? Math.min(interval, rest) : interval;
    }
    return interval;
  }

  /** A user timeout overrides the number of probes; but there must have been one. */
  private boolean isGivenUp(long nowNanos) {
    return tcb.userTimeout.isChosen()
        ? probes > 0 && nowNanos - tcb.heardNanos() >= tcb.userTimeout.nanos()
        : probes >= PROBES;
  }

  boolean isDue() {
    return due;
  }

  /** A probe is to be sent; asks once. */
  boolean takeDue() {
    boolean is = due;
    due = false;
    return is;
  }
}

package org.ilnp4j.tcp;

import org.ilnp4j.time.NanoClock;
import org.ilnp4j.wire.TcpHeader;

/**
 * How long one connection goes on without progress (RFC 5482, RFC 9293 §3.8.3): R2, and the notice
 * at R1.
 *
 * <p>Progress is an acknowledgement of something new, or, while the window is closed and the user
 * is there, any answer to a probe: a closed window is borne for ever, a silent one is not. Without
 * anything to send, only keep-alives find out; a time-out that the user has set takes the place of
 * their number of probes, as in Linux.
 *
 * <p>The user's own choice is told to the other side and stands. Without one, the other side's may
 * lengthen the default, within limits, if the configuration allows it.
 */
final class UserTimeout {
  /** R1: retransmissions without an answer, after which the user hears of it. */
  static final int R1_TIMEOUTS = 3;

  /** {@code L_LIMIT}: RFC 9293 §3.8.3 asks for 100 s at least. */
  static final long LEAST_NANOS = NanoClock.seconds(100);

  /** {@code U_LIMIT}: what another may make us hold on to a dead connection. */
  static final long MOST_NANOS = NanoClock.seconds(3600);

  private static final long MOST_TOLD_SECONDS = 0x7fffL * 60;

  private final Tcb tcb;
  private long nanos;
  private boolean chosen;
  private boolean tellDue;
  private long progressNanos;
  private int timeoutsInRow;

  UserTimeout(Tcb tcb) {
    this.tcb = tcb;
    nanos = tcb.config.userTimeoutNanos();
  }

  long nanos() {
    return nanos;
  }

  /** The user has set it. */
  boolean isChosen() {
    return chosen;
  }

  /** Time-outs since the last progress. */
  int timeoutsInRow() {
    return timeoutsInRow;
  }

  /** The user's choice; 0 goes back to the default. */
  void choose(long nowNanos, long newNanos) {
    chosen = newNanos > 0;
    tellDue = chosen;
    nanos = chosen ? newNanos : tcb.config.userTimeoutNanos();
    if (tcb.timers.isArmed(TimerKind.USER_TIMEOUT)) {
      tcb.timers.arm(TimerKind.USER_TIMEOUT, Math.max(nowNanos, progressNanos + nanos));
    }
  }

  // ---- the option (RFC 5482 §3) ---------------------------------------------------------------

  /** What a segment without text is to say, in seconds, or -1; asks once. */
  int takeTellDue() {
    if (!tellDue) {
      return -1;
    }
    tellDue = false;
    return (int) Math.max(1, Math.min(MOST_TOLD_SECONDS, nanos / NanoClock.seconds(1)));
  }

  boolean isTellDue() {
    return tellDue;
  }

  /** SYN may have been answered by a cookie, which forgets: it is said once more. */
  void onEstablished() {
    tellDue = chosen;
  }

  /** An acceptable segment says how long the other side goes on. */
  void onSegment(TcpHeader h) {
    if (h.userTimeoutSeconds > 0 && !chosen && tcb.config.followsPeerUserTimeout()) {
      long wish = NanoClock.seconds(h.userTimeoutSeconds);
      long own = Math.max(tcb.config.userTimeoutNanos(), LEAST_NANOS);
      nanos = Math.max(own, Math.min(MOST_NANOS, wish));
    }
  }

  // ---- progress -------------------------------------------------------------------------------

  /** There is something new to wait for, or what was waited for has come. */
  void progress(long nowNanos) {
    progressNanos = nowNanos;
    timeoutsInRow = 0;
  }

  /** The first SYN, or one with another number, which is no progress. */
  void begin(long nowNanos) {
    if (!tcb.timers.isArmed(TimerKind.USER_TIMEOUT)) {
      progress(nowNanos);
      watch(nowNanos);
    }
  }

  void watch(long nowNanos) {
    if (!tcb.timers.isArmed(TimerKind.USER_TIMEOUT)) {
      tcb.timers.arm(TimerKind.USER_TIMEOUT, nowNanos + nanos);
    }
  }

  /** The retransmission timer expired; true when the user is to hear of it (R1). */
  boolean onRetransmitTimeout() {
    return ++timeoutsInRow == R1_TIMEOUTS;
  }

  /** True when the connection is to be given up; otherwise waits for the rest of the time. */
  boolean isOver(long nowNanos) {
    if (tcb.state().isSynchronized() && !tcb.snd.hasWork()) {
      return false;
    }
    long deadline = progressNanos + nanos;
    if (nowNanos >= deadline) {
      return true;
    }
    tcb.timers.arm(TimerKind.USER_TIMEOUT, deadline);
    return false;
  }
}

package org.ilnp4j.sim;

import io.netty.channel.EventLoop;
import io.netty.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.ilnp4j.time.NanoClock;

/**
 * Runs a simulated network by a real clock on an event loop that serves other things as well. The
 * network catches up in small steps; when the machine cannot keep up, the simulation runs slower
 * than real time instead of keeping the loop for itself. All calls belong to the loop.
 */
public final class RealTimeDriver implements AutoCloseable {
  /** Finer sleeps than this cost more than they give: virtual times stay exact anyway. */
  static final long TICK_NANOS = 100_000;

  /** Virtual time that passes at most before the loop may serve others. */
  static final long STEP_NANOS = NanoClock.millis(2);

  /** Lag beyond this is given up. */
  static final long MAX_LAG_NANOS = NanoClock.millis(100);

  private final SimNetwork network;
  private final EventLoop loop;
  private final NanoClock clock;

  /** Virtual time minus real time. */
  private long offsetNanos;

  private long slippedNanos;
  private ScheduledFuture<?> sleep;
  private boolean isTurnDue;
  private boolean isRunning;
  private boolean isClosed;

  /** Virtual time goes on from where the network stands. */
  public RealTimeDriver(SimNetwork network, EventLoop loop, NanoClock clock) {
    this.network = network;
    this.loop = loop;
    this.clock = clock;
    offsetNanos = network.nowNanos() - clock.nanoTime();
  }

  /**
   * Virtual time as it stands now. Within a turn it stays the same; between turns it follows the
   * real clock as far as the next event allows.
   */
  public long nowNanos() {
    if (!isRunning) {
      network.skipTo(targetNanos());
    }
    return network.nowNanos();
  }

  /** Asks for a turn soon: to be called after any call into a node from outside the network. */
  public void wake() {
    if (!isTurnDue && !isClosed) {
      isTurnDue = true;
      loop.execute(this::turn);
    }
  }

  /** Real time by which the simulation has fallen behind in all. */
  public long slippedNanos() {
    return slippedNanos;
  }

  private long targetNanos() {
    return clock.nanoTime() + offsetNanos;
  }

  private void turn() {
    isTurnDue = false;
    if (isClosed) {
      return;
    }
    if (sleep != null) {
      sleep.cancel(false);
      sleep = null;
    }
    network.skipTo(targetNanos());
    long slip = targetNanos() - network.nowNanos() - MAX_LAG_NANOS;
    if (slip > 0) {
      offsetNanos -= slip;
      slippedNanos += slip;
    }
    isRunning = true;
    try {
      network.advanceTo(Math.min(targetNanos(), network.nowNanos() + STEP_NANOS));
    } finally {
      isRunning = false;
    }
    goOn();
  }

  private void goOn() {
    long next = network.nextEventNanos();
    if (next == NanoClock.NEVER || isTurnDue || isClosed) {
      return;
    }
    long wait = next - targetNanos();
    if (wait <= 0) {
      wake();
    } else {
      sleep = loop.schedule(this::turn, Math.max(wait, TICK_NANOS), TimeUnit.NANOSECONDS);
    }
  }

  /** Stops driving; the network stays as it is. */
  @Override
  public void close() {
    isClosed = true;
    if (sleep != null) {
      sleep.cancel(false);
      sleep = null;
    }
  }
}

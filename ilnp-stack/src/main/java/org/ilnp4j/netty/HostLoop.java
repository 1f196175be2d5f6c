package org.ilnp4j.netty;

import io.netty.channel.EventLoop;
import io.netty.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.ilnp4j.host.Host;
import org.ilnp4j.time.NanoClock;

/**
 * Runs one {@link Host} on one Netty event loop, in turns. A turn begins with the first input after
 * the last turn, reads the clock once, and ends when the batch of input does, at the latest before
 * the loop waits again. Loop thread only.
 */
public final class HostLoop extends HostDriver {
  private final EventLoop loop;
  private final Host host;
  private final NanoClock clock;
  private final Runnable endOfTurn = this::endTurn;
  private final Runnable timer = this::onTimer;
  private long nowNanos;
  private boolean inTurn;
  private boolean ending;
  private boolean closed;
  private ScheduledFuture<?> armed;
  private long armedNanos = NanoClock.NEVER;

  public HostLoop(EventLoop loop, Host host, NanoClock clock) {
    super(loop, host);
    this.loop = loop;
    this.host = host;
    this.clock = clock;
  }

  @Override
  public long now() {
    if (!inTurn) {
      inTurn = true;
      nowNanos = clock.nanoTime();
      loop.execute(endOfTurn);
    }
    return nowNanos;
  }

  @Override
  public void wake() {
    if (!closed) {
      now();
    }
  }

  /** Ends the turn, if one is on: timers, output, callbacks. */
  public void endTurn() {
    if (!inTurn || ending || closed) {
      return;
    }
    // Callbacks run in here, and what they do belongs to this turn.
    ending = true;
    try {
      host.advance(nowNanos);
      host.endTurn(nowNanos);
    } finally {
      ending = false;
      inTurn = false;
      arm(); // even then: a mistake in one turn must not stop the node's clock
    }
  }

  /** One scheduled task at most: it is moved only to an earlier time, a late deadline waits. */
  private void arm() {
    long deadline = host.nextDeadlineNanos();
    if (deadline >= armedNanos) {
      return;
    }
    if (armed != null) {
      armed.cancel(false);
    }
    armedNanos = deadline;
    armed = loop.schedule(timer, Math.max(0, deadline - clock.nanoTime()), TimeUnit.NANOSECONDS);
  }

  private void onTimer() {
    armed = null;
    armedNanos = NanoClock.NEVER;
    wake();
    endTurn();
  }

  /** Closes the host and stops turning. */
  public void close() {
    if (closed) {
      return;
    }
    host.close(now());
    closed = true;
    if (armed != null) {
      armed.cancel(false);
    }
  }
}

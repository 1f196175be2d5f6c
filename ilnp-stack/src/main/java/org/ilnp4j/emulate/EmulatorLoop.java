package org.ilnp4j.emulate;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import java.io.IOException;
import java.util.EnumMap;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.ilnp4j.link.FaultInjector;
import org.ilnp4j.time.NanoClock;
import org.ilnp4j.time.TimerQueue;
import org.ilnp4j.tun.Poller;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Moves packets between the two ports, in turns: read some on each side, deliver what is due, do
 * what other threads asked for, wait. A sleeper is woken some ten microseconds late, so it asks to
 * be woken earlier by that. It does not spin for longer: as it goes before other threads, it would
 * take a core from those whose packets it carries.
 */
final class EmulatorLoop implements Runnable {
  /** Packets read from one side before the other side and the timers get their turn. */
  private static final int BATCH = 16;

  /** Turns without rest at the start, so that the code of a turn is compiled. */
  private static final int REHEARSALS = 500;

  /** What the kernel takes to wake a thread, about. Long sleeps end so much earlier. */
  private static final long WAKE_NANOS = 30_000;

  /** Less than this is waited for without sleeping. */
  private static final long SPIN_NANOS = 8_000;

  private static final Logger LOG = LoggerFactory.getLogger(EmulatorLoop.class);

  private final NanoClock clock;
  private final TimerQueue timers = new TimerQueue();
  private final EmulatorPort left;
  private final EmulatorPort right;
  private final Map<Direction, FaultInjector> links = new EnumMap<>(Direction.class);
  private final Poller poller;
  private final Queue<Runnable> requests = new ConcurrentLinkedQueue<>();
  private volatile boolean isStopping;
  private volatile IOException failure;

  /** Takes over the ports and the poller. */
  EmulatorLoop(
      EmulatorConfig config,
      EmulatorPort left,
      EmulatorPort right,
      Poller poller,
      NanoClock clock) {
    this.clock = clock;
    this.left = left;
    this.right = right;
    this.poller = poller;
    for (Direction d : Direction.values()) {
      EmulatorPort to = d == Direction.LEFT_TO_RIGHT ? right : left;
      // Another seed for each direction, or both would lose the same packets.
      long seed = config.seed() + d.ordinal();
      links.put(d, new FaultInjector(config.direction(d), to, clock, timers, seed));
    }
  }

  FaultInjector link(Direction d) {
    return links.get(d);
  }

  /** Runs {@code request} on this thread between two turns. Any thread. */
  void submit(Runnable request) {
    requests.add(request);
    poller.wake();
  }

  /** Ends {@link #run} soon. Any thread. */
  void stop() {
    isStopping = true;
    poller.wake();
  }

  /** Why the loop ended by itself; null if it did not. */
  IOException failure() {
    return failure;
  }

  @Override
  public void run() {
    try {
      if (!Poller.bePunctual()) {
        LOG.warn("no permission to go before other threads: a busy machine will delay packets");
      }
      for (int i = 0; i < REHEARSALS; i++) {
        turn();
        poller.await(0);
      }
      while (!isStopping) {
        if (!turn()) {
          rest();
        }
      }
    } catch (IOException e) {
      failure = e;
    } finally {
      for (FaultInjector link : links.values()) {
        link.close();
      }
    }
  }

  /** True when there may be more to read at once. */
  private boolean turn() throws IOException {
    boolean more =
        forward(left, link(Direction.LEFT_TO_RIGHT))
            | forward(right, link(Direction.RIGHT_TO_LEFT));
    timers.advance(clock.nanoTime());
    for (Runnable r = requests.poll(); r != null; r = requests.poll()) {
      r.run();
    }
    return more;
  }

  private static boolean forward(EmulatorPort from, FaultInjector link) throws IOException {
    for (int i = 0; i < BATCH; i++) {
      ByteBuf packet = from.read(PooledByteBufAllocator.DEFAULT);
      if (packet == null) {
        return false;
      }
      link.transmit(packet);
    }
    return true;
  }

  private void rest() throws IOException {
    long deadline = timers.nextDeadlineNanos();
    if (deadline == NanoClock.NEVER) {
      left.flushCapture();
      right.flushCapture();
      poller.await(Long.MAX_VALUE);
      return;
    }
    long untilNanos = deadline - clock.nanoTime();
    if (untilNanos > WAKE_NANOS) {
      poller.await(untilNanos - WAKE_NANOS);
    } else if (untilNanos > SPIN_NANOS) {
      poller.await(untilNanos);
    }
  }
}

package org.ilnp4j.emulate;

import java.io.IOException;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.ilnp4j.link.FaultInjector;
import org.ilnp4j.link.LinkConfig;
import org.ilnp4j.time.NanoClock;
import org.ilnp4j.tun.LinkCounters;
import org.ilnp4j.tun.Poller;

/**
 * A running emulated link between two network namespaces, for programs and tests:
 *
 * <pre>{@code
 * LinkConfig path = LinkConfig.of(100_000_000, NanoClock.millis(50)).withLoss(0.01);
 * Side client = Side.of("client", "emu0").withAddresses(...).withRoutes(...);
 * try (Emulator link = Emulator.start(EmulatorConfig.between(client, server, path, 1))) {
 *   ...
 *   link.configure(Direction.LEFT_TO_RIGHT, path.withLoss(0));
 *   link.counters(Direction.LEFT_TO_RIGHT).drops();
 * }
 * }</pre>
 *
 * Needs CAP_NET_ADMIN, and CAP_SYS_ADMIN for namespaces. One thread of its own does all the work;
 * the methods may be called from any thread and block for some ten microseconds.
 */
public final class Emulator implements AutoCloseable {
  private static final long LOOK_AGAIN_MILLIS = 50;

  private final EmulatorPort left;
  private final EmulatorPort right;
  private final Poller poller;
  private final EmulatorLoop loop;
  private final Thread thread;
  private final Map<Direction, LinkConfig> configs = new EnumMap<>(Direction.class);
  private boolean isClosed;

  private Emulator(
      EmulatorConfig config,
      EmulatorPort left,
      EmulatorPort right,
      Poller poller,
      NanoClock clock) {
    this.left = left;
    this.right = right;
    this.poller = poller;
    this.loop = new EmulatorLoop(config, left, right, poller, clock);
    this.thread = new Thread(loop, "emulator");
    for (Direction d : Direction.values()) {
      configs.put(d, config.direction(d));
    }
  }

  /**
   * Makes both devices and starts forwarding.
   *
   * @throws IOException with one clear line when a namespace is missing, a device or address cannot
   *     be made, or a privilege is lacking; nothing is left behind then
   */
  public static Emulator start(EmulatorConfig config) throws IOException {
    WarmUp.run();
    NanoClock clock = NanoClock.system();
    EmulatorPort left = EmulatorPort.open(config.left(), config.mtuBytes(), clock);
    EmulatorPort right = null;
    try {
      right = EmulatorPort.open(config.right(), config.mtuBytes(), clock);
      Emulator emulator =
          new Emulator(config, left, right, Poller.open(left.fd(), right.fd()), clock);
      emulator.thread.start();
      return emulator;
    } catch (IOException | RuntimeException e) {
      left.close();
      if (right != null) {
        right.close();
      }
      throw e;
    }
  }

  /** Changes a direction while it runs; packets on their way keep the arrival they have. */
  public synchronized void configure(Direction direction, LinkConfig config) throws IOException {
    configs.put(direction, config);
    ask(
        () -> {
          loop.link(direction).configure(config);
          return null;
        });
  }

  /** Takes the link down, or up again; packets inside are lost when it goes down. */
  public synchronized void setUp(boolean up) throws IOException {
    ask(
        () -> {
          for (Direction d : Direction.values()) {
            FaultInjector link = loop.link(d);
            if (up) {
              link.up();
            } else {
              link.down(FaultInjector.Cut.DROP);
            }
          }
          return null;
        });
  }

  /**
   * The next packet of each direction meets the chances of the first one, whatever has passed
   * before: so that an experiment does not depend on what kernels say of their own accord.
   */
  public synchronized void restartChances() throws IOException {
    ask(
        () -> {
          for (Direction d : Direction.values()) {
            loop.link(d).restartChances();
          }
          return null;
        });
  }

  public synchronized LinkConfig config(Direction direction) {
    return configs.get(direction);
  }

  /** What has happened in a direction so far. */
  public synchronized DirectionCounters counters(Direction direction) throws IOException {
    EmulatorPort from = direction == Direction.LEFT_TO_RIGHT ? left : right;
    EmulatorPort to = direction == Direction.LEFT_TO_RIGHT ? right : left;
    LinkCounters source = from.kernelCounters();
    LinkCounters sink = to.kernelCounters();
    return ask(
        () ->
            DirectionCounters.of(
                loop.link(direction), to.refused(), source.txDropped() + sink.rxDropped()));
  }

  /** The thread that forwards, whose processor time is the cost of the emulation. */
  public Thread thread() {
    return thread;
  }

  /**
   * Waits until the emulator is closed or has failed.
   *
   * @throws IOException when it ended by itself, as when somebody removed its devices
   */
  public void await() throws IOException, InterruptedException {
    thread.join();
    if (loop.failure() != null) {
      throw loop.failure();
    }
  }

  /** Has the question answered by the loop's thread, or by this one when the loop has ended. */
  private <T> T ask(Callable<T> question) throws IOException {
    if (isClosed) {
      throw new IllegalStateException("the emulator is closed");
    }
    FutureTask<T> task = new FutureTask<>(question);
    loop.submit(task);
    while (true) {
      if (!thread.isAlive()) {
        task.run();
      }
      try {
        return task.get(LOOK_AGAIN_MILLIS, TimeUnit.MILLISECONDS);
      } catch (TimeoutException e) {
        // Busy, or gone: the next round tells.
      } catch (ExecutionException e) {
        throw new IOException("the emulator failed: " + e.getCause(), e);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IOException("interrupted while the emulator was asked", e);
      }
    }
  }

  /** Stops forwarding and removes the devices, with all that was set on them. Idempotent. */
  @Override
  public synchronized void close() {
    if (isClosed) {
      return;
    }
    isClosed = true;
    loop.stop();
    boolean isInterrupted = false;
    while (thread.isAlive()) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        isInterrupted = true;
      }
    }
    poller.close();
    left.close();
    right.close();
    if (isInterrupted) {
      Thread.currentThread().interrupt();
    }
  }
}

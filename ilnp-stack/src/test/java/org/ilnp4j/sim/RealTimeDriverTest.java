package org.ilnp4j.sim;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.embedded.EmbeddedChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.ilnp4j.link.LinkConfig;
import org.ilnp4j.time.ManualClock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The driver on an event loop whose time is moved by hand. */
class RealTimeDriverTest extends SimTestBase {
  private final EmbeddedChannel channel = new EmbeddedChannel();
  private final ManualClock clock = new ManualClock();
  private final Recorder a = new Recorder("a");
  private final Recorder b = new Recorder("b");
  private final SimPort a0 = network.port(a, "0");
  private final SimPort b0 = network.port(b, "0");
  private RealTimeDriver driver;

  @BeforeEach
  void start() {
    channel.freezeTime();
    clock.advance(77 * SECOND); // its zero is not the network's
    network.connect(a0, b0, LinkConfig.of(12_000_000, 5 * MS));
    driver = new RealTimeDriver(network, channel.eventLoop(), clock);
    driver.wake();
    pass(0);
  }

  @AfterEach
  void stop() {
    driver.close();
    pass(SECOND);
    channel.finishAndReleaseAll();
  }

  /** Lets real time pass in steps of a tick. */
  private void pass(long nanos) {
    for (long t = 0; t <= nanos; t += RealTimeDriver.TICK_NANOS) {
      channel.runPendingTasks();
      channel.advanceTimeBy(RealTimeDriver.TICK_NANOS, TimeUnit.NANOSECONDS);
      clock.advance(RealTimeDriver.TICK_NANOS);
      channel.runPendingTasks();
    }
  }

  @Test
  void shouldDeliverWhenTheRealClockReachesTheTime() {
    long sent = driver.nowNanos();
    a0.transmit(buffers.packet(1500, 1));
    driver.wake();
    pass(5 * MS);
    assertThat(b.arrivals).isEmpty();
    pass(MS + 2 * RealTimeDriver.TICK_NANOS);
    assertThat(b.times()).containsExactly(sent + 6 * MS);
  }

  @Test
  void shouldFollowTheRealClockWhileNothingHappens() {
    pass(SECOND);
    long sent = driver.nowNanos();
    assertThat(sent).isBetween(SECOND, SECOND + 10 * MS);
    a0.transmit(buffers.packet(1500, 1));
    driver.wake();
    pass(10 * MS);
    assertThat(b.times()).containsExactly(sent + 6 * MS);
    assertThat(driver.slippedNanos()).isZero();
  }

  @Test
  void shouldCatchUpExactlyAfterAShortPause() {
    long sent = driver.nowNanos();
    for (int i = 0; i < 10; i++) {
      a0.transmit(buffers.packet(1500, i));
    }
    driver.wake();
    channel.runPendingTasks();
    clock.advance(50 * MS); // the loop was busy elsewhere
    channel.advanceTimeBy(50, TimeUnit.MILLISECONDS);
    channel.runPendingTasks(); // what is due
    channel.runPendingTasks(); // and what that asked for
    assertThat(b.times()).hasSize(10).startsWith(sent + 6 * MS).endsWith(sent + 15 * MS);
    assertThat(driver.slippedNanos()).isZero();
  }

  @Test
  void shouldRunSlowerInsteadOfCatchingUpForEver() {
    List<Long> ticks = new ArrayList<>();
    for (int i = 1; i <= 300; i++) {
      network.after(i * 10 * MS, () -> ticks.add(network.nowNanos()));
    }
    driver.wake();
    channel.runPendingTasks();
    clock.advance(2 * SECOND);
    channel.advanceTimeBy(2, TimeUnit.SECONDS);
    channel.runPendingTasks();
    channel.runPendingTasks();
    assertThat(driver.slippedNanos()).isBetween(SECOND + 880 * MS, SECOND + 900 * MS);
    assertThat(ticks).hasSizeBetween(9, 12);
    pass(3 * SECOND);
    assertThat(ticks).hasSize(300);
  }

  @Test
  void shouldKeepTheTimeWithinATurn() {
    List<Long> seen = new ArrayList<>();
    long due = driver.nowNanos() + MS;
    network.at(
        due,
        () -> {
          clock.advance(MS);
          seen.add(driver.nowNanos());
        });
    driver.wake();
    pass(2 * MS);
    assertThat(seen).containsExactly(due);
  }

  @Test
  void shouldStopWhenClosed() {
    a0.transmit(buffers.packet(1500, 1));
    driver.wake();
    driver.close();
    pass(SECOND);
    assertThat(b.arrivals).isEmpty();
  }
}

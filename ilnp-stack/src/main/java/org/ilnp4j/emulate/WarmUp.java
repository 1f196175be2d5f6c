package org.ilnp4j.emulate;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import org.ilnp4j.ip6.PacketSink;
import org.ilnp4j.link.DropPolicy;
import org.ilnp4j.link.FaultInjector;
import org.ilnp4j.link.LinkConfig;
import org.ilnp4j.time.ManualClock;
import org.ilnp4j.time.NanoClock;
import org.ilnp4j.time.TimerQueue;

/**
 * Sends packets through a link in virtual time before the first real one comes: loading and
 * compiling the code then would make that one late by many milliseconds.
 */
final class WarmUp {
  private static final int PACKETS = 5000;
  private static final int BYTES = 1500;
  private static final long INTERVAL_NANOS = 20_000;

  private WarmUp() {}

  static void run() {
    ManualClock clock = new ManualClock();
    TimerQueue timers = new TimerQueue();
    LinkConfig config =
        LinkConfig.of(500_000_000, NanoClock.millis(1))
            .withJitter(NanoClock.millis(1))
            .withLoss(0.05)
            .withBursts(0.01, 0.5, 1)
            .withDuplicate(0.05)
            .withCorrupt(0.05)
            .withReorder(0.05, NanoClock.millis(1))
            .withQueuePackets(100)
            .withDropPolicy(DropPolicy.CODEL);
    PacketSink sink = ByteBuf::release;
    try (FaultInjector link = new FaultInjector(config, sink, clock, timers, 1)) {
      for (int i = 0; i < PACKETS; i++) {
        link.transmit(PooledByteBufAllocator.DEFAULT.directBuffer(BYTES, BYTES).writeZero(BYTES));
        clock.advanceTo(clock.nanoTime() + INTERVAL_NANOS);
        timers.advance(clock.nanoTime());
      }
    }
  }
}

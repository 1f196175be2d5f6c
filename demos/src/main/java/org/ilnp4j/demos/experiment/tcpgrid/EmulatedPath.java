package org.ilnp4j.demos.experiment.tcpgrid;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.IoEventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import java.io.IOException;
import java.util.SplittableRandom;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.ilnp4j.demos.lab.Lab;
import org.ilnp4j.link.FaultInjector;
import org.ilnp4j.link.LinkConfig;
import org.ilnp4j.link.LinkHandler;
import org.ilnp4j.link.TunLink;
import org.ilnp4j.proxy.LocalTransport;
import org.ilnp4j.time.NanoClock;
import org.ilnp4j.time.TimerQueue;
import org.ilnp4j.tun.NetworkNamespace;
import org.ilnp4j.tun.TunDevice;
import org.ilnp4j.util.Counters;

/** A link between two namespaces with rate, delay, loss and queue; one TUN device in each. */
final class EmulatedPath implements AutoCloseable {
  static final String DEVICE = "path0";
  private static final int TUN_QUEUE_PACKETS = 10_000;

  private final MultiThreadIoEventLoopGroup group =
      new MultiThreadIoEventLoopGroup(1, LocalTransport.ioHandlers());
  private final IoEventLoop loop = group.next();
  private final NanoClock clock = NanoClock.system();
  private final TimerQueue timers = new TimerQueue();
  private final TunLink[] ends = new TunLink[2];
  private final FaultInjector[] directions = new FaultInjector[2];
  private long armedNanos = NanoClock.NEVER;
  private ScheduledFuture<?> armed;

  EmulatedPath(Lab lab, String nsA, String nsB, PathConditions c, long seed) throws IOException {
    SplittableRandom random = new SplittableRandom(seed);
    LinkConfig config =
        LinkConfig.of(c.bitsPerSecond(), TimeUnit.MILLISECONDS.toNanos(c.addedRttMillis()) / 2)
            .withLoss(c.lossPercent() / 100)
            .withQueuePackets(c.queuePackets())
            .withMtu(PathConditions.MTU);
    for (int i = 0; i < 2; i++) {
      int other = 1 - i;
      directions[i] =
          new FaultInjector(config, p -> ends[other].transmit(p), clock, timers, random.split());
    }
    String[] namespaces = {nsA, nsB};
    for (int i = 0; i < 2; i++) {
      FaultInjector direction = directions[i];
      TunDevice tun =
          NetworkNamespace.call(
              namespaces[i], () -> TunDevice.open(DEVICE, TunDevice.Offload.NONE));
      ends[i] =
          TunLink.open(
                  tun,
                  PathConditions.MTU,
                  loop,
                  PooledByteBufAllocator.DEFAULT,
                  new LinkHandler() {
                    @Override
                    public void onPacket(ByteBuf packet) {
                      direction.transmit(packet);
                    }

                    @Override
                    public void onBatchEnd() {
                      turn();
                    }

                    @Override
                    public void onFailure(Exception cause) {}
                  },
                  new Counters())
              .syncUninterruptibly()
              .getNow();
    }
    for (String namespace : namespaces) {
      lab.ip(
          namespace,
          "link",
          "set",
          DEVICE,
          "mtu",
          "" + PathConditions.MTU,
          "txqueuelen",
          "" + TUN_QUEUE_PACKETS,
          "up");
    }
  }

  private void turn() {
    timers.advance(clock.nanoTime());
    long next = timers.nextDeadlineNanos();
    if (next < armedNanos) {
      if (armed != null) {
        armed.cancel(false);
      }
      armedNanos = next;
      armed =
          loop.schedule(
              () -> {
                armedNanos = NanoClock.NEVER;
                turn();
              },
              Math.max(0, next - clock.nanoTime()),
              TimeUnit.NANOSECONDS);
    }
  }

  /** What happened to the packets of each direction, for people. */
  String counters() {
    return loop.submit(() -> directions[0].stats() + "; back " + directions[1].stats())
        .syncUninterruptibly()
        .getNow();
  }

  @Override
  public void close() {
    loop.submit(
            () -> {
              for (int i = 0; i < 2; i++) {
                directions[i].close();
                ends[i].close();
              }
            })
        .syncUninterruptibly();
    group.shutdownGracefully(0, 2, TimeUnit.SECONDS).awaitUninterruptibly(5, TimeUnit.SECONDS);
  }
}

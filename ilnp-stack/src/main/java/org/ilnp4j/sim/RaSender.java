package org.ilnp4j.sim;

import io.netty.buffer.ByteBuf;
import java.util.random.RandomGenerator;
import org.ilnp4j.time.NanoClock;
import org.ilnp4j.time.Timer;
import org.ilnp4j.time.TimerQueue;
import org.ilnp4j.wire.Checksum;
import org.ilnp4j.wire.Icmp6;
import org.ilnp4j.wire.Ip6;
import org.ilnp4j.wire.RouterAdvertisement;

/**
 * Router Advertisements on one interface (RFC 4861 §6.2.4, §6.2.6): at random intervals, the first
 * few in quicker succession, and in answer to solicitations. They go through the interface's queue
 * like any packet, so a busy link delays them.
 */
final class RaSender {
  /** The link-local prefix, fe80::/64. */
  static final long LINK_LOCAL_L64 = 0xfe80_0000_0000_0000L;

  /** Groups on the link: ff02::1, all nodes; ff02::2, all routers. */
  static final long LINK_GROUP_L64 = 0xff02_0000_0000_0000L;

  static final long ALL_NODES = 1;
  static final long ALL_ROUTERS = 2;

  private static final int INITIAL_COUNT = 3;
  private static final long MAX_INITIAL_INTERVAL_NANOS = NanoClock.seconds(16);

  private final SimPort port;
  private final long routerNid;
  private final TimerQueue timers;
  private final RandomGenerator random;
  private RaConfig config;
  private int sent;
  private long lastMulticastNanos = Long.MIN_VALUE;

  private final Timer next =
      new Timer() {
        @Override
        protected void fire(long nowNanos) {
          multicast(nowNanos);
        }
      };

  RaSender(
      SimPort port, long routerNid, RaConfig config, TimerQueue timers, RandomGenerator random) {
    this.port = port;
    this.routerNid = routerNid;
    this.config = config;
    this.timers = timers;
    this.random = random;
  }

  /** Takes the new configuration; the next advertisement tells it, at once. */
  void configure(long nowNanos, RaConfig newConfig) {
    config = newConfig;
    announceSoon(nowNanos, 0);
  }

  /** The interface has come up: routers say so at once. */
  void linkUp(long nowNanos) {
    sent = 0;
    announceSoon(nowNanos, 0);
  }

  void stop() {
    timers.remove(next);
  }

  int sent() {
    return sent;
  }

  /** Answers a solicitation: to its sender, or to all when that has no address yet. */
  void solicited(long nowNanos, long srcL64, long srcNid) {
    long wait =
        config.maxSolicitedDelayNanos() == 0
            ? 0
            : random.nextLong(config.maxSolicitedDelayNanos() + 1);
    if (wait == 0 && Ip6.isLinkLocal(srcL64)) {
      send(srcL64, srcNid);
    } else {
      announceSoon(nowNanos, wait);
    }
  }

  private void announceSoon(long nowNanos, long waitNanos) {
    long at = nowNanos + waitNanos;
    if (lastMulticastNanos != Long.MIN_VALUE) {
      at = Math.max(at, lastMulticastNanos + config.minDelayNanos());
    }
    if (!next.isArmed() || at < next.deadlineNanos()) {
      timers.arm(next, at);
    }
  }

  private void multicast(long nowNanos) {
    if (!port.isUp()) {
      return; // starts anew when the link comes up
    }
    lastMulticastNanos = nowNanos;
    send(LINK_GROUP_L64, ALL_NODES);
    long interval = random.nextLong(config.minIntervalNanos(), config.maxIntervalNanos() + 1);
    if (sent < INITIAL_COUNT) {
      interval = Math.min(interval, MAX_INITIAL_INTERVAL_NANOS);
    }
    timers.arm(next, nowNanos + interval);
  }

  private void send(long dstL64, long dstNid) {
    sent++;
    RouterAdvertisement ra =
        new RouterAdvertisement(
            64,
            0,
            config.routerLifetimeSeconds(),
            config.prefixes(),
            0,
            RouterAdvertisement.NO_LINK_LAYER,
            config.announcesInterval() ? config.maxIntervalNanos() / NanoClock.millis(1) : 0);
    int bytes = ra.bytes();
    ByteBuf packet = port.network.allocator().directBuffer(Ip6.HEADER_BYTES + bytes);
    Ip6.write(packet, 0, bytes, Ip6.PROTO_ICMP6, 255, LINK_LOCAL_L64, routerNid, dstL64, dstNid);
    ra.write(packet);
    finishChecksum(packet);
    port.transmit(packet);
  }

  /** Fills in the checksum of an ICMPv6 message right behind the IPv6 header at index 0. */
  static void finishChecksum(ByteBuf packet) {
    int bytes = packet.writerIndex() - Ip6.HEADER_BYTES;
    long sum =
        Checksum.pseudoHeader(
                packet.getLong(Ip6.SRC_L64),
                packet.getLong(Ip6.SRC_NID),
                packet.getLong(Ip6.DST_L64),
                packet.getLong(Ip6.DST_NID),
                bytes,
                Ip6.PROTO_ICMP6)
            + Checksum.sum(packet, Ip6.HEADER_BYTES, bytes);
    packet.setShort(Ip6.HEADER_BYTES + Icmp6.CHECKSUM_OFFSET, Checksum.finish(sum));
  }
}

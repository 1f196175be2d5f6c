package org.ilnp4j.mobility;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.SplittableRandom;
import org.ilnp4j.ilnp.Correspondent;
import org.ilnp4j.ilnp.Ilcc;
import org.ilnp4j.ip6.Ip6Output;
import org.ilnp4j.ip6.PathMtu;
import org.ilnp4j.mobility.MobilityConfig.UplinkConfig;
import org.ilnp4j.time.NanoClock;
import org.ilnp4j.time.TimerQueue;
import org.ilnp4j.util.Counters;
import org.ilnp4j.util.DropReason;
import org.ilnp4j.wire.Icmp6;
import org.ilnp4j.wire.PacketView;
import org.ilnp4j.wire.RouterAdvertisement;

/** The mobility layer of one node without transport: packets and events are kept for the test. */
final class MobileNode implements LocatorPlumber, MobilityObserver {
  static final long ROUTER_L64 = 0xfe80_0000_0000_0000L;

  final List<String> log = new ArrayList<>();
  final Deque<ByteBuf> sent = new ArrayDeque<>();
  final Counters counters = new Counters();
  final TimerQueue timers = new TimerQueue();
  final Ilcc ilcc;
  final LocatorUpdates updates;
  final LocatorSet set;
  private final PacketView view = new PacketView();
  boolean installWorks = true;
  long now;

  MobileNode(long nid, HandoffPolicy policy, boolean hard, ByteBufAllocator alloc, String... up) {
    List<UplinkConfig> uplinks = new ArrayList<>();
    for (String name : up) {
      uplinks.add(UplinkConfig.byRouterAdvertisement(name, 10 * (uplinks.size() + 1)));
    }
    ilcc = new Ilcc(nid, 12, 100, new SplittableRandom(nid), counters);
    Ip6Output out = new Ip6Output(sent::add, alloc, new PathMtu(1500), counters);
    updates = new LocatorUpdates(ilcc, out, timers, counters, this);
    MobilityConfig config = new MobilityConfig(uplinks, policy, hard, 300, 3, NanoClock.seconds(3));
    set = new LocatorSet(config, ilcc, this, updates, timers, counters, this);
  }

  void link(String uplink, boolean up) {
    set.onLink(now, uplink, up);
    set.reconcileIfDue(now);
  }

  /** An RA with an interval of 4 s and lifetimes of 60 s. */
  void hears(String uplink, long l64) {
    hears(uplink, RouterAdvertisement.ofLocator(l64, 60, 12, 4000));
  }

  void hears(String uplink, RouterAdvertisement ra) {
    DropReason drop = set.onRouterAdvertisement(now, uplink, ROUTER_L64, 1, ra);
    if (drop != null) {
      counters.drop(drop);
    }
    set.reconcileIfDue(now);
  }

  /** Moves time, firing what is due on the way. */
  void until(long nanos) {
    while (timers.nextDeadlineNanos() <= nanos) {
      now = timers.nextDeadlineNanos();
      timers.advance(now);
      set.reconcileIfDue(now);
    }
    now = nanos;
  }

  /** Processes one packet as the host would: parse, ILCC, Locator Update. Releases it. */
  DropReason receive(ByteBuf packet) {
    try {
      DropReason drop = view.parse(packet);
      if (drop == null) {
        drop = ilcc.admit(now, view);
      }
      if (drop == null) {
        drop = Icmp6.check(view);
      }
      return drop != null ? drop : updates.onUpdate(now, view, ilcc.match());
    } finally {
      packet.release();
    }
  }

  /** Hands everything the other node has sent to this one. */
  void receiveAll(MobileNode from) {
    while (!from.sent.isEmpty()) {
      DropReason drop = receive(from.sent.poll());
      if (drop != null) {
        counters.drop(drop);
      }
    }
  }

  void loseAll() {
    while (!sent.isEmpty()) {
      sent.poll().release();
    }
  }

  void close() {
    loseAll();
    set.close(now);
    updates.close();
  }

  @Override
  public boolean install(String uplink, long l64, long routerL64, long routerNid) {
    return installWorks;
  }

  @Override
  public void remove(String uplink, long l64) {}

  @Override
  public void solicit(String uplink) {
    log.add("solicit " + uplink);
  }

  @Override
  public void onLocatorRemoved(long nowNanos, String uplink, long l64, String why) {
    log.add("removed " + uplink + ": " + why);
  }

  @Override
  public void onHandoff(long nowNanos, Handoff h) {
    log.add(h.kind() + " " + h.fromUplink() + ">" + h.toUplink());
  }

  @Override
  public void onUpdateAcknowledged(long nowNanos, Correspondent c, long rttNanos) {
    log.add("acked " + rttNanos);
  }

  @Override
  public void onUpdateGivenUp(long nowNanos, Correspondent c) {
    log.add("given up");
  }
}

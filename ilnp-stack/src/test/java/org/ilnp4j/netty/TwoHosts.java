package org.ilnp4j.netty;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.EventLoop;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import org.ilnp4j.host.Host;
import org.ilnp4j.host.HostConfig;
import org.ilnp4j.mobility.HandoffPolicy;
import org.ilnp4j.mobility.LocatorPlumber;
import org.ilnp4j.mobility.MobilityConfig;
import org.ilnp4j.mobility.MobilityConfig.UplinkConfig;
import org.ilnp4j.mobility.MobilityObserver;
import org.ilnp4j.tcp.TcpConfig;
import org.ilnp4j.time.NanoClock;

/**
 * Two whole hosts on one event loop, joined by a wire that takes no time and may lose packets. The
 * first has two uplinks, the second one; packets flow wherever they have Locators.
 */
public final class TwoHosts {
  public static final long NID_A = 1;
  public static final long NID_B = 2;
  public static final long L64_A1 = 0x2001_0db8_0000_0001L;
  public static final long L64_A2 = 0x2001_0db8_0000_0002L;
  public static final long L64_B = 0x2001_0db8_0000_0009L;

  private final EventLoop loop;
  private final Random random;
  private final Wire toA = new Wire();
  private final Wire toB = new Wire();
  private final HostLoop a;
  private final HostLoop b;
  private double loss;
  private boolean cut;
  private long packets;

  public TwoHosts(
      EventLoop loop, NanoClock clock, ByteBufAllocator allocator, TcpConfig tcp, long seed) {
    this.loop = loop;
    random = new Random(seed);
    UplinkConfig a1 = new UplinkConfig("a1", 1, L64_A1, 0, 0);
    UplinkConfig a2 = new UplinkConfig("a2", 2, L64_A2, 0, 0);
    UplinkConfig b1 = new UplinkConfig("b1", 1, L64_B, 0, 0);
    a = host(NID_A, List.of(a1, a2), toB, clock, allocator, tcp);
    b = host(NID_B, List.of(b1), toA, clock, allocator, tcp);
    toA.target = a;
    toB.target = b;
  }

  private HostLoop host(
      long nid,
      List<UplinkConfig> uplinks,
      Wire out,
      NanoClock clock,
      ByteBufAllocator allocator,
      TcpConfig tcp) {
    HostConfig config =
        HostConfig.of(nid, MobilityConfig.of(uplinks, HandoffPolicy.PREFERENCE)).withTcp(tcp);
    Host host =
        new Host(
            config, out::transmit, allocator, LocatorPlumber.NONE, random(), MobilityObserver.NONE);
    return new HostLoop(loop, host, clock);
  }

  private Random random() {
    return new Random(random.nextLong());
  }

  public HostLoop a() {
    return a;
  }

  public HostLoop b() {
    return b;
  }

  /** All uplinks come up. Loop thread, as everything here. */
  public void linksUp() {
    link(a, "a1", true);
    link(a, "a2", true);
    link(b, "b1", true);
  }

  public void link(HostLoop host, String uplink, boolean up) {
    host.host().onLink(host.now(), uplink, up);
    host.endTurn();
  }

  /** Share of the packets that are lost. */
  public void loss(double share) {
    loss = share;
  }

  /** No packet arrives any more. */
  public void cut() {
    cut = true;
  }

  /** Packets that were sent. */
  public long packets() {
    return packets;
  }

  public void close() {
    a.close();
    b.close();
    cut = true;
    toA.deliver();
    toB.deliver();
  }

  /** One direction. */
  private final class Wire {
    private final Queue<ByteBuf> underWay = new ArrayDeque<>();
    private HostLoop target;

    void transmit(ByteBuf packet) {
      packets++;
      if (underWay.isEmpty()) {
        loop.execute(this::deliver);
      }
      underWay.add(packet);
    }

    void deliver() {
      for (ByteBuf packet; (packet = underWay.poll()) != null; ) {
        if (cut || random.nextDouble() < loss) {
          packet.release();
        } else {
          target.host().onPacket(target.now(), packet);
        }
      }
      target.endTurn();
    }
  }
}

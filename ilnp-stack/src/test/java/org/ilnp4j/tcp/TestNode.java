package org.ilnp4j.tcp;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.util.Random;
import org.ilnp4j.icmp.Icmp;
import org.ilnp4j.ilnp.Correspondent;
import org.ilnp4j.ilnp.Ilcc;
import org.ilnp4j.ilnp.LocalLocator;
import org.ilnp4j.ip6.GatheredPacket;
import org.ilnp4j.ip6.Ip6Output;
import org.ilnp4j.ip6.PacketSink;
import org.ilnp4j.ip6.PathMtu;
import org.ilnp4j.link.Segmentation;
import org.ilnp4j.time.NanoClock;
import org.ilnp4j.time.TimerQueue;
import org.ilnp4j.util.Counters;
import org.ilnp4j.util.DropReason;
import org.ilnp4j.wire.Ip6;
import org.ilnp4j.wire.PacketView;

/** One host reduced to what TCP needs: ILCC, output, timers and the engine. */
final class TestNode {
  final String name;
  final long nid;
  final Counters counters = new Counters();
  final TimerQueue timers = new TimerQueue();
  final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true, true);
  final PathMtu pathMtu;
  final Ilcc ilcc;
  final TcpEngine engine;

  /** TCP hands out segments put together, as to a device that cuts them. */
  boolean superSegments = Boolean.getBoolean("ilnp.super");

  private final Icmp icmp;
  private final PacketView view = new PacketView();

  TestNode(String name, long nid, int mtu, TcpConfig config, long seed, PacketSink sink) {
    this.name = name;
    this.nid = nid;
    pathMtu = new PathMtu(mtu);
    Random random = new Random(seed);
    ilcc = new Ilcc(nid, 4, 1000, random, counters);
    Ip6Output output = new Ip6Output(new Device(sink), allocator, pathMtu, counters);
    engine = new TcpEngine(config, ilcc, output, timers, random, counters);
    icmp = new Icmp(ilcc, output, engine, random, counters);
    ilcc.observer(engine::onLocatorsChanged);
  }

  /** Cuts super-segments as the kernel does, if the node is to send such. */
  private final class Device implements PacketSink {
    private final Segmentation cutter;

    Device(PacketSink sink) {
      cutter = new Segmentation(sink, allocator);
    }

    @Override
    public void transmit(ByteBuf packet) {
      cutter.transmit(packet);
    }

    @Override
    public int gatherBytes() {
      return superSegments ? cutter.gatherBytes() : 0;
    }

    @Override
    public void transmit(GatheredPacket packet) {
      cutter.transmit(packet);
    }
  }

  LocalLocator addLocator(long l64, LocalLocator.State state) {
    LocalLocator l =
        new LocalLocator(l64, "if" + Long.toHexString(l64), state, 10, NanoClock.NEVER);
    ilcc.local().add(l);
    return l;
  }

  /** Takes the packet; releases it. */
  void receive(long nowNanos, ByteBuf packet) {
    try {
      DropReason drop = view.parse(packet);
      if (drop == null) {
        drop = ilcc.admit(nowNanos, view);
      }
      if (drop == null && view.protocol == Ip6.PROTO_TCP) {
        drop = engine.onSegment(nowNanos, view, ilcc.match());
      } else if (drop == null && view.protocol == Ip6.PROTO_ICMP6) {
        drop = icmp.onMessage(nowNanos, view, ilcc.match());
      }
      if (drop != null) {
        counters.drop(drop);
      }
    } finally {
      packet.release();
    }
  }

  /** The only correspondent in use. */
  Correspondent peer() {
    return ilcc.all().stream().filter(c -> c.sessions() > 0).findFirst().orElseThrow();
  }

  long usedMemory() {
    return allocator.metric().usedDirectMemory() + allocator.metric().usedHeapMemory();
  }
}

package org.ilnp4j.sim;

import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.List;
import org.ilnp4j.host.Host;
import org.ilnp4j.host.HostConfig;
import org.ilnp4j.mobility.LocatorPlumber;
import org.ilnp4j.mobility.MobilityObserver;
import org.ilnp4j.util.DropReason;
import org.ilnp4j.wire.Icmp6;
import org.ilnp4j.wire.Ip6;
import org.ilnp4j.wire.PacketView;
import org.ilnp4j.wire.RouterAdvertisement;
import org.ilnp4j.wire.RouterSolicitation;

/**
 * A {@link Host} in the simulated network, with what the kernel does for a real one: hears router
 * advertisements on each interface, and sends each packet out of the interface that its source
 * Locator belongs to.
 */
public final class SimHost implements SimNode {
  private record Installed(long l64, SimPort port) {}

  private final SimNetwork network;
  private final String name;
  private final Host host;
  private final List<SimPort> uplinks = new ArrayList<>();
  private final List<Installed> installed = new ArrayList<>();
  private final PacketView view = new PacketView();

  private final LocatorPlumber plumber =
      new LocatorPlumber() {
        @Override
        public boolean install(String uplink, long l64, long routerL64, long routerNid) {
          Installed route = new Installed(l64, uplink(uplink));
          if (!route.port.isUp()) {
            return false;
          }
          if (!installed.contains(route)) {
            installed.add(route);
          }
          return true;
        }

        @Override
        public void remove(String uplink, long l64) {
          installed.remove(new Installed(l64, uplink(uplink)));
        }

        @Override
        public void solicit(String uplink) {
          sendSolicitation(uplink(uplink));
        }
      };

  /** A host with the interfaces its configuration names as uplinks, none connected. */
  public SimHost(SimNetwork network, String name, HostConfig config, MobilityObserver observer) {
    this.network = network;
    this.name = name;
    for (var uplink : config.mobility().uplinks()) {
      uplinks.add(network.port(this, uplink.name()).answersTo(config.nid()));
    }
    host =
        new Host(
            config, this::route, network.allocator(), plumber, network.splitRandom(), observer);
  }

  public Host host() {
    return host;
  }

  /** The interface of that name. */
  public SimPort uplink(String uplinkName) {
    for (SimPort p : uplinks) {
      if (p.name().equals(uplinkName)) {
        return p;
      }
    }
    throw new IllegalArgumentException(name + " has no uplink " + uplinkName);
  }

  /** True when the host has a Locator to send from. */
  public boolean isAttached() {
    return host.ilcc().local().source() != null;
  }

  private void route(ByteBuf packet) {
    long source = packet.getLong(packet.readerIndex() + Ip6.SRC_L64);
    for (int i = 0; i < installed.size(); i++) {
      if (installed.get(i).l64 == source) {
        installed.get(i).port.transmit(packet);
        return;
      }
    }
    host.counters().drop(DropReason.OUT_NO_ROUTE);
    packet.release();
  }

  private void sendSolicitation(SimPort port) {
    int bytes = RouterSolicitation.bytes(RouterAdvertisement.NO_LINK_LAYER);
    ByteBuf packet = network.allocator().directBuffer(Ip6.HEADER_BYTES + bytes);
    Ip6.write(
        packet,
        0,
        bytes,
        Ip6.PROTO_ICMP6,
        255,
        RaSender.LINK_LOCAL_L64,
        host.config().nid(),
        RaSender.LINK_GROUP_L64,
        RaSender.ALL_ROUTERS);
    RouterSolicitation.write(packet, RouterAdvertisement.NO_LINK_LAYER);
    RaSender.finishChecksum(packet);
    port.transmit(packet);
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public void onPacket(long nowNanos, SimPort port, ByteBuf packet) {
    if (isAdvertisement(packet)) {
      DropReason drop = onAdvertisement(nowNanos, port, packet);
      if (drop != null) {
        host.counters().drop(drop);
      }
      packet.release();
    } else {
      host.onPacket(nowNanos, packet);
    }
  }

  private static boolean isAdvertisement(ByteBuf packet) {
    int start = packet.readerIndex();
    return packet.readableBytes() > Ip6.HEADER_BYTES
        && packet.getUnsignedByte(start + Ip6.NEXT_HEADER) == Ip6.PROTO_ICMP6
        && Icmp6.type(packet, start + Ip6.HEADER_BYTES) == Icmp6.ROUTER_ADVERTISEMENT;
  }

  private DropReason onAdvertisement(long nowNanos, SimPort port, ByteBuf packet) {
    DropReason drop = view.parse(packet);
    if (drop == null) {
      drop = Icmp6.check(view);
    }
    if (drop == null) {
      drop = RouterAdvertisement.checkSender(view.hopLimit, view.srcL64);
    }
    if (drop != null) {
      return drop;
    }
    RouterAdvertisement.Parsed parsed =
        RouterAdvertisement.parse(packet, view.upperIndex, view.upperLength);
    if (parsed.drop() != null) {
      return parsed.drop();
    }
    host.onRouterAdvertisement(
        nowNanos, port.name(), view.srcL64, view.srcNid, parsed.advertisement());
    return null;
  }

  @Override
  public void onLink(long nowNanos, SimPort port, boolean up) {
    host.onLink(nowNanos, port.name(), up);
  }

  @Override
  public void advance(long nowNanos) {
    host.advance(nowNanos);
  }

  @Override
  public long nextDeadlineNanos() {
    return host.nextDeadlineNanos();
  }

  @Override
  public void endTurn(long nowNanos) {
    host.endTurn(nowNanos);
  }

  @Override
  public void close() {
    host.close(network.nowNanos());
  }
}

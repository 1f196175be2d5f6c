package org.ilnp4j.sim;

import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.List;
import org.ilnp4j.time.TimerQueue;
import org.ilnp4j.util.Counter;
import org.ilnp4j.util.Counters;
import org.ilnp4j.util.DropReason;
import org.ilnp4j.util.TokenBucket;
import org.ilnp4j.wire.Icmp6;
import org.ilnp4j.wire.Icmp6Error;
import org.ilnp4j.wire.Ip6;
import org.ilnp4j.wire.PacketView;
import org.ilnp4j.wire.RouterSolicitation;

/**
 * An IPv6 router: forwards by longest prefix, counts down hop limits, reports errors by ICMPv6 (RFC
 * 4443), advertises itself and answers solicitations. Its address on each interface is the
 * interface's Locator with the router's NID; forwarding costs no time. It is no end host: what is
 * addressed to it is dropped and counted.
 */
public final class SimRouter implements SimNode {
  /** ICMPv6 errors per second and at once (RFC 4443 §2.4 f). */
  private static final int ERRORS_PER_SECOND = 100;

  private static final int ERROR_BURST = 20;

  private static final class Interface {
    final SimPort port;
    final long l64;
    RaSender ra;

    Interface(SimPort port, long l64) {
      this.port = port;
      this.l64 = l64;
    }
  }

  private final SimNetwork network;
  private final String name;
  private final long nid;
  private final List<Interface> interfaces = new ArrayList<>();
  private final ForwardingTable routes = new ForwardingTable();
  private final Counters counters = new Counters();
  private final TimerQueue timers = new TimerQueue();
  private final TokenBucket errorLimit = new TokenBucket(ERRORS_PER_SECOND, ERROR_BURST);
  private boolean reportsDeadLinks;

  /**
   * @param nid lower half of all its addresses, link-local ones too
   */
  public SimRouter(SimNetwork network, String name, long nid) {
    this.network = network;
    this.name = name;
    this.nid = nid;
  }

  /** Adds an interface in subnetwork {@code l64}, with the route to it. */
  public SimPort addInterface(String interfaceName, long l64) {
    SimPort port = network.port(this, interfaceName).answersTo(nid);
    interfaces.add(new Interface(port, l64));
    routes.put(l64, 64, port);
    return port;
  }

  public ForwardingTable routes() {
    return routes;
  }

  /** Starts advertising, or advertises the new configuration at once. */
  public void advertise(SimPort port, RaConfig config) {
    Interface at = of(port);
    if (at.ra == null) {
      at.ra = new RaSender(port, nid, config, timers, network.splitRandom());
    }
    at.ra.configure(network.nowNanos(), config);
  }

  /** Falls silent on the interface, without a last word. */
  public void stopAdvertising(SimPort port) {
    Interface at = of(port);
    if (at.ra != null) {
      at.ra.stop();
      at.ra = null;
    }
  }

  /** Advertisements sent on the interface since its link came up. */
  public int advertisementsSent(SimPort port) {
    RaSender ra = of(port).ra;
    return ra == null ? 0 : ra.sent();
  }

  /** Whether packets for a link that is down are answered by Address Unreachable; default no. */
  public void reportDeadLinks(boolean yes) {
    reportsDeadLinks = yes;
  }

  /** Packets forwarded, errors sent, and each reason for a drop. */
  public Counters counters() {
    return counters;
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public void onPacket(long nowNanos, SimPort port, ByteBuf packet) {
    DropReason malformed = check(packet);
    if (malformed != null) {
      drop(malformed, packet);
      return;
    }
    int start = packet.readerIndex();
    counters.add(Counter.PACKETS_IN);
    long dstL64 = packet.getLong(start + Ip6.DST_L64);
    if (Ip6.isMulticast(dstL64) || Ip6.isLinkLocal(dstL64)) {
      onLinkScope(nowNanos, port, packet);
    } else if (Ip6.isLinkLocal(packet.getLong(start + Ip6.SRC_L64))) {
      drop(DropReason.IP_BAD_SOURCE, packet); // must not leave its link (RFC 4291 §2.5.6)
    } else {
      forward(nowNanos, port, packet, dstL64, packet.getLong(start + Ip6.DST_NID));
    }
  }

  private static DropReason check(ByteBuf packet) {
    if (packet.readableBytes() < Ip6.HEADER_BYTES) {
      return DropReason.IP_TRUNCATED;
    }
    int start = packet.readerIndex();
    if (packet.getUnsignedByte(start) >>> 4 != 6) {
      return DropReason.IP_BAD_VERSION;
    }
    int length = Ip6.HEADER_BYTES + packet.getUnsignedShort(start + Ip6.PAYLOAD_LENGTH);
    return length > packet.readableBytes() ? DropReason.IP_BAD_LENGTH : null;
  }

  private void forward(long nowNanos, SimPort in, ByteBuf packet, long dstL64, long dstNid) {
    int start = packet.readerIndex();
    if (isOwn(dstL64, dstNid)) {
      drop(DropReason.UPPER_UNKNOWN_PROTOCOL, packet);
      return;
    }
    int hopLimit = packet.getUnsignedByte(start + Ip6.HOP_LIMIT);
    if (hopLimit <= 1) {
      refuse(nowNanos, in, packet, DropReason.IP_HOP_LIMIT, Icmp6.TIME_EXCEEDED, 0, 0);
      return;
    }
    SimPort out = routes.lookup(dstL64, dstNid);
    if (out == null) {
      refuse(
          nowNanos, in, packet, DropReason.OUT_NO_ROUTE, Icmp6.DEST_UNREACHABLE, Icmp6.NO_ROUTE, 0);
    } else if (reportsDeadLinks && !out.isUp()) {
      refuse(
          nowNanos,
          in,
          packet,
          DropReason.OUT_DEVICE,
          Icmp6.DEST_UNREACHABLE,
          Icmp6.ADDRESS_UNREACHABLE,
          0);
    } else if (packet.readableBytes() > out.mtu()) {
      refuse(nowNanos, in, packet, DropReason.OUT_TOO_BIG, Icmp6.PACKET_TOO_BIG, 0, out.mtu());
    } else {
      packet.setByte(start + Ip6.HOP_LIMIT, hopLimit - 1);
      counters.add(Counter.PACKETS_OUT);
      counters.add(Counter.BYTES_OUT, packet.readableBytes());
      out.transmit(packet);
    }
  }

  /** Neighbour discovery: of all that stays on the link only solicitations concern a router. */
  private void onLinkScope(long nowNanos, SimPort port, ByteBuf packet) {
    Interface at = of(port);
    PacketView v = new PacketView();
    DropReason bad = v.parse(packet);
    if (bad == null
        && (v.protocol != Ip6.PROTO_ICMP6
            || v.upperLength < Icmp6.HEADER_BYTES
            || Icmp6.type(packet, v.upperIndex) != Icmp6.ROUTER_SOLICITATION)) {
      bad = DropReason.IP_NOT_FOR_US;
    }
    if (bad == null) {
      bad = Icmp6.check(v);
    }
    if (bad == null && v.hopLimit != 255) {
      bad = DropReason.RA_HOP_LIMIT;
    }
    if (bad == null) {
      bad = RouterSolicitation.check(packet, v.upperIndex, v.upperLength);
    }
    if (bad != null) {
      drop(bad, packet);
      return;
    }
    if (at.ra != null) {
      at.ra.solicited(nowNanos, v.srcL64, v.srcNid);
    }
    packet.release();
  }

  /** Drops a packet and tells its sender why, as far as RFC 4443 §2.4 allows. */
  private void refuse(
      long nowNanos,
      SimPort in,
      ByteBuf packet,
      DropReason reason,
      int type,
      int code,
      int parameter) {
    PacketView v = new PacketView();
    v.parse(packet); // fills in addresses and length even if an extension header is odd
    SimPort back = routes.lookup(v.srcL64, v.srcNid);
    if (back != null
        && Icmp6Error.isAllowed(v, type == Icmp6.PACKET_TOO_BIG)
        && errorLimit.tryTake(nowNanos)) {
      int bytes = Icmp6Error.bytes(v, Ip6.HEADER_BYTES);
      ByteBuf error = network.allocator().directBuffer(Ip6.HEADER_BYTES + bytes);
      Ip6.write(error, 0, bytes, Ip6.PROTO_ICMP6, 64, of(in).l64, nid, v.srcL64, v.srcNid);
      Icmp6Error.write(error, type, code, parameter, v, Ip6.HEADER_BYTES);
      RaSender.finishChecksum(error);
      counters.add(Counter.ICMP_ERRORS_OUT);
      back.transmit(error);
    }
    drop(reason, packet);
  }

  private void drop(DropReason reason, ByteBuf packet) {
    counters.drop(reason);
    packet.release();
  }

  private boolean isOwn(long l64, long addressNid) {
    if (addressNid != nid) {
      return false;
    }
    for (Interface i : interfaces) {
      if (i.l64 == l64) {
        return true;
      }
    }
    return false;
  }

  private Interface of(SimPort port) {
    for (Interface i : interfaces) {
      if (i.port == port) {
        return i;
      }
    }
    throw new IllegalArgumentException(port + " is not an interface of router " + name);
  }

  @Override
  public void onLink(long nowNanos, SimPort port, boolean up) {
    RaSender ra = of(port).ra;
    if (up && ra != null) {
      ra.linkUp(nowNanos);
    }
  }

  @Override
  public void advance(long nowNanos) {
    timers.advance(nowNanos);
  }

  @Override
  public long nextDeadlineNanos() {
    return timers.nextDeadlineNanos();
  }

  @Override
  public void close() {
    for (Interface i : interfaces) {
      stopAdvertising(i.port);
    }
  }
}

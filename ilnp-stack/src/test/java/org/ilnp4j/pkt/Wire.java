package org.ilnp4j.pkt;

import io.netty.buffer.ByteBuf;
import java.util.List;
import org.ilnp4j.pkt.Event.IcmpSpec;
import org.ilnp4j.pkt.Event.UpdateSpec;
import org.ilnp4j.wire.Icmp6;
import org.ilnp4j.wire.Ip6;
import org.ilnp4j.wire.LocatorUpdate;
import org.ilnp4j.wire.NonceOption;
import org.ilnp4j.wire.TcpHeader;

/** Builds what scripts send to the stack. Payload is a pattern, so that mix-ups show. */
final class Wire {
  private static final int PEER_NONCE = 0x0badcafe;
  private static final int WRONG_NONCE = 0x0bad0bad;
  private static final int LU_LIFETIME_SECONDS = 300;

  /** IPv4 headers are this much shorter: sizes told in IPv4 scripts grow by it. */
  static final int IPV4_DIFFERENCE = 20;

  private final Machine machine;
  private final boolean ipv4;

  Wire(Machine machine, boolean ipv4) {
    this.machine = machine;
    this.ipv4 = ipv4;
  }

  /** The octet at a place in a stream; the first behind the SYN has number 1. */
  static byte octet(long seq) {
    return (byte) (seq * 7 + (seq >>> 8));
  }

  private ByteBuf start(PacketSpec.Ip ip, int protocol, int trafficClass) {
    boolean nonce = machine.ilnp && !"no-nonce".equals(ip.nonce());
    ByteBuf b = machine.allocator.directBuffer(256);
    Ip6.write(
        b,
        trafficClass,
        0,
        nonce ? Ip6.PROTO_DEST_OPTS : protocol,
        ip.hopLimit() >= 0 ? ip.hopLimit() : 64,
        Machine.locator(ip.from() == null ? Machine.PEERS.get(0) : ip.from()),
        Machine.PEER,
        Machine.locator(ip.to() == null ? Machine.UPLINKS.get(0) : ip.to()),
        Machine.US);
    if (nonce) {
      boolean wrong = "wrong-nonce".equals(ip.nonce());
      NonceOption.write(b, protocol, NonceOption.SHORT, wrong ? WRONG_NONCE : PEER_NONCE, 0);
    }
    return b;
  }

  ByteBuf segment(Flow flow, PacketSpec p) {
    boolean syn = p.has(TcpHeader.SYN);
    PacketSpec.Ip ip = p.ip();
    int trafficClass = ip.trafficClass() >= 0 ? ip.trafficClass() : Math.max(0, ip.ecn());
    ByteBuf b = start(ip, Ip6.PROTO_TCP, trafficClass);
    int upper = b.writerIndex();
    List<TcpOption> options = flow.liveOptionsIn(p);
    int optionBytes = (options.stream().mapToInt(TcpOption::bytes).sum() + 3) & -4;
    b.writeShort(p.srcPort() > 0 ? p.srcPort() : flow.remotePort);
    b.writeShort(p.dstPort() > 0 ? p.dstPort() : flow.localPort);
    b.writeInt(flow.liveSeqIn(p.seq(), syn));
    b.writeInt(p.has(TcpHeader.ACK) ? flow.liveAckIn(p.ack(), syn) : 0);
    b.writeByte((TcpHeader.MIN_BYTES + optionBytes) / 4 << 4);
    b.writeByte(p.flags());
    b.writeShort(Math.max(0, p.window()));
    b.writeShort(0);
    b.writeShort(p.urgent());
    int from = b.writerIndex();
    options.forEach(o -> o.write(b));
    b.writeZero(from + optionBytes - b.writerIndex());
    for (int i = 0; i < p.length(); i++) {
      b.writeByte(octet(p.seq() + i + (syn ? 1 : 0)));
    }
    boolean nidOnly = machine.ilnp && !"no-nonce".equals(ip.nonce());
    Ip6.complete(b, upper, Ip6.PROTO_TCP, TcpHeader.CHECKSUM_OFFSET, nidOnly);
    return b;
  }

  // ---- ICMP -----------------------------------------------------------------------------------

  /**
   * An ICMPv6 error that quotes a segment of the flow.
   *
   * @param last what the stack sent last, for its nonce and Locators
   */
  ByteBuf icmp(Flow flow, IcmpSpec spec, Segment last) {
    int type = type(spec);
    int code = code(spec);
    int parameter = spec.mtu() < 0 ? 0 : spec.mtu() + (ipv4 ? IPV4_DIFFERENCE : 0);
    if (type == Icmp6.PACKET_TOO_BIG && parameter < Ip6.MIN_MTU && ipv4) {
      throw ScriptStop.unsupported("a path MTU that IPv6 does not have");
    }
    ByteBuf b = start(spec.ip(), Ip6.PROTO_ICMP6, 0);
    int upper = b.writerIndex();
    Icmp6.write(b, type, code, parameter);
    boolean nonce = last != null && last.nonceLength > 0;
    int headers = TcpHeader.MIN_BYTES + (nonce ? NonceOption.headerBytes(last.nonceLength) : 0);
    Ip6.write(
        b,
        0,
        headers + spec.length(),
        nonce ? Ip6.PROTO_DEST_OPTS : Ip6.PROTO_TCP,
        60,
        last == null ? Machine.locator(Machine.UPLINKS.get(0)) : last.srcL64,
        Machine.US,
        last == null ? Machine.locator(Machine.PEERS.get(0)) : last.dstL64,
        Machine.PEER);
    if (nonce) {
      NonceOption.write(b, Ip6.PROTO_TCP, last.nonceLength, last.nonceHigh, last.nonceLow);
    }
    b.writeShort(flow.localPort).writeShort(flow.remotePort);
    b.writeInt(flow.liveAckIn(spec.seq(), false));
    b.writeZero(TcpHeader.MIN_BYTES - 8);
    b.writeZero(Math.min(spec.length(), Ip6.MIN_MTU - b.readableBytes())); // RFC 4443 §2.4 c
    Ip6.complete(b, upper, Ip6.PROTO_ICMP6, Icmp6.CHECKSUM_OFFSET, false);
    return b;
  }

  private static int type(IcmpSpec s) {
    return switch (s.type()) {
      case "unreachable" ->
          s.code().equals("frag_needed")
              ? Icmp6.PACKET_TOO_BIG
              : s.code().equals("protocol_unreachable")
                  ? Icmp6.PARAMETER_PROBLEM
                  : Icmp6.DEST_UNREACHABLE;
      case "packet_too_big" -> Icmp6.PACKET_TOO_BIG;
      case "time_exceeded" -> Icmp6.TIME_EXCEEDED;
      case "parameter_problem" -> Icmp6.PARAMETER_PROBLEM;
      default -> throw ScriptStop.unsupported("ICMP " + s.type() + ", which IPv6 does not have");
    };
  }

  private static int code(IcmpSpec s) {
    return switch (s.code()) {
      case "",
          "no_route",
          "net_unreachable",
          "frag_needed",
          "exceeded_hop_limit",
          "ttl_exceeded_in_transit",
          "code_0",
          "erroneous_header_field" ->
          0;
      case "admin_prohibited",
          "net_prohibited",
          "host_prohibited",
          "packet_filtered",
          "protocol_unreachable",
          "exceeded_frag_reass_time",
          "frag_reass_exceeded",
          "code_1",
          "unrecognized_next_header" ->
          1;
      case "beyond_scope", "code_2", "unrecognized_ipv6_option" -> 2;
      case "addr_unreachable", "address_unreachable", "host_unreachable" ->
          Icmp6.ADDRESS_UNREACHABLE;
      case "port_unreachable" -> Icmp6.PORT_UNREACHABLE;
      case "source_address_failed_policy" -> 5;
      case "reject_route" -> 6;
      default -> throw ScriptStop.unsupported("ICMP " + s.code() + ", which IPv6 does not have");
    };
  }

  // ---- Locator Updates ------------------------------------------------------------------------

  /** A Locator Update of the peer, or its acknowledgement of {@code last}, which the stack sent. */
  ByteBuf update(UpdateSpec spec, Segment last) {
    ByteBuf b = start(spec.ip(), Ip6.PROTO_ICMP6, 0);
    int upper = b.writerIndex();
    if (spec.acknowledgement()) {
      last.update.write(b, LocatorUpdate.ACKNOWLEDGEMENT);
    } else {
      int n = spec.locators().size();
      long[] l64 = new long[n];
      int[] preference = new int[n];
      int[] lifetime = new int[n];
      for (int i = 0; i < n; i++) {
        l64[i] = Machine.locator(spec.locators().get(i));
        preference[i] = 10 * (i + 1);
        lifetime[i] = LU_LIFETIME_SECONDS;
      }
      LocatorUpdate.write(b, LocatorUpdate.ADVERTISEMENT, n, l64, preference, lifetime);
    }
    Ip6.complete(b, upper, Ip6.PROTO_ICMP6, Icmp6.CHECKSUM_OFFSET, false);
    return b;
  }
}

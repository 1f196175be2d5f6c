package org.ilnp4j.pkt;

import io.netty.buffer.ByteBuf;
import java.util.List;
import org.ilnp4j.wire.Icmp6;
import org.ilnp4j.wire.Ip6;
import org.ilnp4j.wire.LocatorUpdate;
import org.ilnp4j.wire.PacketView;
import org.ilnp4j.wire.TcpHeader;

/** A packet the stack has sent, taken apart. */
final class Segment {
  final long atNanos;
  final int protocol;
  final int trafficClass;
  final int hopLimit;
  final int nonceLength;
  final int nonceHigh;
  final long nonceLow;
  final long srcL64;
  final long dstL64;

  /** Null when it is not TCP. */
  final TcpHeader tcp;

  final List<TcpOption> options;
  final byte[] payload;

  /** Null when it is not a Locator Update. */
  final LocatorUpdate update;

  Segment(ByteBuf packet, long atNanos) {
    this.atNanos = atNanos;
    PacketView v = new PacketView();
    TcpHeader h = new TcpHeader();
    boolean bad = v.parse(packet) != null;
    bad |= v.protocol == Ip6.PROTO_TCP && h.parse(packet, v.upperIndex, v.upperLength) != null;
    if (bad) {
      throw ScriptStop.fail("packet that cannot be read", "a packet", "garbage");
    }
    protocol = v.protocol;
    trafficClass = v.trafficClass;
    hopLimit = v.hopLimit;
    nonceLength = v.nonceLength;
    nonceHigh = v.nonceHigh;
    nonceLow = v.nonceLow;
    srcL64 = v.srcL64;
    dstL64 = v.dstL64;
    if (protocol == Ip6.PROTO_TCP) {
      tcp = h;
      options = TcpOption.parse(packet, v.upperIndex + TcpHeader.MIN_BYTES, h.payloadIndex);
      payload = new byte[h.payloadLength];
      packet.getBytes(h.payloadIndex, payload);
    } else {
      tcp = null;
      options = List.of();
      payload = new byte[0];
    }
    boolean locatorUpdate =
        protocol == Ip6.PROTO_ICMP6
            && v.upperLength >= Icmp6.HEADER_BYTES
            && Icmp6.type(packet, v.upperIndex) == Icmp6.LOCATOR_UPDATE;
    update = locatorUpdate ? new LocatorUpdate() : null;
    if (locatorUpdate && update.parse(packet, v.upperIndex, v.upperLength) != null) {
      throw ScriptStop.fail("packet that cannot be read", "a Locator Update", "garbage");
    }
  }

  boolean has(int flag) {
    return tcp.has(flag);
  }
}

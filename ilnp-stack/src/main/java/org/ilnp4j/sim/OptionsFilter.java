package org.ilnp4j.sim;

import io.netty.buffer.ByteBuf;
import org.ilnp4j.wire.Icmp6;
import org.ilnp4j.wire.Icmp6Error;
import org.ilnp4j.wire.Ip6;
import org.ilnp4j.wire.PacketView;

/**
 * Drops every packet with a Destination Options header, as a noticeable share of Internet paths
 * does (RFC 7872): silently, or with the Parameter Problem that a host sends which does not know
 * the option (RFC 8200 §4.2).
 */
public final class OptionsFilter extends Middlebox {
  private static final int MAX_HEADERS = 8;

  private final SimNetwork network;
  private final boolean reports;

  /**
   * @param reports true to answer with Parameter Problem, code 2, in the name of the destination
   */
  public OptionsFilter(SimNetwork network, String name, boolean reports) {
    super(network, name);
    this.network = network;
    this.reports = reports;
  }

  @Override
  protected boolean accepts(boolean outbound, ByteBuf packet) {
    int header = destinationOptions(packet);
    if (header == 0) {
      return true;
    }
    if (reports) {
      report(outbound, packet, header + 2);
    }
    return false;
  }

  /** Offset of the first Destination Options header from the IPv6 header, or 0. */
  private static int destinationOptions(ByteBuf packet) {
    int start = packet.readerIndex();
    int next = packet.getUnsignedByte(start + Ip6.NEXT_HEADER);
    int at = Ip6.HEADER_BYTES;
    for (int n = 0; n < MAX_HEADERS && at + 8 <= packet.readableBytes(); n++) {
      if (next == Ip6.PROTO_DEST_OPTS) {
        return at;
      }
      if (next != Ip6.PROTO_HOP_BY_HOP && next != Ip6.PROTO_ROUTING) {
        return 0;
      }
      next = packet.getUnsignedByte(start + at);
      at += 8 + 8 * packet.getUnsignedByte(start + at + 1);
    }
    return 0;
  }

  private void report(boolean outbound, ByteBuf packet, int pointer) {
    PacketView v = new PacketView();
    v.parse(packet);
    if (!Icmp6Error.isAllowed(v, true)) {
      return;
    }
    int bytes = Icmp6Error.bytes(v, Ip6.HEADER_BYTES);
    ByteBuf error = network.allocator().directBuffer(Ip6.HEADER_BYTES + bytes);
    Ip6.write(error, 0, bytes, Ip6.PROTO_ICMP6, 64, v.dstL64, v.dstNid, v.srcL64, v.srcNid);
    Icmp6Error.write(
        error, Icmp6.PARAMETER_PROBLEM, Icmp6.UNKNOWN_OPTION, pointer, v, Ip6.HEADER_BYTES);
    RaSender.finishChecksum(error);
    answer(outbound, error);
  }
}

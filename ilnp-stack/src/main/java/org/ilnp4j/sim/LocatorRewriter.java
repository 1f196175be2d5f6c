package org.ilnp4j.sim;

import io.netty.buffer.ByteBuf;
import org.ilnp4j.wire.Checksum;
import org.ilnp4j.wire.Icmp6;
import org.ilnp4j.wire.Ip6;
import org.ilnp4j.wire.PacketView;

/**
 * A site border router that rewrites one Locator: packets that leave get the outside Locator as
 * source, packets that enter the inside one as destination (RFC 6748 §2). The transport checksum of
 * ILNP packets leaves Locators out and stays as it is; other checksums, which cover the addresses,
 * are adjusted as by RFC 1624.
 */
public final class LocatorRewriter extends Middlebox {
  private final long insideL64;
  private final long outsideL64;
  private final PacketView view = new PacketView();

  public LocatorRewriter(SimNetwork network, String name, long insideL64, long outsideL64) {
    super(network, name);
    this.insideL64 = insideL64;
    this.outsideL64 = outsideL64;
  }

  @Override
  protected boolean accepts(boolean outbound, ByteBuf packet) {
    int field = packet.readerIndex() + (outbound ? Ip6.SRC_L64 : Ip6.DST_L64);
    long from = outbound ? insideL64 : outsideL64;
    long to = outbound ? outsideL64 : insideL64;
    if (packet.getLong(field) == from) {
      packet.setLong(field, to);
      adjustChecksum(packet, from, to);
      countChange();
    }
    return true;
  }

  private void adjustChecksum(ByteBuf packet, long from, long to) {
    if (view.parse(packet) != null) {
      return;
    }
    int offset;
    int headerBytes;
    switch (view.protocol) {
      case Ip6.PROTO_ICMP6:
        offset = Icmp6.CHECKSUM_OFFSET;
        headerBytes = Icmp6.HEADER_BYTES;
        break;
      case Ip6.PROTO_TCP:
        offset = 16;
        headerBytes = 20;
        break;
      case Ip6.PROTO_UDP:
        offset = 6;
        headerBytes = 8;
        break;
      default:
        return;
    }
    if (view.upperLength < headerBytes || (view.hasNonce() && view.protocol != Ip6.PROTO_ICMP6)) {
      return;
    }
    int at = view.upperIndex + offset;
    int old = packet.getUnsignedShort(at);
    // ~(~old + ~from + to): one's complement arithmetic on 16-bit words (RFC 1624 §3).
    long sum = (~old & 0xffff) + halves(~from) + halves(to);
    int adjusted = Checksum.finish(sum);
    // Zero would say that UDP has no checksum.
    packet.setShort(at, adjusted == 0 && view.protocol == Ip6.PROTO_UDP ? 0xffff : adjusted);
  }

  private static long halves(long v) {
    return (v >>> 48) + (v >>> 32 & 0xffff) + (v >>> 16 & 0xffff) + (v & 0xffff);
  }
}

package org.ilnp4j.wire;

import io.netty.buffer.ByteBuf;
import org.ilnp4j.util.DropReason;

/**
 * The packet quoted in an ICMPv6 error (RFC 4443 §3), possibly cut short. Tells whether this node
 * sent it. Reused from message to message.
 */
public final class QuotedPacket {
  /** Addresses, nonce and upper-layer position of the quoted packet, as far as it is there. */
  public final PacketView ip = new PacketView();

  /** Octets of the whole packet when it was sent, however few of them are quoted. */
  public int sentBytes;

  /** TCP or UDP ports, else -1: no such protocol, or cut off. */
  public int srcPort;

  public int dstPort;

  /** True when {@link #seq} is there. */
  public boolean hasSeq;

  /** TCP sequence number. */
  public int seq;

  /**
   * Parses what stands at absolute {@code index}, directly behind the ICMPv6 header. Null when the
   * quote reaches to the upper-layer protocol number at least.
   */
  public DropReason parse(ByteBuf buf, int index, int length) {
    srcPort = -1;
    dstPort = -1;
    hasSeq = false;
    seq = 0;
    sentBytes = 0;
    DropReason drop = ip.parseQuoted(buf, index, length);
    if (drop != null) {
      return drop;
    }
    sentBytes = Ip6.HEADER_BYTES + buf.getUnsignedShort(ip.start + Ip6.PAYLOAD_LENGTH);
    if ((ip.protocol == Ip6.PROTO_TCP || ip.protocol == Ip6.PROTO_UDP) && ip.upperLength >= 4) {
      srcPort = buf.getUnsignedShort(ip.upperIndex);
      dstPort = buf.getUnsignedShort(ip.upperIndex + 2);
    }
    if (ip.protocol == Ip6.PROTO_TCP && ip.upperLength >= 8) {
      hasSeq = true;
      seq = buf.getInt(ip.upperIndex + 4);
    }
    return null;
  }

  public boolean hasPorts() {
    return srcPort >= 0;
  }

  /** True when the pointer of a Parameter Problem names the nonce option (RFC 6744 §6). */
  public boolean isNonceAt(int pointer) {
    return ip.hasNonce() && pointer == ip.nonceOffset;
  }
}

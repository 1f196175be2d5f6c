package org.ilnp4j.wire;

import io.netty.buffer.ByteBuf;
import org.ilnp4j.util.DropReason;

/** The UDP header (RFC 768, RFC 8200 §8.1) at an absolute index of a buffer. */
public final class Udp {
  public static final int HEADER_BYTES = 8;
  public static final int CHECKSUM_OFFSET = 6;

  private Udp() {}

  /** Appends the header at the writer index, checksum zero. */
  public static void write(ByteBuf out, int srcPort, int dstPort, int payloadLength) {
    out.writeShort(srcPort);
    out.writeShort(dstPort);
    out.writeShort(HEADER_BYTES + payloadLength);
    out.writeShort(0);
  }

  /**
   * Validates the lengths of the datagram in {@code v} and cuts {@code v.upperLength} to UDP's own
   * length, which is what the checksum covers; octets behind it are not the datagram's (RFC 9868
   * keeps options there). A zero checksum is not allowed over IPv6. The checksum is the caller's to
   * verify, as the rule depends on the session.
   */
  public static DropReason check(PacketView v) {
    if (v.upperLength < HEADER_BYTES) {
      return DropReason.UDP_TRUNCATED;
    }
    int length = v.buf.getUnsignedShort(v.upperIndex + 4);
    if (length < HEADER_BYTES || length > v.upperLength) {
      return DropReason.UDP_TRUNCATED;
    }
    if (v.buf.getShort(v.upperIndex + CHECKSUM_OFFSET) == 0) {
      return DropReason.UDP_CHECKSUM;
    }
    v.upperLength = length;
    return null;
  }

  public static int srcPort(ByteBuf buf, int index) {
    return buf.getUnsignedShort(index);
  }

  public static int dstPort(ByteBuf buf, int index) {
    return buf.getUnsignedShort(index + 2);
  }
}

package org.ilnp4j.wire;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;

/** Builds IPv6 packets with extension headers of any kind, legal or not, for parser tests. */
final class Packets {
  private final ByteBuf buf = Unpooled.buffer();
  private int nextHeaderAt = Ip6.NEXT_HEADER;

  private Packets(long dstL64) {
    Ip6.write(buf, 0, 0, 0, 64, SpecPackets.MN_OLD, SpecPackets.MN, dstL64, SpecPackets.CN);
  }

  static Packets packet() {
    return new Packets(SpecPackets.CN_L64);
  }

  static Packets multicastPacket() {
    return new Packets(0xff02_0000_0000_0000L);
  }

  /** Appends an extension header; {@code body} follows the next-header octet. */
  Packets ext(int type, String body) {
    buf.setByte(nextHeaderAt, type);
    nextHeaderAt = buf.writerIndex();
    buf.writeByte(0);
    buf.writeBytes(Hex.bytes(body));
    return this;
  }

  /** Appends a Destination Options header; the length octet is computed, padding is not. */
  Packets destOpts(String options) {
    return options(Ip6.PROTO_DEST_OPTS, options);
  }

  Packets hopByHop(String options) {
    return options(Ip6.PROTO_HOP_BY_HOP, options);
  }

  private Packets options(int type, String options) {
    int bytes = 2 + Hex.bytes(options).length;
    if (bytes % 8 != 0) {
      throw new IllegalArgumentException("options header of " + bytes + " octets");
    }
    return ext(type, String.format("%02x", bytes / 8 - 1) + options);
  }

  /** Ends with an upper layer of the given octets and returns a buffer without spare capacity. */
  ByteBuf upper(int protocol, String body) {
    buf.setByte(nextHeaderAt, protocol);
    buf.writeBytes(Hex.bytes(body));
    buf.setShort(Ip6.PAYLOAD_LENGTH, buf.readableBytes() - Ip6.HEADER_BYTES);
    byte[] exact = new byte[buf.readableBytes()];
    buf.readBytes(exact);
    return Unpooled.wrappedBuffer(exact);
  }

  /** Ends with eight octets of UDP. */
  ByteBuf udp() {
    return upper(Ip6.PROTO_UDP, "0001 0002 0008 ffff");
  }
}

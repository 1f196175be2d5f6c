package org.ilnp4j.wire;

import io.netty.buffer.ByteBuf;

/** The fixed IPv6 header (RFC 8200 §3) at an absolute index of a buffer. */
public final class Ip6 {
  public static final int HEADER_BYTES = 40;
  public static final int MIN_MTU = 1280;

  /** The ECN field (RFC 3168 §5): the low two bits of the traffic class. */
  public static final int ECN_ECT1 = 1;

  public static final int ECN_ECT0 = 2;
  public static final int ECN_CE = 3;

  public static final int PAYLOAD_LENGTH = 4;
  public static final int NEXT_HEADER = 6;
  public static final int HOP_LIMIT = 7;
  public static final int SRC_L64 = 8;
  public static final int SRC_NID = 16;
  public static final int DST_L64 = 24;
  public static final int DST_NID = 32;

  public static final int PROTO_HOP_BY_HOP = 0;
  public static final int PROTO_TCP = 6;
  public static final int PROTO_UDP = 17;
  public static final int PROTO_ROUTING = 43;
  public static final int PROTO_FRAGMENT = 44;
  public static final int PROTO_ESP = 50;
  public static final int PROTO_AH = 51;
  public static final int PROTO_ICMP6 = 58;
  public static final int PROTO_NONE = 59;
  public static final int PROTO_DEST_OPTS = 60;

  private Ip6() {}

  /** Appends the 40 octets at the writer index. Payload length counts everything after them. */
  public static void write(
      ByteBuf out,
      int trafficClass,
      int payloadLength,
      int nextHeader,
      int hopLimit,
      long srcL64,
      long srcNid,
      long dstL64,
      long dstNid) {
    out.writeInt(0x6000_0000 | trafficClass << 20);
    out.writeShort(payloadLength);
    out.writeByte(nextHeader);
    out.writeByte(hopLimit);
    out.writeLong(srcL64);
    out.writeLong(srcNid);
    out.writeLong(dstL64);
    out.writeLong(dstNid);
  }

  /**
   * Completes the packet in the readable bytes of {@code packet}, whose only extension headers are
   * those already written: fills in the payload length and the upper layer's checksum.
   *
   * @param upperIndex absolute index of the upper-layer header
   * @param checksumOffset of the checksum field within it; the field holds zero
   * @param nidOnly true for ILNP transport: Locators are left out of the pseudo-header
   */
  public static void complete(
      ByteBuf packet, int upperIndex, int protocol, int checksumOffset, boolean nidOnly) {
    int start = packet.readerIndex();
    int upperLength = packet.writerIndex() - upperIndex;
    packet.setShort(start + PAYLOAD_LENGTH, packet.readableBytes() - HEADER_BYTES);
    long sum =
        pseudoHeader(packet, upperLength, protocol, nidOnly)
            + Checksum.sum(packet, upperIndex, upperLength);
    int checksum = Checksum.finish(sum);
    if (checksum == 0 && protocol == PROTO_UDP) {
      checksum = 0xffff; // zero would mean "none" (RFC 8200 §8.1)
    }
    packet.setShort(upperIndex + checksumOffset, checksum);
  }

  /**
   * Completes headers whose packet a device will complete: fills in the payload length, and as
   * checksum the folded sum of the pseudo-header alone.
   *
   * @param head headers in the readable bytes
   * @param upperIndex absolute index of the upper-layer header
   * @param payloadBytes that will stand behind {@code head}
   */
  public static void completePartly(
      ByteBuf head,
      int upperIndex,
      int payloadBytes,
      int protocol,
      int checksumOffset,
      boolean nidOnly) {
    int start = head.readerIndex();
    int upperLength = head.writerIndex() - upperIndex + payloadBytes;
    head.setShort(start + PAYLOAD_LENGTH, head.readableBytes() - HEADER_BYTES + payloadBytes);
    long sum = pseudoHeader(head, upperLength, protocol, nidOnly);
    head.setShort(upperIndex + checksumOffset, Checksum.fold(sum));
  }

  /** Sum over the pseudo-header of a packet, of its NIDs alone or with the Locators. */
  private static long pseudoHeader(ByteBuf packet, int upperLength, int protocol, boolean nidOnly) {
    int start = packet.readerIndex();
    return Checksum.pseudoHeader(
        nidOnly ? 0 : packet.getLong(start + SRC_L64),
        packet.getLong(start + SRC_NID),
        nidOnly ? 0 : packet.getLong(start + DST_L64),
        packet.getLong(start + DST_NID),
        upperLength,
        protocol);
  }

  /** The ECN field of a traffic class. */
  public static int ecn(int trafficClass) {
    return trafficClass & 3;
  }

  /** True for ff00::/8. */
  public static boolean isMulticast(long l64) {
    return l64 >>> 56 == 0xff;
  }

  /** True for fe80::/10. */
  public static boolean isLinkLocal(long l64) {
    return l64 >>> 54 == 0xfe80 >>> 6;
  }

  /**
   * True when packets to addresses with these upper 64 bits can leave the link: not multicast, not
   * link-local, not ::/64 (unspecified, loopback, IPv4-mapped). Only such may serve as a Locator.
   */
  public static boolean isRoutable(long l64) {
    return l64 != 0 && !isMulticast(l64) && !isLinkLocal(l64);
  }

  /** True for :: and ::1. */
  public static boolean isUnspecifiedOrLoopback(long l64, long nid) {
    return l64 == 0 && (nid == 0 || nid == 1);
  }
}

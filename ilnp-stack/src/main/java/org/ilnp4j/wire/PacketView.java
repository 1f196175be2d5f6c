package org.ilnp4j.wire;

import io.netty.buffer.ByteBuf;
import org.ilnp4j.util.DropReason;

/**
 * One received IPv6 packet: fixed header, extension headers walked (RFC 8200 §4), nonce found.
 * Reused from packet to packet; holds no reference count. All indexes are absolute in {@link #buf}.
 */
public final class PacketView {
  /** More extension headers or options than this are refused: no sane packet has them. */
  static final int MAX_EXTENSION_HEADERS = 8;

  static final int MAX_OPTIONS = 16;

  public ByteBuf buf;

  /** Index of the IPv6 header. */
  public int start;

  /** Octets of the packet as its own length field says; anything behind is padding. */
  public int length;

  public int trafficClass;
  public int hopLimit;
  public long srcL64;
  public long srcNid;
  public long dstL64;
  public long dstNid;

  /** Upper-layer protocol number, after all extension headers. */
  public int protocol;

  public int upperIndex;
  public int upperLength;

  /** 0 without nonce, else 4 or 12. */
  public int nonceLength;

  public int nonceHigh;
  public long nonceLow;

  /** Offset of the nonce option's type octet from the IPv6 header, or 0. */
  public int nonceOffset;

  /** For a drop that calls for an ICMPv6 Parameter Problem: its code (0, 1, 2), else -1. */
  public int problemCode;

  /** The offset from the IPv6 header that the Parameter Problem must name. */
  public int problemPointer;

  /**
   * The checksum is not complete, but the packet has never left the machine, or whoever received it
   * has checked it.
   */
  public boolean checksumVouched;

  /** Octets of payload in the segments this one was put together from; 0 when it is as it came. */
  public int segmentBytes;

  private int options;

  public boolean hasNonce() {
    return nonceLength != 0;
  }

  /** Parses the packet in the buffer's readable bytes; returns null when it may be processed. */
  public DropReason parse(ByteBuf packet) {
    return parse(packet, packet.readerIndex(), packet.readableBytes(), false);
  }

  /**
   * Parses a packet quoted in an ICMPv6 error, of which {@code available} octets are there from the
   * absolute {@code index}: less than its length field says is no fault.
   */
  DropReason parseQuoted(ByteBuf quoting, int index, int available) {
    return parse(quoting, index, available, true);
  }

  private DropReason parse(ByteBuf packet, int index, int available, boolean mayBeCut) {
    reset(packet, index);
    if (available < Ip6.HEADER_BYTES) {
      return DropReason.IP_TRUNCATED;
    }
    int first = packet.getInt(start);
    if (first >>> 28 != 6) {
      return DropReason.IP_BAD_VERSION;
    }
    int claimed = Ip6.HEADER_BYTES + packet.getUnsignedShort(start + Ip6.PAYLOAD_LENGTH);
    if (claimed > available && !mayBeCut) {
      return DropReason.IP_BAD_LENGTH;
    }
    length = Math.min(claimed, available);
    trafficClass = first >>> 20 & 0xff;
    hopLimit = packet.getUnsignedByte(start + Ip6.HOP_LIMIT);
    srcL64 = packet.getLong(start + Ip6.SRC_L64);
    srcNid = packet.getLong(start + Ip6.SRC_NID);
    dstL64 = packet.getLong(start + Ip6.DST_L64);
    dstNid = packet.getLong(start + Ip6.DST_NID);
    // RFC 4291 §2.5.2, §2.5.3, §2.7: addresses that no packet on a link may have.
    if (Ip6.isMulticast(srcL64) || (srcL64 == 0 && srcNid == 1)) {
      return DropReason.IP_BAD_SOURCE;
    }
    if (Ip6.isUnspecifiedOrLoopback(dstL64, dstNid)) {
      return DropReason.IP_NOT_FOR_US;
    }
    DropReason bad =
        walk(packet.getUnsignedByte(start + Ip6.NEXT_HEADER), start + Ip6.HEADER_BYTES);
    if (bad == null && srcL64 == 0 && srcNid == 0 && protocol != Ip6.PROTO_ICMP6) {
      // Only Neighbour Discovery speaks before it has an address.
      return DropReason.IP_BAD_SOURCE;
    }
    return bad;
  }

  /** Nothing of the packet before may shine through when this one is refused half way. */
  private void reset(ByteBuf packet, int index) {
    buf = packet;
    start = index;
    length = 0;
    trafficClass = 0;
    hopLimit = 0;
    srcL64 = 0;
    srcNid = 0;
    dstL64 = 0;
    dstNid = 0;
    protocol = Ip6.PROTO_NONE;
    upperIndex = index;
    upperLength = 0;
    nonceLength = 0;
    nonceHigh = 0;
    nonceLow = 0;
    nonceOffset = 0;
    problemCode = -1;
    problemPointer = 0;
    checksumVouched = false;
    segmentBytes = 0;
    options = 0;
  }

  private DropReason walk(int nextHeader, int index) {
    int end = start + length;
    int nextHeaderAt = Ip6.NEXT_HEADER;
    int next = nextHeader;
    int at = index;
    for (int n = 0; n <= MAX_EXTENSION_HEADERS; n++) {
      if (isUpperLayer(next)) {
        protocol = next;
        upperIndex = at;
        upperLength = end - at;
        return null;
      }
      if (!isExtension(next)) {
        return problem(Icmp6.UNKNOWN_NEXT_HEADER, nextHeaderAt, DropReason.EXT_UNKNOWN_HEADER);
      }
      if (next == Ip6.PROTO_HOP_BY_HOP && n > 0) {
        // Hop-by-hop is allowed directly behind the IPv6 header only (RFC 8200 §4.1).
        return problem(Icmp6.UNKNOWN_NEXT_HEADER, nextHeaderAt, DropReason.EXT_BAD_ORDER);
      }
      if (end - at < 8) {
        return DropReason.EXT_TRUNCATED;
      }
      int bytes = next == Ip6.PROTO_FRAGMENT ? 8 : 8 + 8 * buf.getUnsignedByte(at + 1);
      if (bytes > end - at) {
        return DropReason.EXT_TRUNCATED;
      }
      DropReason bad =
          switch (next) {
            case Ip6.PROTO_ROUTING -> routing(at);
            case Ip6.PROTO_FRAGMENT -> fragment(at);
            default -> options(next, at + 2, at + bytes);
          };
      if (bad != null) {
        return bad;
      }
      nextHeaderAt = at - start;
      next = buf.getUnsignedByte(at);
      at += bytes;
    }
    return DropReason.EXT_TOO_MANY;
  }

  private static boolean isUpperLayer(int protocol) {
    return switch (protocol) {
      case Ip6.PROTO_TCP, Ip6.PROTO_UDP, Ip6.PROTO_ICMP6, Ip6.PROTO_ESP, Ip6.PROTO_NONE -> true;
      default -> false;
    };
  }

  private static boolean isExtension(int protocol) {
    return switch (protocol) {
      case Ip6.PROTO_HOP_BY_HOP, Ip6.PROTO_DEST_OPTS, Ip6.PROTO_ROUTING, Ip6.PROTO_FRAGMENT -> true;
      default -> false;
    };
  }

  /** Offset 0 and no more fragments is an atomic fragment, processed as whole (RFC 6946). */
  private DropReason fragment(int at) {
    return (buf.getUnsignedShort(at + 2) & 0xfff9) == 0 ? null : DropReason.FRAGMENT;
  }

  /** Segments left must be 0 for a host that forwards nothing (RFC 8200 §4.4, RFC 5095). */
  private DropReason routing(int at) {
    if (buf.getUnsignedByte(at + 3) == 0) {
      return null;
    }
    return problem(Icmp6.ERRONEOUS_FIELD, at + 2 - start, DropReason.ROUTING_HEADER);
  }

  private DropReason options(int header, int from, int end) {
    int at = from;
    while (at < end) {
      int type = buf.getUnsignedByte(at);
      if (type == 0) { // Pad1
        at++;
        continue;
      }
      if (++options > MAX_OPTIONS) {
        return DropReason.EXT_TOO_MANY;
      }
      if (end - at < 2) {
        return DropReason.EXT_BAD_OPTION;
      }
      int size = 2 + buf.getUnsignedByte(at + 1);
      if (size > end - at) {
        return DropReason.EXT_BAD_OPTION;
      }
      DropReason bad = null;
      if (type == NonceOption.TYPE && header == Ip6.PROTO_DEST_OPTS) {
        bad = nonce(at, size - 2);
      } else if (type != 1) { // not PadN
        bad = unknownOption(type, at);
      }
      if (bad != null) {
        return bad;
      }
      at += size;
    }
    return null;
  }

  private DropReason nonce(int at, int size) {
    if (nonceLength != 0) {
      return DropReason.NONCE_TWICE;
    }
    if (size != NonceOption.SHORT && size != NonceOption.LONG) {
      return DropReason.NONCE_BAD_LENGTH;
    }
    nonceLength = size;
    nonceHigh = buf.getInt(at + 2);
    nonceLow = size == NonceOption.LONG ? buf.getLong(at + 6) : 0;
    nonceOffset = at - start;
    return null;
  }

  /** The two high bits of an option's type say what to do when it is unknown (RFC 8200 §4.2). */
  private DropReason unknownOption(int type, int at) {
    switch (type >>> 6) {
      case 0 -> {
        return null;
      }
      case 1 -> {}
      case 2 -> {
        // The one kind that is answered even when sent to many (RFC 4443 §2.4 e.3).
        problemCode = Icmp6.UNKNOWN_OPTION;
        problemPointer = at - start;
      }
      default -> problem(Icmp6.UNKNOWN_OPTION, at - start, DropReason.EXT_UNKNOWN_OPTION);
    }
    return DropReason.EXT_UNKNOWN_OPTION;
  }

  private DropReason problem(int code, int pointer, DropReason reason) {
    if (!Ip6.isMulticast(dstL64)) {
      problemCode = code;
      problemPointer = pointer;
    }
    return reason;
  }

  /** True when the checksum of the upper layer is right with the ordinary IPv6 pseudo-header. */
  public boolean isChecksumRight() {
    return checksumVouched || Checksum.isValid(sumIpv6());
  }

  /** Unfolded checksum sum of the upper layer with the ordinary IPv6 pseudo-header. */
  public long sumIpv6() {
    return Checksum.pseudoHeader(srcL64, srcNid, dstL64, dstNid, upperLength, protocol)
        + Checksum.sum(buf, upperIndex, upperLength);
  }

  /** Unfolded checksum sum of the upper layer with NIDs only (RFC 6741 §4.2). */
  public long sumNidOnly() {
    return Checksum.pseudoHeader(0, srcNid, 0, dstNid, upperLength, protocol)
        + Checksum.sum(buf, upperIndex, upperLength);
  }
}

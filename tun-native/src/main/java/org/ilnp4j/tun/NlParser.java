package org.ilnp4j.tun;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * Reads rtnetlink messages into records. A message is a slice from {@code nlmsghdr} to its end, in
 * native byte order. Total: a message that is too short or of another family gives null, an
 * attribute that overruns its message ends the walk.
 */
final class NlParser {
  private static final int IFINFO_BYTES = 16;
  private static final int IFADDR_BYTES = 8;
  private static final int RTMSG_BYTES = 12;
  private static final int NDMSG_BYTES = 12;

  static final int IFLA_ADDRESS = 1;
  static final int IFLA_IFNAME = 3;
  static final int IFLA_MTU = 4;
  static final int IFLA_TXQLEN = 13;
  static final int IFLA_OPERSTATE = 16;
  static final int IFLA_LINKINFO = 18;
  static final int IFLA_STATS64 = 23;
  static final int IFLA_INFO_KIND = 1;
  static final int IFA_ADDRESS = 1;
  static final int IFA_LOCAL = 2;
  static final int IFA_FLAGS = 8;
  static final int RTA_DST = 1;
  static final int RTA_OIF = 4;
  static final int RTA_GATEWAY = 5;
  static final int RTA_PRIORITY = 6;
  static final int RTA_TABLE = 15;
  static final int FRA_SRC = 2;
  static final int FRA_IIFNAME = 3;
  static final int FRA_PRIORITY = 6;
  static final int FRA_TABLE = 15;
  static final int FRA_PROTOCOL = 21;
  static final int NDA_DST = 1;
  static final int NDA_PROTOCOL = 12;
  static final int FIB_RULE_INVERT = 0x2;
  static final int NTF_PROXY = 0x08;

  private static final int NLA_TYPE_MASK = 0x3fff;

  private NlParser() {}

  /** A GETLINK answer or a link event; null if it is neither. */
  static Link link(ByteBuffer m) {
    int base = NlMessage.HEADER_BYTES;
    // Bridges repeat link messages for their ports with a family of their own: not about the link.
    if (m.limit() < base + IFINFO_BYTES || m.get(base) != 0) {
      return null;
    }
    ByteBuffer[] a = attributes(m, base + IFINFO_BYTES, IFLA_LINKINFO);
    String kind = "";
    if (a[IFLA_LINKINFO] != null) {
      kind = text(attributes(a[IFLA_LINKINFO], 0, IFLA_INFO_KIND)[IFLA_INFO_KIND]);
    }
    return new Link(
        m.getInt(base + 4),
        text(a[IFLA_IFNAME]),
        m.getInt(base + 8),
        u8(a[IFLA_OPERSTATE]),
        u32(a[IFLA_MTU]),
        u32(a[IFLA_TXQLEN]),
        mac(a[IFLA_ADDRESS]),
        kind);
  }

  /** The counters of a link, from a GETLINK answer; null if it has none. */
  static LinkCounters counters(ByteBuffer m) {
    int base = NlMessage.HEADER_BYTES;
    if (m.limit() < base + IFINFO_BYTES) {
      return null;
    }
    ByteBuffer s = attributes(m, base + IFINFO_BYTES, IFLA_STATS64)[IFLA_STATS64];
    return s == null || s.limit() < 8 * Long.BYTES
        ? null
        : new LinkCounters(
            m.getInt(base + 4), s.getLong(0), s.getLong(8), s.getLong(48), s.getLong(56));
  }

  /** An IPv6 address; null if it is not. */
  static LinkAddress address(ByteBuffer m) {
    int base = NlMessage.HEADER_BYTES;
    if (m.limit() < base + IFADDR_BYTES || m.get(base) != Native.AF_INET6) {
      return null;
    }
    ByteBuffer[] a = attributes(m, base + IFADDR_BYTES, IFA_FLAGS);
    // On point-to-point links IFA_ADDRESS is the peer and IFA_LOCAL our end.
    ByteBuffer own = a[IFA_LOCAL] != null ? a[IFA_LOCAL] : a[IFA_ADDRESS];
    Ip6Address address = ip6(own);
    if (address == null) {
      return null;
    }
    int flags = a[IFA_FLAGS] != null ? u32(a[IFA_FLAGS]) : m.get(base + 2) & 0xff;
    return new LinkAddress(m.getInt(base + 4), address, m.get(base + 1) & 0xff, flags);
  }

  /** An IPv6 route; null if it is not, or if it is only a cached copy. */
  static Route route(ByteBuffer m) {
    int base = NlMessage.HEADER_BYTES;
    if (m.limit() < base + RTMSG_BYTES || m.get(base) != Native.AF_INET6) {
      return null;
    }
    boolean cloned = (m.getInt(base + 8) & 0x200) != 0;
    if (cloned) {
      return null;
    }
    ByteBuffer[] a = attributes(m, base + RTMSG_BYTES, RTA_TABLE);
    Ip6Address destination = ip6(a[RTA_DST]);
    return new Route(
        destination == null ? Ip6Address.UNSPECIFIED : destination,
        m.get(base + 1) & 0xff,
        ip6(a[RTA_GATEWAY]),
        u32(a[RTA_OIF]),
        a[RTA_TABLE] != null ? u32(a[RTA_TABLE]) : m.get(base + 4) & 0xff,
        u32(a[RTA_PRIORITY]),
        m.get(base + 5) & 0xff);
  }

  /** An IPv6 rule; null if it is not. */
  static Rule rule(ByteBuffer m) {
    int base = NlMessage.HEADER_BYTES;
    if (m.limit() < base + RTMSG_BYTES || m.get(base) != Native.AF_INET6) {
      return null;
    }
    ByteBuffer[] a = attributes(m, base + RTMSG_BYTES, FRA_PROTOCOL);
    Ip6Address source = ip6(a[FRA_SRC]);
    return new Rule(
        u32(a[FRA_PRIORITY]),
        source == null ? Ip6Address.UNSPECIFIED : source,
        m.get(base + 2) & 0xff,
        text(a[FRA_IIFNAME]),
        (m.getInt(base + 8) & FIB_RULE_INVERT) != 0,
        Rule.Action.of(m.get(base + 7) & 0xff),
        a[FRA_TABLE] != null ? u32(a[FRA_TABLE]) : m.get(base + 4) & 0xff,
        u8(a[FRA_PROTOCOL]));
  }

  /** A proxy entry of IPv6; null if it is not. */
  static ProxyNeighbour proxy(ByteBuffer m) {
    int base = NlMessage.HEADER_BYTES;
    if (m.limit() < base + NDMSG_BYTES
        || m.get(base) != Native.AF_INET6
        || (m.get(base + 10) & NTF_PROXY) == 0) {
      return null;
    }
    ByteBuffer[] a = attributes(m, base + NDMSG_BYTES, NDA_PROTOCOL);
    Ip6Address address = ip6(a[NDA_DST]);
    return address == null
        ? null
        : new ProxyNeighbour(m.getInt(base + 4), address, u8(a[NDA_PROTOCOL]));
  }

  /**
   * The values of the attributes from {@code from} on, by type; types over {@code max} are left.
   */
  static ByteBuffer[] attributes(ByteBuffer m, int from, int max) {
    ByteBuffer[] values = new ByteBuffer[max + 1];
    int at = from;
    while (at + NlMessage.ATTRIBUTE_HEADER_BYTES <= m.limit()) {
      int length = m.getShort(at) & 0xffff;
      int type = m.getShort(at + 2) & NLA_TYPE_MASK;
      if (length < NlMessage.ATTRIBUTE_HEADER_BYTES || length > m.limit() - at) {
        break;
      }
      if (type <= max) {
        int header = NlMessage.ATTRIBUTE_HEADER_BYTES;
        values[type] = m.slice(at + header, length - header).order(m.order());
      }
      at += length + 3 & ~3;
    }
    return values;
  }

  /** The text up to the first zero; empty if the attribute is missing. */
  static String text(ByteBuffer value) {
    if (value == null) {
      return "";
    }
    int end = 0;
    while (end < value.limit() && value.get(end) != 0) {
      end++;
    }
    byte[] octets = new byte[end];
    value.get(0, octets);
    return new String(octets, StandardCharsets.UTF_8);
  }

  private static Ip6Address ip6(ByteBuffer value) {
    return value == null || value.limit() < Ip6Address.BYTES ? null : Ip6Address.read(value, 0);
  }

  private static int u32(ByteBuffer value) {
    return value == null || value.limit() < Integer.BYTES ? 0 : value.getInt(0);
  }

  private static int u8(ByteBuffer value) {
    return value == null || value.limit() < 1 ? 0 : value.get(0) & 0xff;
  }

  private static long mac(ByteBuffer value) {
    if (value == null || value.limit() != 6) {
      return 0;
    }
    long mac = 0;
    for (int i = 0; i < 6; i++) {
      mac = mac << 8 | (value.get(i) & 0xff);
    }
    return mac;
  }
}

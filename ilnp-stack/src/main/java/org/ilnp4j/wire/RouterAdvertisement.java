package org.ilnp4j.wire;

import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.List;
import org.ilnp4j.util.DropReason;

/**
 * A Router Advertisement (RFC 4861 §4.2) with the options a mobile node acts on.
 *
 * @param curHopLimit 0 to 255, 0 = unspecified
 * @param flags the octet as sent: M 0x80, O 0x40, ...
 * @param routerLifetimeSeconds 0 to 65535; 0 = not a default router
 * @param prefixes in the order announced
 * @param mtu of the link, octets, or 0 when not announced
 * @param sourceLinkLayer 48-bit address of the router, or {@link #NO_LINK_LAYER}
 * @param advertisementIntervalMillis longest time between two multicast advertisements (RFC 6275
 *     §7.3), or 0 when not announced
 */
public record RouterAdvertisement(
    int curHopLimit,
    int flags,
    int routerLifetimeSeconds,
    List<PrefixInformation> prefixes,
    long mtu,
    long sourceLinkLayer,
    long advertisementIntervalMillis) {
  /** Octets without options. */
  public static final int MIN_BYTES = 16;

  /** No link-layer address was announced. */
  public static final long NO_LINK_LAYER = -1;

  /** What parsing gave: exactly one of the two is null. */
  public record Parsed(DropReason drop, RouterAdvertisement advertisement) {
    private static Parsed bad(DropReason drop) {
      return new Parsed(drop, null);
    }
  }

  public RouterAdvertisement {
    check("hop limit", curHopLimit, 0xff);
    check("flags", flags, 0xff);
    check("router lifetime", routerLifetimeSeconds, 0xffff);
    check("MTU", mtu, 0xffff_ffffL);
    check("interval", advertisementIntervalMillis, 0xffff_ffffL);
    prefixes = List.copyOf(prefixes);
  }

  private static void check(String what, long value, long max) {
    if (value < 0 || value > max) {
      throw new IllegalArgumentException(what + " " + value + " of a router advertisement");
    }
  }

  /** An advertisement of just one Locator, both lifetimes equal. */
  public static RouterAdvertisement ofLocator(
      long l64, long lifetimeSeconds, int routerLifetimeSeconds, long advertisementIntervalMillis) {
    return new RouterAdvertisement(
        64,
        0,
        routerLifetimeSeconds,
        List.of(PrefixInformation.locator(l64, lifetimeSeconds, lifetimeSeconds)),
        0,
        NO_LINK_LAYER,
        advertisementIntervalMillis);
  }

  /** What the IPv6 header must show (RFC 4861 §6.1.2): sent by a neighbour, from link-local. */
  public static DropReason checkSender(int hopLimit, long srcL64) {
    if (hopLimit != 255) {
      return DropReason.RA_HOP_LIMIT;
    }
    return Ip6.isLinkLocal(srcL64) ? null : DropReason.RA_SOURCE;
  }

  /**
   * Parses {@code length} octets at absolute {@code index}, which begin with the ICMPv6 type.
   * Options of other types are skipped.
   */
  public static Parsed parse(ByteBuf buf, int index, int length) {
    if (length < MIN_BYTES) {
      return Parsed.bad(DropReason.RA_TRUNCATED);
    }
    if (Icmp6.code(buf, index) != 0) {
      return Parsed.bad(DropReason.ICMP_UNKNOWN_TYPE);
    }
    List<PrefixInformation> prefixes = new ArrayList<>(2);
    long mtu = 0;
    long linkLayer = NO_LINK_LAYER;
    long interval = 0;
    int end = index + length;
    int at = index + MIN_BYTES;
    for (int n = 0; at < end; n++) {
      int bytes = NdOption.bytes(buf, at, end);
      if (bytes < 0 || n == NdOption.MAX_OPTIONS) {
        return Parsed.bad(DropReason.RA_BAD_OPTION);
      }
      boolean malformed = false;
      switch (buf.getUnsignedByte(at)) {
        case NdOption.PREFIX_INFORMATION -> {
          malformed = bytes != PrefixInformation.BYTES || buf.getUnsignedByte(at + 2) > 128;
          if (!malformed) {
            prefixes.add(prefix(buf, at));
          }
        }
        case NdOption.MTU -> {
          malformed = bytes != 8;
          mtu = buf.getUnsignedInt(at + 4);
        }
        case NdOption.ADVERTISEMENT_INTERVAL -> {
          malformed = bytes != 8;
          interval = buf.getUnsignedInt(at + 4);
        }
        // Other links than Ethernet have longer addresses, which nothing here can use.
        case NdOption.SOURCE_LINK_LAYER ->
            linkLayer = bytes == 8 ? NdOption.linkLayer(buf, at) : NO_LINK_LAYER;
        default -> {}
      }
      if (malformed) {
        return Parsed.bad(DropReason.RA_BAD_OPTION);
      }
      at += bytes;
    }
    return new Parsed(
        null,
        new RouterAdvertisement(
            buf.getUnsignedByte(index + 4),
            buf.getUnsignedByte(index + 5),
            buf.getUnsignedShort(index + 6),
            prefixes,
            mtu,
            linkLayer,
            interval));
  }

  private static PrefixInformation prefix(ByteBuf buf, int at) {
    int flags = buf.getUnsignedByte(at + 3);
    return new PrefixInformation(
        buf.getUnsignedByte(at + 2),
        (flags & 0x80) != 0,
        (flags & 0x40) != 0,
        buf.getUnsignedInt(at + 4),
        buf.getUnsignedInt(at + 8),
        buf.getLong(at + 16));
  }

  /** Octets {@link #write} will produce. */
  public int bytes() {
    return MIN_BYTES
        + (sourceLinkLayer == NO_LINK_LAYER ? 0 : 8)
        + (mtu == 0 ? 0 : 8)
        + PrefixInformation.BYTES * prefixes.size()
        + (advertisementIntervalMillis == 0 ? 0 : 8);
  }

  /** Appends the message at the writer index, checksum zero, reachable and retrans timers 0. */
  public void write(ByteBuf out) {
    Icmp6.write(
        out,
        Icmp6.ROUTER_ADVERTISEMENT,
        0,
        curHopLimit << 24 | flags << 16 | routerLifetimeSeconds);
    out.writeLong(0);
    if (sourceLinkLayer != NO_LINK_LAYER) {
      NdOption.writeSourceLinkLayer(out, sourceLinkLayer);
    }
    if (mtu != 0) {
      out.writeInt(NdOption.MTU << 24 | 1 << 16);
      out.writeInt((int) mtu);
    }
    for (PrefixInformation p : prefixes) {
      out.writeByte(NdOption.PREFIX_INFORMATION);
      out.writeByte(PrefixInformation.BYTES / 8);
      out.writeByte(p.prefixLength());
      out.writeByte((p.onLink() ? 0x80 : 0) | (p.autonomous() ? 0x40 : 0));
      out.writeInt((int) p.validSeconds());
      out.writeInt((int) p.preferredSeconds());
      out.writeInt(0);
      out.writeLong(p.l64());
      out.writeLong(0);
    }
    if (advertisementIntervalMillis != 0) {
      out.writeInt(NdOption.ADVERTISEMENT_INTERVAL << 24 | 1 << 16);
      out.writeInt((int) advertisementIntervalMillis);
    }
  }
}

package org.ilnp4j.tun;

import static org.ilnp4j.tun.Native.LIBC;

import java.io.Closeable;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * A raw ICMPv6 socket on one uplink that hears router advertisements and sends router solicitations
 * (RFC 4861 §4.1, §4.2). Works whether or not the host forwards packets, beside the kernel's own
 * processing. The kernel has checked the ICMPv6 checksum.
 *
 * <p>Non-blocking: register {@link #fd()} with epoll and call {@link #receive} until it returns
 * {@link Verdict#NOTHING}. Not thread-safe. Needs CAP_NET_RAW to open.
 */
public final class Icmp6Socket implements Closeable {
  /** What {@link #receive} found. Everything but {@link #ACCEPTED} and NOTHING is a drop. */
  public enum Verdict {
    /** No packet is waiting. */
    NOTHING,
    /** A router advertisement that passed the checks of RFC 4861 §6.1.2 on the IPv6 header. */
    ACCEPTED,
    /** Hop limit not 255: it may come from another link. */
    WRONG_HOP_LIMIT,
    /** The source is not a link-local address. */
    SOURCE_NOT_LINK_LOCAL,
    /**
     * Longer than the caller's memory, shorter than a router advertisement, or without metadata.
     */
    BAD_LENGTH
  }

  private static final int IPPROTO_IPV6 = 41;
  private static final int IPPROTO_ICMPV6 = 58;
  private static final int ICMP6_FILTER = 1;
  private static final int IPV6_MULTICAST_IF = 17;
  private static final int IPV6_MULTICAST_HOPS = 18;
  private static final int IPV6_RECVHOPLIMIT = 51;
  private static final int IPV6_HOPLIMIT = 52;
  private static final int TYPE_ROUTER_SOLICITATION = 133;
  private static final int TYPE_ROUTER_ADVERTISEMENT = 134;
  private static final int MIN_ADVERTISEMENT_BYTES = 16;
  private static final int HOP_LIMIT = 255;
  private static final Ip6Address ALL_ROUTERS = Ip6Address.parse("ff02::2");

  // struct msghdr of a 64-bit system, followed by what it points to
  private static final int MSGHDR_BYTES = 56;
  private static final int IOV = MSGHDR_BYTES;
  private static final int NAME = IOV + 16;
  private static final int SOCKADDR_IN6_BYTES = 28;
  private static final int CONTROL = NAME + 32;
  private static final int CONTROL_BYTES = 64;
  private static final int CMSGHDR_BYTES = 16;
  private static final int PAYLOAD = CONTROL + CONTROL_BYTES;
  private static final int SOLICITATION_BYTES = 16;

  private final ByteBuffer header = Native.allocate(PAYLOAD + SOLICITATION_BYTES);
  private final long headerAddress = Native.address(header);
  private final Link link;
  private int fd;
  private int length;
  private Ip6Address source = Ip6Address.UNSPECIFIED;
  private int hopLimit;

  private Icmp6Socket(int fd, Link link) {
    this.fd = fd;
    this.link = link;
  }

  /** Opens the socket, bound to the uplink for receiving and sending. */
  public static Icmp6Socket open(Link uplink) throws LinuxException {
    int type = Native.SOCK_RAW | Native.SOCK_NONBLOCK | Native.SOCK_CLOEXEC;
    int fd = Native.socket(Native.AF_INET6, type, IPPROTO_ICMPV6, "raw ICMPv6 socket");
    // A set bit blocks a type: pass router advertisements only. The bits are in 32-bit host words.
    ByteBuffer filter = ByteBuffer.allocate(32).order(ByteOrder.nativeOrder());
    for (int word = 0; word < 8; word++) {
      int pass = word == TYPE_ROUTER_ADVERTISEMENT >> 5 ? 1 << (TYPE_ROUTER_ADVERTISEMENT & 31) : 0;
      filter.putInt(4 * word, ~pass);
    }
    byte[] name = InterfaceName.octets(uplink.name());
    boolean ok =
        Native.setOption(fd, IPPROTO_ICMPV6, ICMP6_FILTER, filter.array())
            && Native.setOption(fd, Native.SOL_SOCKET, Native.SO_BINDTODEVICE, name)
            && Native.setOption(fd, IPPROTO_IPV6, IPV6_RECVHOPLIMIT, 1)
            && Native.setOption(fd, IPPROTO_IPV6, IPV6_MULTICAST_HOPS, HOP_LIMIT)
            && Native.setOption(fd, IPPROTO_IPV6, IPV6_MULTICAST_IF, uplink.index());
    if (!ok) {
      LinuxException e = Native.failure("set up raw ICMPv6 socket on", uplink.name());
      LIBC.close(fd);
      throw e;
    }
    return new Icmp6Socket(fd, uplink);
  }

  /** The descriptor, for epoll; -1 after close. Owned by this object. */
  public int fd() {
    return fd;
  }

  /** The uplink as it was when the socket was opened. */
  public Link link() {
    return link;
  }

  /**
   * Reads one message to memory at {@code address}, from the ICMPv6 type field on. {@link
   * #length()}, {@link #source()} and {@link #hopLimit()} tell of it until the next call.
   *
   * @param capacity octets available there
   */
  public Verdict receive(long address, int capacity) throws LinuxException {
    while (true) {
      prepare(address, capacity, CONTROL_BYTES);
      long n = LIBC.recvmsg(fd, headerAddress, 0);
      if (n >= 0) {
        Reference.reachabilityFence(header);
        length = (int) n;
        return judge();
      }
      int errno = Native.errno();
      switch (errno) {
        case Errno.EAGAIN -> {
          return Verdict.NOTHING;
        }
        // The kernel reports once that the interface went down; the socket stays good.
        case Errno.EINTR, Errno.ENETDOWN -> {}
        default -> throw new LinuxException("read router advertisement on", link.name(), errno);
      }
    }
  }

  /** Octets of the last message. */
  public int length() {
    return length;
  }

  /** Source of the last message. */
  public Ip6Address source() {
    return source;
  }

  /** Hop limit of the last message, -1 if the kernel did not tell. */
  public int hopLimit() {
    return hopLimit;
  }

  /**
   * Asks all routers of the link to advertise themselves at once. The source is the link-local
   * address, the hop limit 255; the link-layer address is added if the uplink has one.
   *
   * @return false if it could not be sent now: the link is down, or has no link-local address that
   *     passed duplicate address detection yet, or its queue is full. Try again later
   */
  public boolean sendRouterSolicitation() throws LinuxException {
    int bytes = writeSolicitation();
    prepare(headerAddress + PAYLOAD, bytes, 0);
    header.putShort(NAME, (short) Native.AF_INET6);
    putOctets(NAME + 8, ALL_ROUTERS.octets());
    header.putInt(NAME + 24, link.index());
    while (true) {
      if (LIBC.sendmsg(fd, headerAddress, 0) >= 0) {
        Reference.reachabilityFence(header);
        return true;
      }
      int errno = Native.errno();
      switch (errno) {
        case Errno.EINTR -> {}
        case Errno.EAGAIN,
            Errno.ENOBUFS,
            Errno.ENODEV,
            Errno.ENXIO,
            Errno.ENETDOWN,
            Errno.ENETUNREACH,
            Errno.EADDRNOTAVAIL,
            Errno.EHOSTUNREACH -> {
          return false;
        }
        default -> throw new LinuxException("send router solicitation on", link.name(), errno);
      }
    }
  }

  /** Type, code, checksum (the kernel fills it in), reserved, source link-layer address option. */
  private int writeSolicitation() {
    header.putInt(PAYLOAD, 0).putInt(PAYLOAD + 4, 0);
    header.put(PAYLOAD, (byte) TYPE_ROUTER_SOLICITATION);
    if (!link.hasMac()) {
      return 8;
    }
    header.put(PAYLOAD + 8, (byte) 1).put(PAYLOAD + 9, (byte) 1);
    putOctets(PAYLOAD + 10, link.macOctets());
    return SOLICITATION_BYTES;
  }

  private void putOctets(int index, byte[] octets) {
    header.put(index, octets);
  }

  /** Fills in msghdr and iovec, and clears address and control data. */
  private void prepare(long data, int bytes, int controlBytes) {
    for (int i = 0; i < PAYLOAD; i += Long.BYTES) {
      header.putLong(i, 0);
    }
    header.putLong(0, headerAddress + NAME).putInt(8, SOCKADDR_IN6_BYTES);
    header.putLong(16, headerAddress + IOV).putLong(24, 1);
    header.putLong(32, controlBytes == 0 ? 0 : headerAddress + CONTROL).putLong(40, controlBytes);
    header.putLong(IOV, data).putLong(IOV + 8, bytes);
  }

  private Verdict judge() {
    source = Ip6Address.read(header, NAME + 8);
    hopLimit = controlHopLimit();
    boolean cut = (header.getInt(48) & (Native.MSG_TRUNC | Native.MSG_CTRUNC)) != 0;
    if (cut || hopLimit < 0 || length < MIN_ADVERTISEMENT_BYTES) {
      return Verdict.BAD_LENGTH;
    }
    if (hopLimit != HOP_LIMIT) {
      return Verdict.WRONG_HOP_LIMIT;
    }
    return source.isLinkLocal() ? Verdict.ACCEPTED : Verdict.SOURCE_NOT_LINK_LOCAL;
  }

  private int controlHopLimit() {
    long end = CONTROL + Math.min(header.getLong(40), CONTROL_BYTES);
    long at = CONTROL;
    while (at + CMSGHDR_BYTES + Integer.BYTES <= end) {
      int i = (int) at;
      long size = header.getLong(i);
      if (header.getInt(i + 8) == IPPROTO_IPV6 && header.getInt(i + 12) == IPV6_HOPLIMIT) {
        return header.getInt(i + CMSGHDR_BYTES);
      }
      if (size < CMSGHDR_BYTES || size > end - at) {
        break;
      }
      at += size + 7 & ~7L;
    }
    return -1;
  }

  @Override
  public void close() {
    if (fd >= 0) {
      LIBC.close(fd);
      fd = -1;
    }
  }
}

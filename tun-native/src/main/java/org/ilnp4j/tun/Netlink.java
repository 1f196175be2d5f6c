package org.ilnp4j.tun;

import static org.ilnp4j.tun.Native.LIBC;

import java.io.Closeable;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;

/**
 * Reads and changes the kernel's interfaces, IPv6 addresses, routes, rules and proxy neighbours
 * through route netlink (rtnetlink(7)). Each call is one synchronous exchange of some ten
 * microseconds; dumps grow with the table.
 *
 * <p>Adding what is there and deleting what is not are no errors: those methods return false, so
 * that callers can reconcile. Everything else that fails is a {@link LinuxException} with the
 * kernel's own explanation where it gives one.
 *
 * <p>Not thread-safe. Acts in the network namespace of the thread that opened it.
 */
public final class Netlink implements Closeable {
  /** Marks the routes, rules and proxy entries that are ours ({@code proto 176}). */
  public static final int PROTOCOL = 0xb0;

  private static final int RT_SCOPE_UNIVERSE = 0;
  private static final int RT_SCOPE_LINK = 253;
  private static final int RTN_UNICAST = 1;
  private static final int RTN_UNSPEC = 0;
  private static final int NUD_PERMANENT = 0x80;

  private final NetlinkSocket socket;

  private Netlink(NetlinkSocket socket) {
    this.socket = socket;
  }

  /** Opens the socket. Needs no privilege; changes do (CAP_NET_ADMIN). */
  public static Netlink open() throws LinuxException {
    return new Netlink(NetlinkSocket.open());
  }

  // ---- interfaces

  /** All interfaces of this network namespace. */
  public List<Link> links() throws LinuxException {
    ifInfo(NlMessage.RTM_GETLINK, 0, 0, 0, 0);
    return socket.dump(NlParser::link, "interfaces");
  }

  /** The interface of that name, if there is one. */
  public Optional<Link> link(String name) throws LinuxException {
    InterfaceName.octets(name);
    return links().stream().filter(l -> l.name().equals(name)).findFirst();
  }

  /** The interface of that name; ENODEV if there is none. */
  public Link requireLink(String name) throws LinuxException {
    return link(name).orElseThrow(() -> new LinuxException("find interface", name, Errno.ENODEV));
  }

  /** The counters of an interface; ENODEV if there is none. */
  public LinkCounters counters(int link) throws LinuxException {
    ifInfo(NlMessage.RTM_GETLINK, 0, 0, 0, 0);
    return socket.dump(NlParser::counters, "interfaces").stream()
        .filter(c -> c.link() == link)
        .findFirst()
        .orElseThrow(() -> new LinuxException("find interface", "number " + link, Errno.ENODEV));
  }

  public void setUp(int link, boolean up) throws LinuxException {
    ifInfo(NlMessage.RTM_NEWLINK, 0, link, up ? Link.IFF_UP : 0, Link.IFF_UP);
    check(up ? "set up" : "set down", "link " + link);
  }

  public void setMtu(int link, int mtu) throws LinuxException {
    ifInfo(NlMessage.RTM_NEWLINK, 0, link, 0, 0).attribute(NlParser.IFLA_MTU, mtu);
    check("set MTU " + mtu + " of", "link " + link);
  }

  /**
   * Sets how many packets wait for a slow reader; the default of a TUN device (500) is less than
   * one burst of a fast sender.
   */
  public void setTxQueueLength(int link, int packets) throws LinuxException {
    ifInfo(NlMessage.RTM_NEWLINK, 0, link, 0, 0).attribute(NlParser.IFLA_TXQLEN, packets);
    check("set queue length " + packets + " of", "link " + link);
  }

  private NlMessage ifInfo(int type, int flags, int link, int ifFlags, int change) {
    return socket.begin(type, flags).u8(0).u8(0).u16(0).u32(link).u32(ifFlags).u32(change);
  }

  // ---- addresses

  /** All IPv6 addresses. */
  public List<LinkAddress> addresses() throws LinuxException {
    ifAddress(NlMessage.RTM_GETADDR, 0, 0, 0);
    return socket.dump(NlParser::address, "IPv6 addresses");
  }

  /** Adds an address, or changes its flags. */
  public void replaceAddress(LinkAddress a) throws LinuxException {
    int flags = NlMessage.NLM_F_CREATE | NlMessage.NLM_F_REPLACE;
    ifAddress(NlMessage.RTM_NEWADDR, flags, a.link(), a.prefixLength())
        .attribute(NlParser.IFA_LOCAL, a.address())
        .attribute(NlParser.IFA_ADDRESS, a.address())
        .attribute(NlParser.IFA_FLAGS, a.flags());
    check("add address", a + " on link " + a.link());
  }

  /** Adds an IPv4 or IPv6 address that can be used at once, or changes it. */
  public void addAddress(int link, IpPrefix address) throws LinuxException {
    int flags = NlMessage.NLM_F_CREATE | NlMessage.NLM_F_REPLACE;
    NlMessage m =
        socket
            .begin(NlMessage.RTM_NEWADDR, flags)
            .u8(address.isIp6() ? Native.AF_INET6 : Native.AF_INET)
            .u8(address.length())
            .u8(0)
            .u8(0)
            .u32(link)
            .attribute(NlParser.IFA_LOCAL, address.octets())
            .attribute(NlParser.IFA_ADDRESS, address.octets());
    if (address.isIp6()) {
      m.attribute(NlParser.IFA_FLAGS, LinkAddress.NODAD);
    }
    check("add address", address + " on link " + link);
  }

  /** Returns false if there was no such address. */
  public boolean deleteAddress(LinkAddress a) throws LinuxException {
    ifAddress(NlMessage.RTM_DELADDR, 0, a.link(), a.prefixLength())
        .attribute(NlParser.IFA_LOCAL, a.address())
        .attribute(NlParser.IFA_ADDRESS, a.address());
    return checkUnless(Errno.EADDRNOTAVAIL, "delete address", a + " on link " + a.link());
  }

  private NlMessage ifAddress(int type, int flags, int link, int prefixLength) {
    return socket.begin(type, flags).u8(Native.AF_INET6).u8(prefixLength).u8(0).u8(0).u32(link);
  }

  // ---- routes

  /** All IPv6 routes of all tables. */
  public List<Route> routes() throws LinuxException {
    socket.begin(NlMessage.RTM_GETROUTE, 0).u8(Native.AF_INET6).u8(0).u16(0).u32(0).u32(0);
    return socket.dump(NlParser::route, "IPv6 routes");
  }

  /** The IPv6 routes of one table; empty if there is no such table. */
  public List<Route> routes(int table) throws LinuxException {
    socket
        .begin(NlMessage.RTM_GETROUTE, 0)
        .u8(Native.AF_INET6)
        .u8(0)
        .u16(0)
        .u32(0)
        .u32(0)
        .attribute(NlParser.RTA_TABLE, table);
    // Kernels before 4.20 do not filter and send everything; newer ones miss a table that is empty.
    List<Route> all = socket.dumpUnless(Errno.ENOENT, NlParser::route, "IPv6 routes");
    return all.stream().filter(r -> r.table() == table).toList();
  }

  /** Adds a route, or replaces the one to the same destination with the same metric. */
  public void replaceRoute(Route r) throws LinuxException {
    int flags = NlMessage.NLM_F_CREATE | NlMessage.NLM_F_REPLACE;
    int scope = r.via() == null ? RT_SCOPE_LINK : RT_SCOPE_UNIVERSE;
    route(NlMessage.RTM_NEWROUTE, flags, r, scope, RTN_UNICAST);
    check("add route", r.toString());
  }

  /** Adds an IPv4 or IPv6 route of ours to a destination on a point-to-point link. */
  public void addRoute(int link, IpPrefix destination) throws LinuxException {
    NlMessage m =
        socket
            .begin(NlMessage.RTM_NEWROUTE, NlMessage.NLM_F_CREATE | NlMessage.NLM_F_REPLACE)
            .u8(destination.isIp6() ? Native.AF_INET6 : Native.AF_INET)
            .u8(destination.length())
            .u8(0)
            .u8(0)
            .u8(Route.TABLE_MAIN)
            .u8(PROTOCOL)
            .u8(RT_SCOPE_LINK)
            .u8(RTN_UNICAST)
            .u32(0)
            .attribute(NlParser.RTA_OIF, link);
    if (destination.length() > 0) {
      m.attribute(NlParser.RTA_DST, destination.octets());
    }
    check("add route", destination + " on link " + link);
  }

  /** Returns false if there was no such route. */
  public boolean deleteRoute(Route r) throws LinuxException {
    route(NlMessage.RTM_DELROUTE, 0, r, RT_SCOPE_UNIVERSE, RTN_UNSPEC);
    return checkUnless(Errno.ESRCH, "delete route", r.toString());
  }

  private void route(int type, int flags, Route r, int scope, int routeType) {
    // Tables beyond 255 do not fit the header; the attribute counts in any case.
    NlMessage m =
        socket
            .begin(type, flags)
            .u8(Native.AF_INET6)
            .u8(r.prefixLength())
            .u8(0)
            .u8(0)
            .u8(0)
            .u8(r.protocol())
            .u8(scope)
            .u8(routeType)
            .u32(0)
            .attribute(NlParser.RTA_TABLE, r.table());
    if (!r.isDefault()) {
      m.attribute(NlParser.RTA_DST, r.destination());
    }
    if (r.via() != null) {
      m.attribute(NlParser.RTA_GATEWAY, r.via());
    }
    if (r.link() != 0) {
      m.attribute(NlParser.RTA_OIF, r.link());
    }
    if (r.metric() != 0) {
      m.attribute(NlParser.RTA_PRIORITY, r.metric());
    }
  }

  // ---- rules

  /** All IPv6 rules. */
  public List<Rule> rules() throws LinuxException {
    socket.begin(NlMessage.RTM_GETRULE, 0).u8(Native.AF_INET6).u8(0).u16(0).u32(0).u32(0);
    return socket.dump(NlParser::rule, "IPv6 rules");
  }

  /** Returns false if the same rule was there. */
  public boolean addRule(Rule r) throws LinuxException {
    rule(NlMessage.RTM_NEWRULE, NlMessage.NLM_F_CREATE | NlMessage.NLM_F_EXCL, r);
    return checkUnless(Errno.EEXIST, "add rule", r.toString());
  }

  /** Returns false if there was no such rule. */
  public boolean deleteRule(Rule r) throws LinuxException {
    rule(NlMessage.RTM_DELRULE, 0, r);
    return checkUnless(Errno.ENOENT, "delete rule", r.toString());
  }

  private void rule(int type, int flags, Rule r) {
    NlMessage m =
        socket
            .begin(type, flags)
            .u8(Native.AF_INET6)
            .u8(0)
            .u8(r.sourceLength())
            .u8(0)
            .u8(0)
            .u8(0)
            .u8(0)
            .u8(r.action().code)
            .u32(r.inverted() ? NlParser.FIB_RULE_INVERT : 0)
            .attribute(NlParser.FRA_PRIORITY, r.priority())
            .attributeU8(NlParser.FRA_PROTOCOL, r.protocol());
    if (r.sourceLength() != 0) {
      m.attribute(NlParser.FRA_SRC, r.source());
    }
    if (!r.inputInterface().isEmpty()) {
      m.attribute(NlParser.FRA_IIFNAME, r.inputInterface());
    }
    if (r.table() != 0) {
      m.attribute(NlParser.FRA_TABLE, r.table());
    }
  }

  // ---- proxy neighbours

  /** All IPv6 proxy neighbour entries. */
  public List<ProxyNeighbour> proxies() throws LinuxException {
    neighbour(NlMessage.RTM_GETNEIGH, 0, 0, 0);
    return socket.dump(NlParser::proxy, "IPv6 proxy neighbours");
  }

  /** Adds the entry; an equal one may be there. */
  public void addProxy(ProxyNeighbour p) throws LinuxException {
    int flags = NlMessage.NLM_F_CREATE | NlMessage.NLM_F_REPLACE;
    neighbour(NlMessage.RTM_NEWNEIGH, flags, p.link(), NUD_PERMANENT)
        .attribute(NlParser.NDA_DST, p.address())
        .attributeU8(NlParser.NDA_PROTOCOL, p.protocol());
    check("add proxy neighbour", p.toString());
  }

  /** Returns false if there was no such entry. */
  public boolean deleteProxy(ProxyNeighbour p) throws LinuxException {
    neighbour(NlMessage.RTM_DELNEIGH, 0, p.link(), 0).attribute(NlParser.NDA_DST, p.address());
    return checkUnless(Errno.ENOENT, "delete proxy neighbour", p.toString());
  }

  private NlMessage neighbour(int type, int flags, int link, int state) {
    return socket
        .begin(type, flags)
        .u8(Native.AF_INET6)
        .u8(0)
        .u16(0)
        .u32(link)
        .u16(state)
        .u8(NlParser.NTF_PROXY)
        .u8(0);
  }

  // ---- the namespace

  /**
   * A number that names this network namespace for the life of the kernel and is never used again
   * (unlike its inode number); 0 if the kernel is older than 5.14 and cannot tell.
   */
  public long namespaceCookie() {
    ByteBuffer value = Native.allocate(12);
    value.putInt(8, Long.BYTES);
    long a = Native.address(value);
    int rc =
        LIBC.getsockopt(socket.fd(), Native.SOL_SOCKET, Native.SO_NETNS_COOKIE, a, a + Long.BYTES);
    Reference.reachabilityFence(value);
    return rc == 0 ? value.getLong(0) : 0;
  }

  private void check(String operation, String object) throws LinuxException {
    int errno = socket.execute();
    if (errno != 0) {
      throw socket.failure(operation, object, errno);
    }
  }

  private boolean checkUnless(int benign, String operation, String object) throws LinuxException {
    int errno = socket.execute();
    if (errno != 0 && errno != benign) {
      throw socket.failure(operation, object, errno);
    }
    return errno == 0;
  }

  @Override
  public void close() {
    socket.close();
  }
}

package org.ilnp4j.tun;

/**
 * An IPv6 route.
 *
 * @param destination the prefix; {@code ::} with length 0 is the default route
 * @param prefixLength 0 to 128
 * @param via the gateway, or null for a destination on the link
 * @param link the interface index; 0 for routes without one (several next hops, blackhole)
 * @param table the routing table
 * @param metric the preference, lower first; 0 lets the kernel choose (1024)
 * @param protocol who made it: {@link Netlink#PROTOCOL} for ours, 9 for router advertisements
 */
public record Route(
    Ip6Address destination,
    int prefixLength,
    Ip6Address via,
    int link,
    int table,
    int metric,
    int protocol) {
  /** The table that ordinary routes are in. */
  public static final int TABLE_MAIN = 254;

  /** The table of the host's own addresses. */
  public static final int TABLE_LOCAL = 255;

  /** A route of ours to one address on a link. */
  public static Route host(Ip6Address address, int link, int table) {
    return new Route(address, 128, null, link, table, 0, Netlink.PROTOCOL);
  }

  /** A default route of ours. */
  public static Route defaultVia(Ip6Address gateway, int link, int table) {
    return new Route(Ip6Address.UNSPECIFIED, 0, gateway, link, table, 0, Netlink.PROTOCOL);
  }

  public boolean isDefault() {
    return prefixLength == 0;
  }

  /** Equal but for the metric, which the kernel fills in. */
  public boolean sameAs(Route other) {
    return withMetric(0).equals(other.withMetric(0));
  }

  private Route withMetric(int newMetric) {
    return new Route(destination, prefixLength, via, link, table, newMetric, protocol);
  }

  @Override
  public String toString() {
    return destination
        + "/"
        + prefixLength
        + (via == null ? "" : " via " + via)
        + " link "
        + link
        + " table "
        + table;
  }
}

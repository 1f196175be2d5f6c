package org.ilnp4j.ilnp;

import org.ilnp4j.wire.Ip6;

/** Locators (L64): the upper 64 bits of an address, naming a subnetwork (RFC 6741 §3). */
public final class Locator {
  private Locator() {}

  public static String format(long l64) {
    return Groups.format(l64);
  }

  /** Parses {@code 2001:db8:1:1} or {@code 2001:db8:1:1::/64}. */
  public static long parse(String text) {
    String groups = text.endsWith("::/64") ? text.substring(0, text.length() - 5) : text;
    long l64 = Groups.parse("Locator", groups);
    if (!Ip6.isRoutable(l64)) {
      throw new IllegalArgumentException(
          "Locator \"" + text + "\" cannot be routed to (it is zero, link-local or multicast)");
    }
    return l64;
  }

  /** The full IPv6 address of Locator and NID, as text the kernel's tools accept. */
  public static String address(long l64, long nid) {
    return Groups.format(l64) + ":" + Groups.format(nid);
  }
}

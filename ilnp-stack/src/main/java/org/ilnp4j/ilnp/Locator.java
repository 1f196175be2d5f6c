package org.ilnp4j.ilnp;

/** Locators (L64): the upper 64 bits of an address, naming a subnetwork (RFC 6741 §3). */
public final class Locator {
  private Locator() {}

  public static String format(long l64) {
    return Groups.format(l64);
  }

  /** Parses {@code 2001:db8:1:1} or {@code 2001:db8:1:1::/64}. */
  public static long parse(String text) {
    String groups = text.endsWith("::/64") ? text.substring(0, text.length() - 5) : text;
    return Groups.parse("Locator", groups);
  }

  /** The full IPv6 address of Locator and NID, as text the kernel's tools accept. */
  public static String address(long l64, long nid) {
    return Groups.format(l64) + ":" + Groups.format(nid);
  }
}

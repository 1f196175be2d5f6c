package org.ilnp4j.ilnp;

import java.util.random.RandomGenerator;

/** Node Identifiers: 64 bits in Modified EUI-64 syntax (RFC 6741 §2). */
public final class Nid {
  /** Universal/local bit: 1 = globally unique scope. */
  private static final long U_BIT = 0x0200_0000_0000_0000L;

  /** Individual/group bit: 0 for a node. */
  private static final long G_BIT = 0x0100_0000_0000_0000L;

  private Nid() {}

  public static String format(long nid) {
    return Groups.format(nid);
  }

  /** Parses four hex groups; throws IllegalArgumentException with one clear line. */
  public static long parse(String text) {
    long nid = Groups.parse("NID", text);
    if (nid == 0 || (nid & G_BIT) != 0) {
      throw new IllegalArgumentException(
          "NID \"" + text + "\" does not name a single node (it is zero or has the group bit set)");
    }
    return nid;
  }

  /**
   * The NID made from a 48-bit MAC address (RFC 4291 appendix A); throws IllegalArgumentException
   * for one that is not a single interface's.
   */
  public static long fromMac(byte[] mac) {
    if (mac.length != 6) {
      throw new IllegalArgumentException("a MAC address has 6 octets, not " + mac.length);
    }
    long m = 0;
    for (byte b : mac) {
      m = m << 8 | (b & 0xff);
    }
    long nid = ((m >>> 24) << 40 | 0xfffe00_0000L | (m & 0xffffff)) ^ U_BIT;
    if (m == 0 || (nid & G_BIT) != 0) {
      throw new IllegalArgumentException(
          "the MAC address does not name a single interface (it is zero or has the group bit set)");
    }
    return nid;
  }

  /** A random NID of local scope (RFC 4941 style). */
  public static long random(RandomGenerator random) {
    long nid;
    do {
      nid = random.nextLong() & ~U_BIT & ~G_BIT;
    } while (nid == 0);
    return nid;
  }
}

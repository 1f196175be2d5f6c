package org.ilnp4j.tun;

/**
 * An IPv6 address on an interface.
 *
 * @param link the interface index
 * @param address the address
 * @param prefixLength 0 to 128
 * @param flags IFA_F_* flags
 */
public record LinkAddress(int link, Ip6Address address, int prefixLength, int flags) {
  /** Use the address at once, without duplicate address detection. */
  public static final int NODAD = 0x02;

  /** Duplicate address detection found the address in use elsewhere. */
  public static final int DADFAILED = 0x08;

  /** Duplicate address detection is still running. */
  public static final int TENTATIVE = 0x40;

  /** Set by a person or program, not by autoconfiguration. */
  public static final int PERMANENT = 0x80;

  /** Make no route for the prefix. */
  public static final int NOPREFIXROUTE = 0x200;

  @Override
  public String toString() {
    return address + "/" + prefixLength;
  }
}

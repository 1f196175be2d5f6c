package org.ilnp4j.tun;

/**
 * A network interface as the kernel reports it.
 *
 * @param index the interface index, positive
 * @param name the interface name
 * @param flags IFF_* flags
 * @param operState the operational state of RFC 2863 (6 = up, 0 = unknown, as TUN reports)
 * @param mtu octets
 * @param txQueueLength packets
 * @param mac the 48-bit link-layer address, or 0 if there is none
 * @param kind the driver of a virtual link, as {@code veth} or {@code tun}; empty for hardware
 */
public record Link(
    int index,
    String name,
    int flags,
    int operState,
    int mtu,
    int txQueueLength,
    long mac,
    String kind) {
  public static final int IFF_UP = 0x1;
  public static final int IFF_LOOPBACK = 0x8;
  public static final int IFF_LOWER_UP = 0x10000;

  /** Set up by the administrator. */
  public boolean isAdminUp() {
    return (flags & IFF_UP) != 0;
  }

  /** Set up and with carrier: packets can leave now. */
  public boolean isUp() {
    return isAdminUp() && (flags & IFF_LOWER_UP) != 0;
  }

  public boolean isLoopback() {
    return (flags & IFF_LOOPBACK) != 0;
  }

  public boolean hasMac() {
    return mac != 0;
  }

  /** The six octets of the link-layer address. */
  public byte[] macOctets() {
    byte[] octets = new byte[6];
    for (int i = 0; i < 6; i++) {
      octets[i] = (byte) (mac >>> (40 - 8 * i));
    }
    return octets;
  }
}

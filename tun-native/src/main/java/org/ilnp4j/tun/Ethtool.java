package org.ilnp4j.tun;

import static org.ilnp4j.tun.Native.LIBC;

import java.nio.ByteBuffer;

/**
 * Offloads of an interface.
 *
 * <p>Generic receive offload has to be off on virtual links that carry ILNP: GRO merges segments
 * with partial checksums and seeds them anew with the sum over full addresses, which corrupts
 * checksums that leave out the locators.
 */
public final class Ethtool {
  private static final long SIOCETHTOOL = 0x8946L;
  private static final int ETHTOOL_STSO = 0x1f;
  private static final int ETHTOOL_SGSO = 0x24;
  private static final int ETHTOOL_GGRO = 0x2b;
  private static final int ETHTOOL_SGRO = 0x2c;

  private Ethtool() {}

  /** EOPNOTSUPP if the driver has no such setting, ENODEV without such an interface. */
  public static boolean gro(String interfaceName) throws LinuxException {
    return call(interfaceName, ETHTOOL_GGRO, 0, "read receive offload of") != 0;
  }

  public static void setGro(String interfaceName, boolean on) throws LinuxException {
    call(interfaceName, ETHTOOL_SGRO, on ? 1 : 0, "switch receive offload of");
  }

  /**
   * Whether the interface takes TCP super-segments; without, the kernel cuts them for it, and does
   * not make its own.
   */
  public static void setSegmentation(String interfaceName, boolean on) throws LinuxException {
    call(interfaceName, ETHTOOL_STSO, on ? 1 : 0, "switch segmentation offload of");
    call(interfaceName, ETHTOOL_SGSO, on ? 1 : 0, "switch segmentation offload of");
  }

  private static int call(String name, int command, int data, String operation)
      throws LinuxException {
    byte[] octets = InterfaceName.octets(name);
    int type = Native.SOCK_DGRAM | Native.SOCK_CLOEXEC;
    int fd = Native.socket(Native.AF_INET6, type, 0, "control socket");
    try {
      // struct ifreq, and behind it the struct ethtool_value it points to
      ByteBuffer request = Native.allocate(Native.IFREQ_BYTES + 8);
      long address = Native.address(request);
      request.put(0, octets);
      request.putLong(Native.IFNAMSIZ, address + Native.IFREQ_BYTES);
      request.putInt(Native.IFREQ_BYTES, command).putInt(Native.IFREQ_BYTES + 4, data);
      if (Native.with(request, a -> LIBC.ioctl(fd, SIOCETHTOOL, a)) < 0) {
        throw Native.failure(operation, name);
      }
      return request.getInt(Native.IFREQ_BYTES + 4);
    } finally {
      LIBC.close(fd);
    }
  }
}

package org.ilnp4j.tun;

import java.net.Inet6Address;
import java.net.InetAddress;

/**
 * An IPv4 or IPv6 address and the length of its prefix in bits, as {@code ip address} writes them:
 * {@code 10.0.0.1/24}, {@code fd00::1/64}.
 */
public record IpPrefix(InetAddress address, int length) {
  /** Throws IllegalArgumentException when the address has fewer bits than {@code length}. */
  public IpPrefix {
    int bits = address.getAddress().length * 8;
    if (length < 0 || length > bits) {
      throw new IllegalArgumentException(
          "/" + length + " is no prefix length of " + address.getHostAddress() + "; 0 to " + bits);
    }
  }

  public boolean isIp6() {
    return address instanceof Inet6Address;
  }

  byte[] octets() {
    return address.getAddress();
  }

  @Override
  public String toString() {
    return address.getHostAddress() + "/" + length;
  }
}

package org.ilnp4j.tun;

import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * An IPv6 address as two big-endian halves. Text is RFC 5952.
 *
 * @param high the first eight octets
 * @param low the last eight octets
 */
public record Ip6Address(long high, long low) {
  public static final int BYTES = 16;

  /** {@code ::} */
  public static final Ip6Address UNSPECIFIED = new Ip6Address(0, 0);

  /**
   * Parses an IPv6 literal, without zone.
   *
   * @throws IllegalArgumentException in one clear line
   */
  public static Ip6Address parse(String text) {
    // The colon and the alphabet keep InetAddress from asking a name server.
    if (text.indexOf(':') >= 0 && text.matches("[0-9A-Fa-f:.]+")) {
      try {
        InetAddress address = InetAddress.getByName(text);
        if (!(address instanceof Inet4Address)) {
          return read(ByteBuffer.wrap(address.getAddress()), 0);
        }
      } catch (UnknownHostException e) {
        throw new IllegalArgumentException("\"" + text + "\" is not an IPv6 address", e);
      }
    }
    throw new IllegalArgumentException("\"" + text + "\" is not an IPv6 address");
  }

  /** The 16 octets at {@code index}, whatever the buffer's byte order. */
  static Ip6Address read(ByteBuffer buffer, int index) {
    boolean swap = buffer.order() == ByteOrder.LITTLE_ENDIAN;
    long h = buffer.getLong(index);
    long l = buffer.getLong(index + 8);
    return swap ? new Ip6Address(Long.reverseBytes(h), Long.reverseBytes(l)) : new Ip6Address(h, l);
  }

  /** The 16 octets in network order. */
  public byte[] octets() {
    return ByteBuffer.allocate(BYTES).putLong(high).putLong(low).array();
  }

  /** True for fe80::/10. */
  public boolean isLinkLocal() {
    return high >>> 54 == 0xfe80 >>> 6;
  }

  @Override
  public String toString() {
    int[] groups = new int[8];
    for (int i = 0; i < 8; i++) {
      groups[i] = (int) ((i < 4 ? high : low) >>> (48 - 16 * (i & 3))) & 0xffff;
    }
    int start = -1;
    int length = 1; // RFC 5952 §4.2.2: a single zero group is not shortened
    for (int i = 0; i < 8; i++) {
      int run = 0;
      while (i + run < 8 && groups[i + run] == 0) {
        run++;
      }
      if (run > length) {
        start = i;
        length = run;
      }
    }
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < 8; i++) {
      if (i == start) {
        text.append("::");
        i += length - 1;
      } else {
        boolean first = text.length() == 0 || text.charAt(text.length() - 1) == ':';
        text.append(first ? "" : ":").append(Integer.toHexString(groups[i]));
      }
    }
    return text.toString();
  }
}

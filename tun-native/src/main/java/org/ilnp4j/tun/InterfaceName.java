package org.ilnp4j.tun;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/** Interface names in kernel structures: at most 15 octets and a zero. */
final class InterfaceName {
  private InterfaceName() {}

  /** The zero-terminated name at {@code index}, at most {@link Native#IFNAMSIZ} octets. */
  static String read(ByteBuffer buffer, int index) {
    int end = Math.min(buffer.limit(), index + Native.IFNAMSIZ);
    int length = 0;
    while (index + length < end && buffer.get(index + length) != 0) {
      length++;
    }
    byte[] octets = new byte[length];
    buffer.get(index, octets);
    return new String(octets, StandardCharsets.UTF_8);
  }

  /** The octets of a name. Throws IllegalArgumentException if no interface can be called so. */
  static byte[] octets(String name) {
    byte[] octets = name.getBytes(StandardCharsets.UTF_8);
    if (octets.length == 0 || octets.length >= Native.IFNAMSIZ) {
      throw new IllegalArgumentException(
          "\"" + name + "\" is no interface name: it must have 1 to 15 octets");
    }
    return octets;
  }
}

package org.ilnp4j.wire;

import io.netty.buffer.ByteBuf;

/** ICMPv6 error messages (RFC 4443 §3): what caused them is quoted as far as 1280 octets reach. */
public final class Icmp6Error {
  private Icmp6Error() {}

  /**
   * True when an error may be sent about {@code v} (RFC 4443 §2.4 e): never about another error or
   * a redirect, nor to a source that is not one node; about a multicast packet only for {@code
   * evenMulticast}, that is Packet Too Big and an unknown option of the kind that asks for it.
   */
  public static boolean isAllowed(PacketView v, boolean evenMulticast) {
    if (Ip6.isMulticast(v.srcL64) || Ip6.isUnspecifiedOrLoopback(v.srcL64, v.srcNid)) {
      return false;
    }
    if (Ip6.isMulticast(v.dstL64) && !evenMulticast) {
      return false;
    }
    if (v.protocol != Ip6.PROTO_ICMP6) {
      return true;
    }
    if (v.upperLength < 1) {
      return false;
    }
    int type = Icmp6.type(v.buf, v.upperIndex);
    return !Icmp6.isError(type) && type != Icmp6.REDIRECT;
  }

  /**
   * Octets {@link #write} will produce.
   *
   * @param overhead octets in front of the ICMPv6 header: 40, more with a nonce
   */
  public static int bytes(PacketView invoking, int overhead) {
    return Math.min(Ip6.MIN_MTU - overhead, Icmp6.HEADER_BYTES + invoking.length);
  }

  /**
   * Appends the message at the writer index, checksum zero.
   *
   * @param parameter MTU, pointer or 0, as the type wants
   */
  public static void write(
      ByteBuf out, int type, int code, int parameter, PacketView invoking, int overhead) {
    Icmp6.write(out, type, code, parameter);
    out.writeBytes(invoking.buf, invoking.start, bytes(invoking, overhead) - Icmp6.HEADER_BYTES);
  }
}

package org.ilnp4j.wire;

import io.netty.buffer.ByteBuf;

/**
 * The Internet checksum (RFC 1071) with the IPv6 pseudo-header (RFC 8200 §8.1). For ILNP transport
 * both Locators in the pseudo-header are zero (RFC 6741 §4.2); pass 0 for them.
 */
public final class Checksum {
  private Checksum() {}

  /** Unfolded sum of the pseudo-header. */
  public static long pseudoHeader(
      long srcL64, long srcNid, long dstL64, long dstNid, int upperLength, int protocol) {
    return halves(srcL64)
        + halves(srcNid)
        + halves(dstL64)
        + halves(dstNid)
        + upperLength
        + protocol;
  }

  /** Unfolded sum over {@code length} octets from the absolute {@code index}. */
  public static long sum(ByteBuf buf, int index, int length) {
    // Summed in little-endian order, which is what the machine loads; swapped once at the end.
    long sum = 0;
    int end = index + length;
    int i = index;
    for (; i + 8 <= end; i += 8) {
      long v = buf.getLongLE(i);
      sum += (v & 0xffff_ffffL) + (v >>> 32);
    }
    for (; i + 2 <= end; i += 2) {
      sum += buf.getUnsignedShortLE(i);
    }
    if (i < end) {
      sum += buf.getUnsignedByte(i);
    }
    return Short.toUnsignedLong(Short.reverseBytes((short) fold(sum)));
  }

  /** The value for a checksum field, given the unfolded sum of everything else. */
  public static int finish(long sum) {
    return ~fold(sum) & 0xffff;
  }

  /** True when a sum that includes the checksum field itself comes out right. */
  public static boolean isValid(long sum) {
    return fold(sum) == 0xffff;
  }

  /** Folds to 16 bits with end-around carry. */
  public static int fold(long sum) {
    long s = (sum & 0xffff_ffffL) + (sum >>> 32);
    s = (s & 0xffff) + (s >>> 16);
    s = (s & 0xffff) + (s >>> 16);
    s = (s & 0xffff) + (s >>> 16);
    return (int) s;
  }

  private static long halves(long v) {
    return (v & 0xffff_ffffL) + (v >>> 32);
  }
}

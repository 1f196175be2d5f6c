package org.ilnp4j.wire;

import io.netty.buffer.ByteBuf;

/** Options of Neighbour Discovery messages (RFC 4861 §4.6): type, length in units of 8 octets. */
final class NdOption {
  static final int SOURCE_LINK_LAYER = 1;
  static final int PREFIX_INFORMATION = 3;
  static final int MTU = 5;
  static final int ADVERTISEMENT_INTERVAL = 7; // RFC 6275 §7.3

  /** More options than this in one message are refused. */
  static final int MAX_OPTIONS = 32;

  private NdOption() {}

  /**
   * Octets of the option at {@code at}, or -1 when its length is zero or runs past {@code end}, for
   * which the whole message must be discarded (RFC 4861 §6.1).
   */
  static int bytes(ByteBuf buf, int at, int end) {
    if (end - at < 8) {
      return -1;
    }
    int bytes = 8 * buf.getUnsignedByte(at + 1);
    return bytes == 0 || bytes > end - at ? -1 : bytes;
  }

  /** Appends a source link-layer address option for a 48-bit address. */
  static void writeSourceLinkLayer(ByteBuf out, long mac) {
    out.writeByte(SOURCE_LINK_LAYER);
    out.writeByte(1);
    out.writeShort((int) (mac >>> 32));
    out.writeInt((int) mac);
  }

  /** The 48-bit link-layer address in the option at {@code at}, which has 8 octets. */
  static long linkLayer(ByteBuf buf, int at) {
    return (long) buf.getUnsignedShort(at + 2) << 32 | buf.getUnsignedInt(at + 4);
  }
}

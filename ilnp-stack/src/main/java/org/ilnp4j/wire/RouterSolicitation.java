package org.ilnp4j.wire;

import io.netty.buffer.ByteBuf;
import org.ilnp4j.util.DropReason;

/** A Router Solicitation (RFC 4861 §4.1), sent to ff02::2 with hop limit 255. */
public final class RouterSolicitation {
  private RouterSolicitation() {}

  /** Octets {@link #write} will produce. */
  public static int bytes(long sourceLinkLayer) {
    return Icmp6.HEADER_BYTES + (sourceLinkLayer == RouterAdvertisement.NO_LINK_LAYER ? 0 : 8);
  }

  /**
   * Appends the message at the writer index, checksum zero.
   *
   * @param sourceLinkLayer 48-bit address, or {@link RouterAdvertisement#NO_LINK_LAYER}, which it
   *     must be when sent from the unspecified address
   */
  public static void write(ByteBuf out, long sourceLinkLayer) {
    Icmp6.write(out, Icmp6.ROUTER_SOLICITATION, 0, 0);
    if (sourceLinkLayer != RouterAdvertisement.NO_LINK_LAYER) {
      NdOption.writeSourceLinkLayer(out, sourceLinkLayer);
    }
  }

  /** Validates {@code length} octets at absolute {@code index} (RFC 4861 §6.1.1). */
  public static DropReason check(ByteBuf buf, int index, int length) {
    if (length < Icmp6.HEADER_BYTES) {
      return DropReason.ICMP_TRUNCATED;
    }
    if (Icmp6.code(buf, index) != 0) {
      return DropReason.ICMP_UNKNOWN_TYPE;
    }
    int end = index + length;
    int at = index + Icmp6.HEADER_BYTES;
    for (int n = 0; at < end; n++) {
      int bytes = NdOption.bytes(buf, at, end);
      if (bytes < 0 || n == NdOption.MAX_OPTIONS) {
        return DropReason.RA_BAD_OPTION;
      }
      at += bytes;
    }
    return null;
  }
}

package org.ilnp4j.link;

import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.ilnp4j.ip6.GatheredPacket;
import org.ilnp4j.tun.TunDevice;

/**
 * The 10 octets of {@code struct virtio_net_hdr} (virtio 1.2 §5.1.6) that stand before each packet
 * of a TUN device with offload, in native byte order.
 */
final class VnetHeader {
  static final int BYTES = TunDevice.VNET_HDR_BYTES;

  private static final byte NEEDS_CSUM = 1;
  private static final byte DATA_VALID = 2;
  private static final byte GSO_TCPV6 = 4;
  private static final int GSO_TYPE = 1;
  private static final int HDR_LEN = 2;
  private static final int GSO_SIZE = 4;
  private static final int CSUM_START = 6;
  private static final int CSUM_OFFSET = 8;
  private static final boolean LITTLE = ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN;

  private VnetHeader() {}

  /** Fills in the header of a packet whose checksum the device completes, and which it cuts. */
  static void write(ByteBuffer out, int index, GatheredPacket packet) {
    boolean cuts = packet.isSuperSegment();
    out.put(index, NEEDS_CSUM);
    out.put(index + GSO_TYPE, cuts ? GSO_TCPV6 : 0);
    out.putShort(index + HDR_LEN, (short) packet.head().readableBytes());
    out.putShort(index + GSO_SIZE, (short) (cuts ? packet.segmentBytes() : 0));
    out.putShort(index + CSUM_START, (short) packet.upperOffset());
    out.putShort(index + CSUM_OFFSET, (short) packet.checksumOffset());
  }

  /** Fills in the header of a packet that is complete. */
  static void writePlain(ByteBuffer out, int index) {
    out.putLong(index, 0).putShort(index + Long.BYTES, (short) 0);
  }

  /** True when the checksum of the packet behind the header need not be checked. */
  static boolean isChecksumVouched(ByteBuf buf, int index) {
    return (buf.getByte(index) & (NEEDS_CSUM | DATA_VALID)) != 0;
  }

  /** Payload of the segments that the packet stands for, or 0. */
  static int segmentBytes(ByteBuf buf, int index) {
    if (buf.getByte(index + GSO_TYPE) == 0) {
      return 0;
    }
    return LITTLE
        ? buf.getUnsignedShortLE(index + GSO_SIZE)
        : buf.getUnsignedShort(index + GSO_SIZE);
  }
}

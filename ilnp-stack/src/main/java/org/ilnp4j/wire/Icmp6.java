package org.ilnp4j.wire;

import io.netty.buffer.ByteBuf;
import org.ilnp4j.util.DropReason;

/**
 * ICMPv6 messages (RFC 4443 §2.1). All messages this stack handles begin with the same 8 octets:
 * type, code, checksum and a 32-bit field whose meaning depends on the type. The checksum always
 * covers the full addresses, also between ILNP nodes (RFC 6741 §4.3).
 */
public final class Icmp6 {
  public static final int HEADER_BYTES = 8;
  public static final int CHECKSUM_OFFSET = 2;
  public static final int PARAMETER_OFFSET = 4;

  public static final int DEST_UNREACHABLE = 1;
  public static final int PACKET_TOO_BIG = 2;
  public static final int TIME_EXCEEDED = 3;
  public static final int PARAMETER_PROBLEM = 4;
  public static final int ECHO_REQUEST = 128;
  public static final int ECHO_REPLY = 129;
  public static final int ROUTER_SOLICITATION = 133;
  public static final int ROUTER_ADVERTISEMENT = 134;
  public static final int NEIGHBOR_SOLICITATION = 135;
  public static final int NEIGHBOR_ADVERTISEMENT = 136;
  public static final int REDIRECT = 137;
  public static final int LOCATOR_UPDATE = 156;

  /** Codes of {@link #DEST_UNREACHABLE} (RFC 4443 §3.1). */
  public static final int NO_ROUTE = 0;

  public static final int ADMIN_PROHIBITED = 1;
  public static final int ADDRESS_UNREACHABLE = 3;
  public static final int PORT_UNREACHABLE = 4;

  /** Codes of {@link #PARAMETER_PROBLEM} (RFC 4443 §3.4). */
  public static final int ERRONEOUS_FIELD = 0;

  public static final int UNKNOWN_NEXT_HEADER = 1;
  public static final int UNKNOWN_OPTION = 2;

  private Icmp6() {}

  /** Appends the 8 octets at the writer index, checksum zero. */
  public static void write(ByteBuf out, int type, int code, int parameter) {
    out.writeByte(type);
    out.writeByte(code);
    out.writeShort(0);
    out.writeInt(parameter);
  }

  /** Appends an echo request or reply header; the data is the caller's to append. */
  public static void writeEcho(ByteBuf out, int type, int identifier, int sequence) {
    write(out, type, 0, identifier << 16 | (sequence & 0xffff));
  }

  /** Length and checksum of the ICMPv6 message in {@code v}; null when the getters may be used. */
  public static DropReason check(PacketView v) {
    if (v.upperLength < HEADER_BYTES) {
      return DropReason.ICMP_TRUNCATED;
    }
    return v.isChecksumRight() ? null : DropReason.ICMP_CHECKSUM;
  }

  public static int type(ByteBuf buf, int index) {
    return buf.getUnsignedByte(index);
  }

  public static int code(ByteBuf buf, int index) {
    return buf.getUnsignedByte(index + 1);
  }

  /** The 32-bit field: MTU of a Packet Too Big, pointer of a Parameter Problem, echo numbers. */
  public static int parameter(ByteBuf buf, int index) {
    return buf.getInt(index + PARAMETER_OFFSET);
  }

  public static int echoIdentifier(ByteBuf buf, int index) {
    return buf.getUnsignedShort(index + PARAMETER_OFFSET);
  }

  public static int echoSequence(ByteBuf buf, int index) {
    return buf.getUnsignedShort(index + PARAMETER_OFFSET + 2);
  }

  /** Error messages have the high bit clear, informational ones have it set (RFC 4443 §2.1). */
  public static boolean isError(int type) {
    return type < 128;
  }
}

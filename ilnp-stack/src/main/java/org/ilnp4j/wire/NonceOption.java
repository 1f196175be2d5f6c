package org.ilnp4j.wire;

import io.netty.buffer.ByteBuf;

/**
 * A Destination Options header that carries just the nonce (RFC 6744 §2). A nonce of 4 or 12 octets
 * is held in two numbers: {@code high} is its first 4 octets (as an int), {@code low} the remaining
 * 8 (0 for a 4-octet nonce).
 */
public final class NonceOption {
  public static final int TYPE = 0x8b;
  public static final int SHORT = 4;
  public static final int LONG = 12;

  private NonceOption() {}

  /** Octets of the whole header: 8 for a 4-octet nonce, 16 for 12, 0 for no nonce. */
  public static int headerBytes(int nonceLength) {
    return nonceLength == 0 ? 0 : nonceLength + 4;
  }

  /** Appends the header at the writer index; {@code nonceLength} is 4 or 12. */
  public static void write(ByteBuf out, int nextHeader, int nonceLength, int high, long low) {
    out.writeByte(nextHeader);
    out.writeByte(nonceLength == LONG ? 1 : 0);
    out.writeByte(TYPE);
    out.writeByte(nonceLength);
    out.writeInt(high);
    if (nonceLength == LONG) {
      out.writeLong(low);
    }
  }
}

package org.ilnp4j.wire;

import io.netty.buffer.ByteBuf;
import java.util.Arrays;
import org.ilnp4j.util.DropReason;

/**
 * A Locator Update, ICMPv6 type 156 (RFC 6743 §2). One object is parsed into again and again;
 * entries {@code [0, count)} of the parallel arrays are the last message's.
 */
public final class LocatorUpdate {
  public static final int ADVERTISEMENT = 1;
  public static final int ACKNOWLEDGEMENT = 2;
  public static final int MAX_LOCATORS = 255;
  public static final int MAX_LIFETIME_SECONDS = 0xffff;
  public static final int ENTRY_BYTES = 12;

  /** {@link #ADVERTISEMENT} or {@link #ACKNOWLEDGEMENT}; 0 after a failed parse. */
  public int operation;

  /** Locators listed, 1 to 255; 0 after a failed parse. */
  public int count;

  public final long[] l64 = new long[MAX_LOCATORS];

  /** 0 to 65535, lower is preferred. */
  public final int[] preference = new int[MAX_LOCATORS];

  /** 0 to 65535. */
  public final int[] lifetimeSeconds = new int[MAX_LOCATORS];

  /** Octets of a message with {@code count} Locators. */
  public static int bytes(int count) {
    return Icmp6.HEADER_BYTES + ENTRY_BYTES * count;
  }

  /**
   * Parses {@code length} octets at absolute {@code index}, which begin with the ICMPv6 type. The
   * length must fit the count exactly; reserved bits are ignored (RFC 6743 §2).
   */
  public DropReason parse(ByteBuf buf, int index, int length) {
    operation = 0;
    count = 0;
    if (length < Icmp6.HEADER_BYTES) {
      return DropReason.LU_BAD_LENGTH;
    }
    if (Icmp6.code(buf, index) != 0) {
      return DropReason.LU_BAD_CODE;
    }
    int n = buf.getUnsignedByte(index + 4);
    if (n == 0) {
      return DropReason.LU_NO_LOCATORS;
    }
    if (length != bytes(n)) {
      return DropReason.LU_BAD_LENGTH;
    }
    int op = buf.getUnsignedByte(index + 5);
    if (op != ADVERTISEMENT && op != ACKNOWLEDGEMENT) {
      return DropReason.LU_BAD_OPERATION;
    }
    int at = index + Icmp6.HEADER_BYTES;
    for (int i = 0; i < n; i++) {
      l64[i] = buf.getLong(at);
      preference[i] = buf.getUnsignedShort(at + 8);
      lifetimeSeconds[i] = buf.getUnsignedShort(at + 10);
      at += ENTRY_BYTES;
    }
    operation = op;
    count = n;
    return null;
  }

  /** Appends the last parsed message with another operation: an ACK echoes the Advertisement. */
  public void write(ByteBuf out, int newOperation) {
    write(out, newOperation, count, l64, preference, lifetimeSeconds);
  }

  /**
   * Appends a message at the writer index, checksum zero.
   *
   * @param n Locators, 1 to 255
   * @param preference 0 to 65535
   * @param lifetimeSeconds cut to what 16 bits hold
   */
  public static void write(
      ByteBuf out, int operation, int n, long[] l64, int[] preference, int[] lifetimeSeconds) {
    if (n < 1 || n > MAX_LOCATORS) {
      throw new IllegalArgumentException("a Locator Update lists 1 to 255 Locators, not " + n);
    }
    Icmp6.write(out, Icmp6.LOCATOR_UPDATE, 0, n << 24 | operation << 16);
    for (int i = 0; i < n; i++) {
      out.writeLong(l64[i]);
      out.writeShort(preference[i]);
      out.writeShort(Math.min(MAX_LIFETIME_SECONDS, lifetimeSeconds[i]));
    }
  }

  /**
   * True when the message lists exactly these Locators in this order: how an Acknowledgement is
   * matched with the Advertisement it answers, as there is no sequence number (RFC 6743 §2.2).
   */
  public boolean lists(int n, long[] otherL64, int[] otherPreference, int[] otherLifetimeSeconds) {
    return count == n
        && Arrays.equals(l64, 0, n, otherL64, 0, n)
        && Arrays.equals(preference, 0, n, otherPreference, 0, n)
        && Arrays.equals(lifetimeSeconds, 0, n, otherLifetimeSeconds, 0, n);
  }
}

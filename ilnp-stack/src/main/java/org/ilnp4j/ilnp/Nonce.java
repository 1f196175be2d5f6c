package org.ilnp4j.ilnp;

import java.util.random.RandomGenerator;
import org.ilnp4j.wire.NonceOption;
import org.ilnp4j.wire.PacketView;

/**
 * A nonce of 4 or 12 octets (RFC 6744 §2): {@code high} its first 4 octets, {@code low} the other
 * 8.
 */
public record Nonce(int length, int high, long low) {
  public Nonce {
    if (length != NonceOption.SHORT && length != NonceOption.LONG) {
      throw new IllegalArgumentException("nonce of " + length + " octets");
    }
  }

  /**
   * Draws an unpredictable nonce. In a 12-octet nonce the high nibble of octet 8 is 5: a kernel
   * that forwards super-segments misreads that octet as a TCP header length, and 5 is the one that
   * does no harm (docs/architecture.md, "Nonces").
   */
  public static Nonce random(int length, RandomGenerator random) {
    int high;
    do {
      high = random.nextInt();
    } while (high == 0);
    return unpredictable(length, high, length == NonceOption.SHORT ? 0 : random.nextLong());
  }

  /** A nonce of bits that nobody can predict. */
  static Nonce unpredictable(int length, int high, long low) {
    return length == NonceOption.SHORT
        ? new Nonce(length, high, 0)
        : new Nonce(length, high, (low & ~(0xf0L << 24)) | 0x50L << 24);
  }

  public static Nonce of(PacketView view) {
    return new Nonce(view.nonceLength, view.nonceHigh, view.nonceLow);
  }

  /** Compares in time that does not depend on where they differ. */
  public boolean matches(PacketView view) {
    return ((long) (length ^ view.nonceLength) | (high ^ view.nonceHigh) | (low ^ view.nonceLow))
        == 0;
  }

  /** Never shows the value: a nonce is a secret. */
  @Override
  public String toString() {
    return "nonce/" + length;
  }
}

package org.ilnp4j.wire;

/**
 * A Prefix Information option (RFC 4861 §4.6.2), which is where Locators come from.
 *
 * @param prefixLength bits, 0 to 128
 * @param onLink the L flag
 * @param autonomous the A flag
 * @param validSeconds 0 to {@link #INFINITE}
 * @param preferredSeconds 0 to {@link #INFINITE}
 * @param l64 upper 64 bits of the prefix; bits beyond the prefix length are zero
 */
public record PrefixInformation(
    int prefixLength,
    boolean onLink,
    boolean autonomous,
    long validSeconds,
    long preferredSeconds,
    long l64) {
  /** The lifetime that never ends, as on the wire. */
  public static final long INFINITE = 0xffff_ffffL;

  static final int BYTES = 32;

  public PrefixInformation {
    if (prefixLength < 0 || prefixLength > 128) {
      throw new IllegalArgumentException("prefix length " + prefixLength);
    }
    if (validSeconds < 0 || validSeconds > INFINITE) {
      throw new IllegalArgumentException("valid lifetime " + validSeconds);
    }
    if (preferredSeconds < 0 || preferredSeconds > INFINITE) {
      throw new IllegalArgumentException("preferred lifetime " + preferredSeconds);
    }
    if (prefixLength < 64) {
      l64 &= prefixLength == 0 ? 0 : -1L << (64 - prefixLength);
    }
  }

  /** A /64 for address configuration, as a router announces it by default. */
  public static PrefixInformation locator(long l64, long validSeconds, long preferredSeconds) {
    return new PrefixInformation(64, true, true, validSeconds, preferredSeconds, l64);
  }

  /**
   * True when a host may form addresses from it (RFC 4862 §5.5.3 a to c) and 64 bits of NID fit: an
   * announced Locator, or one withdrawn when a lifetime is 0.
   */
  public boolean isLocator() {
    return prefixLength == 64
        && autonomous
        && preferredSeconds <= validSeconds
        && Ip6.isRoutable(l64);
  }
}

package org.ilnp4j.tcp;

/** What an ICMPv6 error about one of our packets means to its session. */
public enum IcmpErrorKind {
  /** A router cannot forward what is so large. */
  PACKET_TOO_BIG,
  /** The destination does not know the nonce option: it does not speak ILNP (RFC 6744 §6). */
  NONCE_REFUSED,
  /** Nobody listens there, or it is forbidden: ends an attempt to connect. */
  UNREACHABLE_HARD,
  /** No way there just now: the session goes on trying (RFC 9293 §3.9.2.2). */
  UNREACHABLE_SOFT;

  /** A few words for people. */
  public String describe() {
    return switch (this) {
      case PACKET_TOO_BIG -> "packet too big";
      case NONCE_REFUSED -> "nonce option refused";
      case UNREACHABLE_HARD -> "port unreachable or prohibited";
      case UNREACHABLE_SOFT -> "destination unreachable";
    };
  }
}

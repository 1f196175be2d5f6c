package org.ilnp4j.ilnp;

/** Fixed at the handshake by whether a nonce was seen (RFC 6744 §6). */
public enum SessionMode {
  /** Nonces, NID-only transport checksums, Locators may change. */
  ILNP,
  /** Ordinary IPv6: no nonce, full pseudo-header, addresses fixed for life. */
  CLASSIC
}

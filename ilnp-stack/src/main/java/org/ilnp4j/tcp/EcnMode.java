package org.ilnp4j.tcp;

/** When explicit congestion notification is used (RFC 3168). */
public enum EcnMode {
  /** Never. */
  OFF,
  /** When the other side asks for it. */
  PASSIVE,
  /** Asked for with every connection we open, too. */
  ON
}

package org.ilnp4j.daemon.config;

/** What makes the node choose another uplink. */
public enum PolicyKind {
  /** The uplink on which a new prefix was advertised last. */
  FIRST_RA,
  /** The usable uplink with the lowest preference number. */
  PREFERENCE,
  /** Only {@code ilnp handoff}, or the loss of the uplink in use. */
  MANUAL
}

package org.ilnp4j.daemon.config;

/** How a node leaves a Locator (RFC 6740 §6.2). */
public enum HandoffKind {
  /** Receives on both Locators for a while, sends on the new one. */
  SOFT,
  /** The old Locator is gone at once. */
  HARD
}

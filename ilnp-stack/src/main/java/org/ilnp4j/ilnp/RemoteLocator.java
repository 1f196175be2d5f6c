package org.ilnp4j.ilnp;

/** One Locator of a correspondent (RFC 6741 §5.1). */
public final class RemoteLocator {
  /** Validity. */
  public enum State {
    /** Usable. */
    VALID,
    /** Used recently, replaced since; never sent to, still accepted from, tried by lost LUs. */
    AGED
  }

  public final long l64;
  int preference;
  long expiresNanos;
  State state = State.VALID;

  /** Known only from a packet with the right nonce, no LU has named it yet. */
  boolean learned;

  long heardNanos = -1;
  long agedNanos;

  RemoteLocator(long l64, int preference, long expiresNanos) {
    this.l64 = l64;
    this.preference = preference;
    this.expiresNanos = expiresNanos;
  }

  public int preference() {
    return preference;
  }

  public long expiresNanos() {
    return expiresNanos;
  }

  public State state() {
    return state;
  }

  public boolean isLearned() {
    return learned;
  }

  /** When session data last came from it, or -1. */
  public long heardNanos() {
    return heardNanos;
  }
}

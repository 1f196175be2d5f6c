package org.ilnp4j.ilnp;

/** One Locator of this node and where it stands in its life (docs/architecture.md, "Locators"). */
public final class LocalLocator {
  /** Life of a local Locator. */
  public enum State {
    /** The one packets leave from. */
    ACTIVE,
    /** Advertised on a live link; may be sent from. */
    VALID,
    /** Being left in a soft handoff: packets still come in on it, none leave from it. */
    LEAVING;

    /** 0 for the best to send from. */
    public int rank() {
      return ordinal();
    }
  }

  public final long l64;

  /** Name of the uplink it belongs to. */
  public final String uplink;

  private State state;
  private int preference;
  private long expiresNanos;
  private long heardNanos;
  private long leavingSinceNanos;

  public LocalLocator(long l64, String uplink, State state, int preference, long expiresNanos) {
    this.l64 = l64;
    this.uplink = uplink;
    this.state = state;
    this.preference = preference;
    this.expiresNanos = expiresNanos;
  }

  public State state() {
    return state;
  }

  public void state(State newState) {
    state = newState;
  }

  /** Lower is preferred, as in L64 records and Locator Updates. */
  public int preference() {
    return preference;
  }

  public void preference(int newPreference) {
    preference = newPreference;
  }

  public long expiresNanos() {
    return expiresNanos;
  }

  public void expiresNanos(long newExpiresNanos) {
    expiresNanos = newExpiresNanos;
  }

  /** When a packet last came in to it, 0 when never. */
  public long heardNanos() {
    return heardNanos;
  }

  public void heard(long nowNanos) {
    heardNanos = nowNanos;
  }

  /** Goes to {@link State#LEAVING}. */
  public void leave(long nowNanos) {
    state = State.LEAVING;
    leavingSinceNanos = nowNanos;
  }

  public long leavingSinceNanos() {
    return leavingSinceNanos;
  }

  @Override
  public String toString() {
    return Locator.format(l64) + "@" + uplink + " " + state;
  }
}

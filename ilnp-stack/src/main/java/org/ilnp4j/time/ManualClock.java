package org.ilnp4j.time;

/** A clock that moves only when told to. */
public final class ManualClock implements NanoClock {
  private long nowNanos;

  @Override
  public long nanoTime() {
    return nowNanos;
  }

  /** Moves to {@code nanos}, which must not lie in the past. */
  public void advanceTo(long nanos) {
    if (nanos < nowNanos) {
      throw new IllegalArgumentException("clock would go back from " + nowNanos + " to " + nanos);
    }
    nowNanos = nanos;
  }

  public void advance(long deltaNanos) {
    advanceTo(nowNanos + deltaNanos);
  }
}

package org.ilnp4j.time;

/** A monotonic clock in nanoseconds that starts at zero or above and never goes back. */
@FunctionalInterface
public interface NanoClock {
  /** "Never", for deadlines. Later than any time a clock returns. */
  long NEVER = Long.MAX_VALUE;

  long nanoTime();

  /** The machine's monotonic clock, counted from this call. */
  static NanoClock system() {
    long origin = System.nanoTime();
    return () -> System.nanoTime() - origin;
  }

  /** Milliseconds as nanoseconds. */
  static long millis(long ms) {
    return ms * 1_000_000L;
  }

  /** Seconds as nanoseconds. */
  static long seconds(long s) {
    return s * 1_000_000_000L;
  }
}

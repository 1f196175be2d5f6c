package org.ilnp4j.tcp;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.ilnp4j.ilnp.LocatorPair;
import org.ilnp4j.tcp.congestion.CongestionControl;
import org.ilnp4j.tcp.recovery.PathState;
import org.ilnp4j.tcp.recovery.RttEstimator;
import org.ilnp4j.time.NanoClock;

/**
 * The paths one connection has used: the current one, and a few left lately, to which it returns
 * with what it learned there.
 */
final class Paths {
  /** What was learned on a path is worth nothing after this. */
  static final long REMEMBER_NANOS = NanoClock.seconds(60);

  static final int MAX_REMEMBERED = 8;

  private record Left(PathState path, long leftNanos) {}

  private final TcpConfig config;
  private PathState current;

  /** Latest first; null until the first move. */
  private List<Left> left;

  private long outageNanos = -1;
  private int changes;

  Paths(TcpConfig config) {
    this.config = config;
  }

  /** The path last used; null before the first segment. */
  PathState current() {
    return current;
  }

  /** How often another path was taken. */
  int changes() {
    return changes;
  }

  /** There was no path at all for a time; whatever was in flight is gone. */
  void noteOutage(long nowNanos) {
    if (current != null && outageNanos < 0) {
      outageNanos = nowNanos;
    }
  }

  /** When the outage that ends now began, or -1. */
  long takeOutage() {
    long since = outageNanos;
    outageNanos = -1;
    return since;
  }

  boolean isCurrent(LocatorPair pair) {
    return current != null && outageNanos < 0 && current.pair.equals(pair);
  }

  /**
   * Makes {@code pair} the current path: as it was left if that is recent, else new, with an
   * initial window. A new path starts with an RTO taken from the old one, at most a second.
   */
  PathState enter(long nowNanos, LocatorPair pair, int segmentBytes, int mssBytes) {
    PathState old = current;
    if (old == null || !old.pair.equals(pair)) {
      if (old != null) {
        old.rtt.clearBackOff(); // what is still under way there has a deadline, too
      }
      current = recall(nowNanos, pair);
      if (current == null) {
        long rto = RttEstimator.INITIAL_RTO_NANOS;
        if (old != null && old.rtt.hasSample()) {
          rto = Math.min(rto, 2 * old.rtt.rtoNanos());
        }
        CongestionControl congestion =
            CongestionControl.create(config.congestionControl(), mssBytes, config.pacing());
        current =
            new PathState(
                pair,
                new RttEstimator(config.minRtoNanos(), rto),
                congestion,
                segmentBytes,
                mssBytes);
      }
      if (old != null) {
        remember(nowNanos, old);
      }
    }
    if (old != null) {
      changes++;
      current.reenter(nowNanos);
    }
    return current;
  }

  /** Visits the paths that were left and are still remembered. */
  void forEachLeft(Consumer<PathState> action) {
    if (left != null) {
      left.forEach(l -> action.accept(l.path));
    }
  }

  private PathState recall(long nowNanos, LocatorPair pair) {
    if (left == null) {
      return null;
    }
    left.removeIf(l -> nowNanos - l.leftNanos > REMEMBER_NANOS);
    for (int i = 0; i < left.size(); i++) {
      if (left.get(i).path.pair.equals(pair)) {
        return left.remove(i).path;
      }
    }
    return null;
  }

  private void remember(long nowNanos, PathState old) {
    if (left == null) {
      left = new ArrayList<>(2);
    }
    left.add(0, new Left(old, nowNanos));
    if (left.size() > MAX_REMEMBERED) {
      left.remove(MAX_REMEMBERED);
    }
  }

  /** Forgets everything: the session starts over in another mode. */
  void clear() {
    current = null;
    left = null;
    outageNanos = -1;
    changes = 0;
  }
}

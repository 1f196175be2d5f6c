package org.ilnp4j.ilnp;

/** Which pair of Locators a packet uses (RFC 6740 §3.2): ours by policy, theirs by preference. */
final class LocatorSelection {
  private LocatorSelection() {}

  /** The pair to use at {@code nowNanos}, or null when one side has no Locator. */
  static LocatorPair select(long nowNanos, LocalLocators local, Correspondent c) {
    LocalLocator source = local.source();
    RemoteLocator target = target(nowNanos, c);
    if (source == null || target == null) {
      return null;
    }
    LocatorPair now = c.path();
    if (now != null && now.localL64() == source.l64 && now.remoteL64() == target.l64) {
      return now;
    }
    return new LocatorPair(source.l64, target.l64);
  }

  /**
   * A Locator just learned from the other side's own packets wins, for it is where that side is
   * now; then the lowest preference, the earlier listed on a tie. One whose lifetime is over is
   * still used when nothing replaced it (EXPIRED, RFC 6741 §5.1).
   */
  private static RemoteLocator target(long nowNanos, Correspondent c) {
    RemoteLocator best = null;
    for (RemoteLocator r : c.remoteLocators()) {
      if (r.state() == RemoteLocator.State.VALID
          && (best == null || rank(nowNanos, r) < rank(nowNanos, best))) {
        best = r;
      }
    }
    return best;
  }

  private static int rank(long nowNanos, RemoteLocator r) {
    if (r.expiresNanos() <= nowNanos) {
      return 1 << 20;
    }
    return r.isLearned() ? -1 : r.preference();
  }
}

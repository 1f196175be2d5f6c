package org.ilnp4j.sim;

import java.util.List;
import org.ilnp4j.time.NanoClock;
import org.ilnp4j.wire.PrefixInformation;

/**
 * How a router advertises itself on one interface (RFC 4861 §6.2.1).
 *
 * @param minIntervalNanos shortest time between two unsolicited advertisements
 * @param maxIntervalNanos longest; each interval is drawn uniformly between the two
 * @param routerLifetimeSeconds 0 to 65535; 0 = not a default router
 * @param prefixes announced, with their lifetimes
 * @param announcesInterval whether the Advertisement Interval option is sent (RFC 6275 §7.3)
 * @param minDelayNanos least time between two multicast advertisements, solicited or not
 * @param maxSolicitedDelayNanos an answer to a solicitation waits a random time up to this
 */
public record RaConfig(
    long minIntervalNanos,
    long maxIntervalNanos,
    int routerLifetimeSeconds,
    List<PrefixInformation> prefixes,
    boolean announcesInterval,
    long minDelayNanos,
    long maxSolicitedDelayNanos) {

  public RaConfig {
    prefixes = List.copyOf(prefixes);
    if (minIntervalNanos <= 0 || maxIntervalNanos < minIntervalNanos) {
      throw new IllegalArgumentException(
          "RA interval from " + minIntervalNanos + " to " + maxIntervalNanos + " ns");
    }
    if (routerLifetimeSeconds < 0 || routerLifetimeSeconds > 65535) {
      throw new IllegalArgumentException("router lifetime " + routerLifetimeSeconds + " s");
    }
    if (minDelayNanos < 0 || maxSolicitedDelayNanos < 0) {
      throw new IllegalArgumentException("negative RA delay");
    }
  }

  /**
   * One Locator from a router that is made for mobile nodes: solicitations are answered at once,
   * and the lifetime is three of the longest intervals, rounded up to seconds.
   */
  public static RaConfig ofLocator(long l64, long minIntervalNanos, long maxIntervalNanos) {
    long lifetimeSeconds = (3 * maxIntervalNanos + NanoClock.seconds(1) - 1) / NanoClock.seconds(1);
    return new RaConfig(
        minIntervalNanos,
        maxIntervalNanos,
        (int) Math.min(65535, lifetimeSeconds),
        List.of(PrefixInformation.locator(l64, lifetimeSeconds, lifetimeSeconds)),
        true,
        NanoClock.millis(30),
        0);
  }

  /** The same with other prefixes, for instance with lifetime 0 to withdraw one. */
  public RaConfig withPrefixes(List<PrefixInformation> newPrefixes) {
    return new RaConfig(
        minIntervalNanos,
        maxIntervalNanos,
        routerLifetimeSeconds,
        newPrefixes,
        announcesInterval,
        minDelayNanos,
        maxSolicitedDelayNanos);
  }
}

package org.ilnp4j.mobility;

import java.util.List;
import org.ilnp4j.time.NanoClock;

/**
 * Settings of one node's mobility.
 *
 * @param uplinks the links Locators are taken from
 * @param policy chooses the Locator to send from
 * @param hardByDefault when the policy moves the node, leave the old Locator at once
 * @param maxLifetimeSeconds cap of the lifetimes in Locator Updates, 1 to 65535
 * @param raTimeoutFactor a Locator is being left after this many missed RA intervals, more than 1
 * @param quietNanos a Locator without RAs is dropped after hearing nothing on it for this long
 */
public record MobilityConfig(
    List<UplinkConfig> uplinks,
    HandoffPolicy policy,
    boolean hardByDefault,
    int maxLifetimeSeconds,
    double raTimeoutFactor,
    long quietNanos) {
  /**
   * One uplink.
   *
   * @param name interface name
   * @param preference lower is preferred, 0 to 1000
   * @param staticL64 a Locator that needs no RA, or 0
   * @param routerL64 router for the static Locator, upper half; 0 when routing is left to others
   * @param routerNid router for the static Locator, lower half
   */
  public record UplinkConfig(
      String name, int preference, long staticL64, long routerL64, long routerNid) {
    public static UplinkConfig byRouterAdvertisement(String name, int preference) {
      return new UplinkConfig(name, preference, 0, 0, 0);
    }
  }

  public MobilityConfig {
    uplinks = List.copyOf(uplinks);
    if (maxLifetimeSeconds < 1 || maxLifetimeSeconds > 65535) {
      throw new IllegalArgumentException("lifetime cap " + maxLifetimeSeconds + " s");
    }
    if (raTimeoutFactor <= 1) {
      throw new IllegalArgumentException("RA time-out factor " + raTimeoutFactor);
    }
  }

  public static MobilityConfig of(List<UplinkConfig> uplinks, HandoffPolicy policy) {
    return new MobilityConfig(uplinks, policy, false, 300, 3, NanoClock.seconds(3));
  }
}

package org.ilnp4j.daemon.control;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.ilnp4j.ilnp.Correspondent;
import org.ilnp4j.ilnp.LocalLocator;
import org.ilnp4j.ilnp.Locator;
import org.ilnp4j.ilnp.Nid;
import org.ilnp4j.ilnp.RemoteLocator;
import org.ilnp4j.time.NanoClock;

/** Our Locators, and those of each correspondent. */
public record LocatorsView(List<Local> local, List<Peer> correspondents) {

  /**
   * One of ours.
   *
   * @param state {@code active}, {@code valid} or {@code leaving}
   * @param lifetimeS seconds left; null when it does not end
   */
  public record Local(
      String locator, String uplink, String state, int preference, Double lifetimeS) {
    public static Local of(long nowNanos, LocalLocator l) {
      return new Local(
          Locator.format(l.l64),
          l.uplink,
          label(l.state()),
          l.preference(),
          left(nowNanos, l.expiresNanos()));
    }
  }

  /**
   * A correspondent.
   *
   * @param name from the hosts file; null when it has none
   * @param mode {@code ilnp} or {@code classic}
   */
  public record Peer(String name, String nid, String mode, int sessions, List<Remote> locators) {
    public static Peer of(long nowNanos, String name, Correspondent c) {
      List<Remote> locators = new ArrayList<>();
      for (RemoteLocator r : c.remoteLocators()) {
        boolean used = c.path() != null && c.path().remoteL64() == r.l64;
        locators.add(
            new Remote(
                Locator.format(r.l64),
                used ? "active" : label(r.state()),
                r.preference(),
                left(nowNanos, r.expiresNanos()),
                r.heardNanos() < 0 ? null : seconds(nowNanos - r.heardNanos())));
      }
      return new Peer(name, Nid.format(c.remoteNid), label(c.mode), c.sessions(), locators);
    }
  }

  /**
   * One of a correspondent's.
   *
   * @param state {@code active}, {@code valid} or {@code aged}
   * @param lifetimeS seconds left, negative when it is over; null when it does not end
   * @param heardS seconds since a packet came from it; null when none has
   */
  public record Remote(
      String locator, String state, int preference, Double lifetimeS, Double heardS) {}

  private static String label(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT);
  }

  private static Double left(long nowNanos, long expiresNanos) {
    return expiresNanos == NanoClock.NEVER ? null : seconds(expiresNanos - nowNanos);
  }

  private static Double seconds(long nanos) {
    return Math.round(nanos / 1e7) / 100.0;
  }
}

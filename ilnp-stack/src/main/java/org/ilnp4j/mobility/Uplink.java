package org.ilnp4j.mobility;

import java.util.LinkedHashMap;
import java.util.Map;
import org.ilnp4j.mobility.MobilityConfig.UplinkConfig;
import org.ilnp4j.time.NanoClock;

/** What is known of one uplink: its state and the prefixes heard on it. */
final class Uplink {
  /** Prefixes remembered per uplink; more are ignored. */
  static final int MAX_PREFIXES = 16;

  /** A /64 prefix as last advertised. */
  static final class Prefix {
    final long l64;
    long routerL64;
    long routerNid;

    /** The router is another one than the Locator was installed with. */
    boolean rerouted;

    long validUntilNanos;
    long preferredUntilNanos;
    long heardNanos;

    /** Longest usual time between RAs; 0 for a static Locator, which has none. */
    long intervalNanos;

    Prefix(long l64) {
      this.l64 = l64;
    }

    /** When its RAs are overdue, {@link NanoClock#NEVER} when there are none to wait for. */
    long overdueNanos(double factor) {
      return intervalNanos == 0 ? NanoClock.NEVER : heardNanos + (long) (factor * intervalNanos);
    }
  }

  /** Waits between Router Solicitations after link-up, until an RA is heard. */
  private static final long[] SOLICIT_AFTER_NANOS = {
    0, NanoClock.millis(250), NanoClock.seconds(1), NanoClock.seconds(4)
  };

  final UplinkConfig config;
  final Map<Long, Prefix> prefixes = new LinkedHashMap<>();
  boolean up;

  /** Left by a forced hard handoff: used again only when there is nothing else. */
  boolean barred;

  private int solicitations;
  private long nextSolicitNanos = NanoClock.NEVER;

  Uplink(UplinkConfig config) {
    this.config = config;
  }

  String name() {
    return config.name();
  }

  void linkUp(long nowNanos) {
    up = true;
    barred = false;
    if (config.staticL64() != 0) {
      Prefix p = new Prefix(config.staticL64());
      p.routerL64 = config.routerL64();
      p.routerNid = config.routerNid();
      p.validUntilNanos = NanoClock.NEVER;
      p.preferredUntilNanos = NanoClock.NEVER;
      p.heardNanos = nowNanos;
      prefixes.put(p.l64, p);
    } else {
      solicitations = 0;
      nextSolicitNanos = nowNanos;
    }
  }

  void linkDown() {
    up = false;
    barred = false;
    prefixes.clear();
    nextSolicitNanos = NanoClock.NEVER;
  }

  void heardRouter() {
    nextSolicitNanos = NanoClock.NEVER;
  }

  /** Solicits if it is time to. */
  void solicitIfDue(long nowNanos, LocatorPlumber plumber) {
    if (nowNanos < nextSolicitNanos) {
      return;
    }
    plumber.solicit(name());
    solicitations++;
    nextSolicitNanos =
        solicitations < SOLICIT_AFTER_NANOS.length
            ? nowNanos + SOLICIT_AFTER_NANOS[solicitations]
            : NanoClock.NEVER;
  }

  long nextSolicitNanos() {
    return nextSolicitNanos;
  }
}

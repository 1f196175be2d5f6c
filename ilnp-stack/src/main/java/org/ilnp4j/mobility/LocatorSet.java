package org.ilnp4j.mobility;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.ilnp4j.ilnp.Ilcc;
import org.ilnp4j.ilnp.LocalLocator;
import org.ilnp4j.mobility.MobilityConfig.UplinkConfig;
import org.ilnp4j.time.NanoClock;
import org.ilnp4j.time.Timer;
import org.ilnp4j.time.TimerQueue;
import org.ilnp4j.util.Counter;
import org.ilnp4j.util.Counters;
import org.ilnp4j.util.DropReason;
import org.ilnp4j.wire.PrefixInformation;
import org.ilnp4j.wire.RouterAdvertisement;

/**
 * The Locators of this node, kept equal to what its uplinks offer (RFC 6740 §5.1, §6.2).
 *
 * <p>A Locator is wanted while its uplink is up and its prefix is valid. When its RAs are overdue
 * it is being left: still received on, not sent from while there is another; it goes once nothing
 * arrives on it any more. Without any other Locator it stays in use until its lifetime ends.
 */
public final class LocatorSet {
  /**
   * A preference in a Locator Update, high bits first: 2 for active, valid or leaving, 8 for the
   * uplink's own preference, 6 for the number of the change. The last is the same in all entries,
   * so it changes no order; it makes each change another message, where RFC 6743 has no sequence
   * number, so that a late copy of an old update can be told from a return to an old place.
   */
  private static final int RANK_SHIFT = 14;

  private static final int PREFERENCE_SHIFT = 6;
  private static final int MAX_PREFERENCE = (1 << RANK_SHIFT - PREFERENCE_SHIFT) - 1;
  private static final int CHANGE_MASK = (1 << PREFERENCE_SHIFT) - 1;

  private final MobilityConfig config;
  private final Ilcc ilcc;
  private final LocatorPlumber plumber;
  private final LocatorUpdates updates;
  private final TimerQueue timers;
  private final Counters counters;
  private final MobilityObserver observer;
  private final Map<String, Uplink> uplinks = new LinkedHashMap<>();
  private final Timer timer =
      new Timer() {
        @Override
        protected void fire(long nowNanos) {
          due = true;
        }
      };
  private boolean due = true;
  private boolean hadActive;
  private int changes;
  private long refreshNanos = NanoClock.NEVER;

  /** Where the node was last, for the record of the next handoff; null at the very start. */
  private LocalLocator lastActive;

  private boolean forceHard;

  /** An uplink a person asked for; wins over the policy while it has a Locator. */
  private String pinned;

  public LocatorSet(
      MobilityConfig config,
      Ilcc ilcc,
      LocatorPlumber plumber,
      LocatorUpdates updates,
      TimerQueue timers,
      Counters counters,
      MobilityObserver observer) {
    this.config = config;
    this.ilcc = ilcc;
    this.plumber = plumber;
    this.updates = updates;
    this.timers = timers;
    this.counters = counters;
    this.observer = observer;
    for (UplinkConfig u : config.uplinks()) {
      uplinks.put(u.name(), new Uplink(u));
    }
  }

  /** The uplink's carrier came or went. Unknown names are ignored. */
  public void onLink(long nowNanos, String name, boolean up) {
    Uplink u = uplinks.get(name);
    if (u == null || u.up == up) {
      return;
    }
    if (up) {
      u.linkUp(nowNanos);
    } else {
      u.linkDown();
    }
    due = true;
  }

  /** Names of the uplinks and whether they are up. */
  public Map<String, Boolean> uplinks() {
    Map<String, Boolean> out = new LinkedHashMap<>();
    uplinks.forEach((name, u) -> out.put(name, u.up));
    return out;
  }

  /**
   * A checked router advertisement came in on {@code uplink} (RFC 4861 §6.3.4, RFC 4862 §5.5.3).
   */
  public DropReason onRouterAdvertisement(
      long nowNanos, String uplink, long routerL64, long routerNid, RouterAdvertisement ra) {
    Uplink u = uplinks.get(uplink);
    if (u == null) {
      return DropReason.RA_UNKNOWN_UPLINK;
    }
    if (!u.up) {
      // The kernel delivers nothing from a link that is down: the event is only not here yet.
      u.linkUp(nowNanos);
    }
    u.heardRouter();
    for (PrefixInformation p : ra.prefixes()) {
      if (p.isLocator()) {
        heardPrefix(nowNanos, u, routerL64, routerNid, ra, p);
      }
    }
    due = true;
    return null;
  }

  private static void heardPrefix(
      long nowNanos,
      Uplink u,
      long routerL64,
      long routerNid,
      RouterAdvertisement ra,
      PrefixInformation info) {
    if (info.validSeconds() == 0 || ra.routerLifetimeSeconds() == 0) {
      u.prefixes.remove(info.l64());
      return;
    }
    Uplink.Prefix p = u.prefixes.get(info.l64());
    if (p == null) {
      if (u.prefixes.size() >= Uplink.MAX_PREFIXES) {
        return;
      }
      p = new Uplink.Prefix(info.l64());
      u.prefixes.put(info.l64(), p);
    }
    // Without the option the interval is read from the lifetime, three times it by default (RFC
    // 4861 §6.2.1); gaps seen say little, for solicited answers come at once.
    p.intervalNanos =
        ra.advertisementIntervalMillis() > 0
            ? NanoClock.millis(ra.advertisementIntervalMillis())
            : NanoClock.seconds(ra.routerLifetimeSeconds()) / 3;
    p.heardNanos = nowNanos;
    p.rerouted |= p.routerL64 != routerL64 || p.routerNid != routerNid;
    p.routerL64 = routerL64;
    p.routerNid = routerNid;
    // Taken as advertised: the two-hour rule (RFC 4862 §5.5.3) would keep dead Locators alive.
    p.validUntilNanos = until(nowNanos, info.validSeconds());
    p.preferredUntilNanos = until(nowNanos, info.preferredSeconds());
  }

  private static long until(long nowNanos, long seconds) {
    return seconds == PrefixInformation.INFINITE
        ? NanoClock.NEVER
        : nowNanos + NanoClock.seconds(seconds);
  }

  /**
   * Moves to {@code toUplink}, or, when it is null, to the best Locator of another uplink. Throws
   * IllegalArgumentException with one clear line when that is not possible.
   */
  public void requestHandoff(long nowNanos, boolean hard, String toUplink) {
    reconcile(nowNanos);
    LocalLocator current = ilcc.local().source();
    String target = toUplink;
    if (target == null) {
      for (LocalLocator l : ilcc.local().all()) {
        if (current != null
            && !l.uplink.equals(current.uplink)
            && l.state() == LocalLocator.State.VALID) {
          target = l.uplink;
        }
      }
      if (target == null) {
        throw new IllegalArgumentException("no other link has a Locator to move to");
      }
    }
    Uplink u = uplinks.get(target);
    if (u == null) {
      throw new IllegalArgumentException(
          "unknown link \""
              + target
              + "\"; the uplinks are "
              + String.join(", ", uplinks.keySet()));
    }
    if (current != null && current.uplink.equals(target)) {
      throw new IllegalArgumentException("already on link \"" + target + "\"");
    }
    u.barred = false;
    pinned = target;
    due = true;
    forceHard = hard;
    reconcile(nowNanos);
    forceHard = false;
    LocalLocator now = ilcc.local().source();
    if (now == null || !now.uplink.equals(target)) {
      pinned = null;
      throw new IllegalArgumentException(
          "link \"" + target + "\" has no Locator: it is down or no router advertises on it");
    }
  }

  /** Notes that a packet came in to {@code l64}: evidence that its link lives. */
  public void onReceived(long nowNanos, long l64) {
    LocalLocator l = ilcc.local().get(l64);
    if (l != null) {
      l.heard(nowNanos);
    }
  }

  /** Brings the set up to date if anything may have changed. */
  public void reconcileIfDue(long nowNanos) {
    if (due) {
      reconcile(nowNanos);
    }
  }

  /** Compares what the uplinks offer with the set there is, and mends the difference. */
  public void reconcile(long nowNanos) {
    due = false;
    boolean changed = removeUnwanted(nowNanos);
    changed |= addWanted(nowNanos);
    changed |= chooseActive(nowNanos);
    for (Uplink u : uplinks.values()) {
      u.solicitIfDue(nowNanos, plumber);
    }
    if (changed) {
      ilcc.localChanged(nowNanos);
    }
    if (changed || nowNanos >= refreshNanos) {
      advertise(nowNanos, changed);
    }
    armTimer(nowNanos);
  }

  /** Tells the set, and plans to tell it again when half of its shortest lifetime has run. */
  private void advertise(long nowNanos, boolean changed) {
    changes += changed ? 1 : 0;
    List<LocatorUpdates.Entry> entries = advertised(nowNanos);
    long shortest = config.maxLifetimeSeconds();
    for (LocatorUpdates.Entry e : entries) {
      shortest = Math.min(shortest, e.lifetimeSeconds());
    }
    refreshNanos =
        entries.isEmpty()
            ? NanoClock.NEVER
            : nowNanos + Math.max(NanoClock.seconds(1), NanoClock.seconds(shortest) / 2);
    updates.advertise(nowNanos, entries, changed);
  }

  /** What Locator Updates say now: every usable Locator, the active one most preferred. */
  List<LocatorUpdates.Entry> advertised(long nowNanos) {
    List<LocatorUpdates.Entry> out = new ArrayList<>();
    for (LocalLocator l : ilcc.local().all()) {
      int preference =
          l.state().rank() << RANK_SHIFT
              | Math.min(MAX_PREFERENCE, l.preference()) << PREFERENCE_SHIFT
              | changes & CHANGE_MASK;
      long left = (l.expiresNanos() - nowNanos) / NanoClock.seconds(1);
      int lifetime = (int) Math.max(1, Math.min(config.maxLifetimeSeconds(), left));
      out.add(new LocatorUpdates.Entry(l.l64, preference, lifetime));
    }
    out.sort((a, b) -> Integer.compare(a.preference(), b.preference()));
    return out;
  }

  private boolean removeUnwanted(long nowNanos) {
    boolean changed = false;
    for (LocalLocator l : List.copyOf(ilcc.local().all())) {
      String why = whyUnwanted(nowNanos, l);
      if (why != null) {
        drop(nowNanos, l, why);
        changed = true;
      }
    }
    return changed;
  }

  private void drop(long nowNanos, LocalLocator l, String why) {
    ilcc.local().remove(l);
    plumber.remove(l.uplink, l.l64);
    observer.onLocatorRemoved(nowNanos, l.uplink, l.l64, why);
  }

  private String whyUnwanted(long nowNanos, LocalLocator l) {
    Uplink u = uplinks.get(l.uplink);
    if (!u.up) {
      return "link down";
    }
    Uplink.Prefix p = u.prefixes.get(l.l64);
    if (p == null) {
      return "router withdrew it";
    }
    if (p.validUntilNanos <= nowNanos) {
      return "lifetime over";
    }
    if (u.barred && anotherUsable(l)) {
      return "left by hard handoff";
    }
    if (l.state() == LocalLocator.State.LEAVING && anotherUsable(l) && nowNanos >= quietNanos(l)) {
      return "no router advertisement and nothing received";
    }
    return null;
  }

  /** When a Locator that is being left may go: nothing was heard on it for a time. */
  private long quietNanos(LocalLocator l) {
    return Math.max(l.heardNanos(), l.leavingSinceNanos()) + config.quietNanos();
  }

  private boolean anotherUsable(LocalLocator except) {
    for (LocalLocator l : ilcc.local().all()) {
      if (l != except && l.state() != LocalLocator.State.LEAVING && !uplinks.get(l.uplink).barred) {
        return true;
      }
    }
    return false;
  }

  private boolean addWanted(long nowNanos) {
    boolean changed = addWanted(nowNanos, false);
    if (ilcc.local().all().isEmpty()) {
      changed |= addWanted(nowNanos, true);
    }
    return changed;
  }

  /**
   * Adds what is missing and refreshes what is there.
   *
   * @param asLastResort also take barred uplinks and prefixes whose RAs are overdue
   */
  private boolean addWanted(long nowNanos, boolean asLastResort) {
    boolean changed = false;
    for (Uplink u : uplinks.values()) {
      if (!u.up || (u.barred && !asLastResort)) {
        continue;
      }
      u.barred = false;
      for (Uplink.Prefix p : u.prefixes.values()) {
        LocalLocator l = ilcc.local().get(p.l64);
        if (l != null) {
          changed |= l.uplink.equals(u.name()) && update(nowNanos, l, p);
        } else if (p.validUntilNanos > nowNanos && (asLastResort || !isOverdue(nowNanos, p))) {
          changed |= add(nowNanos, u, p);
        }
      }
    }
    return changed;
  }

  private boolean isOverdue(long nowNanos, Uplink.Prefix p) {
    return p.overdueNanos(config.raTimeoutFactor()) <= nowNanos
        || p.preferredUntilNanos <= nowNanos;
  }

  private boolean add(long nowNanos, Uplink u, Uplink.Prefix p) {
    if (!plumber.install(u.name(), p.l64, p.routerL64, p.routerNid)) {
      due = true;
      return false;
    }
    p.rerouted = false;
    ilcc.local()
        .add(
            new LocalLocator(
                p.l64,
                u.name(),
                LocalLocator.State.VALID,
                u.config.preference(),
                p.validUntilNanos));
    observer.onLocatorAdded(nowNanos, u.name(), p.l64);
    return true;
  }

  /**
   * Takes over a refreshed lifetime; moves between valid and leaving. True on a change of state.
   */
  private boolean update(long nowNanos, LocalLocator l, Uplink.Prefix p) {
    l.expiresNanos(p.validUntilNanos);
    if (p.rerouted) {
      // Another router advertises the prefix now: packets leave through that one.
      p.rerouted = !plumber.install(l.uplink, p.l64, p.routerL64, p.routerNid);
      due |= p.rerouted;
    }
    boolean overdue = isOverdue(nowNanos, p);
    boolean leaving = l.state() == LocalLocator.State.LEAVING;
    if (overdue && !leaving && anotherUsable(l)) {
      l.leave(nowNanos);
      return true;
    }
    if (!overdue && leaving) {
      l.state(LocalLocator.State.VALID);
      return true;
    }
    return false;
  }

  private boolean chooseActive(long nowNanos) {
    List<LocalLocator> candidates = new ArrayList<>();
    LocalLocator current = null;
    for (LocalLocator l : ilcc.local().all()) {
      if (l.state() == LocalLocator.State.ACTIVE) {
        current = l;
      }
      if (l.state() != LocalLocator.State.LEAVING) {
        candidates.add(l);
      }
    }
    if (candidates.isEmpty()) {
      return noteLost(nowNanos);
    }
    LocalLocator chosen = pinnedOf(candidates);
    if (chosen == null) {
      chosen = config.policy().choose(candidates, current);
    }
    if (chosen == current) {
      return false;
    }
    if (current != null) {
      current.state(LocalLocator.State.VALID);
    }
    chosen.state(LocalLocator.State.ACTIVE);
    moved(nowNanos, chosen);
    return true;
  }

  private LocalLocator pinnedOf(List<LocalLocator> candidates) {
    for (LocalLocator l : candidates) {
      if (l.uplink.equals(pinned)) {
        return l;
      }
    }
    if (pinned != null && !uplinks.get(pinned).up) {
      pinned = null;
    }
    return null;
  }

  /** Records the move, and in a hard handoff cuts the old Locator off at once. */
  private void moved(long nowNanos, LocalLocator to) {
    LocalLocator from = lastActive;
    boolean oldThere = from != null && ilcc.local().get(from.l64) == from;
    boolean hard = from != null && (!oldThere || forceHard || config.hardByDefault());
    if (from != null && oldThere && hard && !from.uplink.equals(to.uplink)) {
      uplinks.get(from.uplink).barred = true;
      for (LocalLocator l : List.copyOf(ilcc.local().all())) {
        if (l.uplink.equals(from.uplink)) {
          drop(nowNanos, l, "left by hard handoff");
        }
      }
    }
    Handoff.Kind kind =
        from == null ? Handoff.Kind.FIRST : hard ? Handoff.Kind.HARD : Handoff.Kind.SOFT;
    if (kind == Handoff.Kind.HARD) {
      counters.add(Counter.HANDOFF_HARD);
    } else if (kind == Handoff.Kind.SOFT) {
      counters.add(Counter.HANDOFF_SOFT);
    }
    lastActive = to;
    hadActive = true;
    observer.onHandoff(
        nowNanos,
        new Handoff(
            kind,
            from == null ? null : from.uplink,
            from == null ? 0 : from.l64,
            to.uplink,
            to.l64));
  }

  private boolean noteLost(long nowNanos) {
    if (!hadActive || ilcc.local().source() != null) {
      return false;
    }
    hadActive = false;
    observer.onHandoff(
        nowNanos, new Handoff(Handoff.Kind.LOST, lastActive.uplink, lastActive.l64, null, 0));
    return true;
  }

  private void armTimer(long nowNanos) {
    long next = refreshNanos;
    for (Uplink u : uplinks.values()) {
      next = Math.min(next, u.nextSolicitNanos());
      for (Uplink.Prefix p : u.prefixes.values()) {
        next = earliestAfter(nowNanos, next, p.validUntilNanos);
        next = earliestAfter(nowNanos, next, p.preferredUntilNanos);
        next = earliestAfter(nowNanos, next, p.overdueNanos(config.raTimeoutFactor()));
      }
    }
    for (LocalLocator l : ilcc.local().all()) {
      if (l.state() == LocalLocator.State.LEAVING) {
        next = earliestAfter(nowNanos, next, quietNanos(l));
      }
    }
    if (due) {
      // An install that failed is tried again soon, not at once.
      next = Math.min(next, nowNanos + NanoClock.millis(50));
      due = false;
    }
    timers.arm(timer, next);
  }

  private static long earliestAfter(long nowNanos, long best, long candidate) {
    return candidate > nowNanos ? Math.min(best, candidate) : best;
  }

  /** Takes every Locator out of the kernel again and disarms; the set is not used after this. */
  public void close(long nowNanos) {
    for (LocalLocator l : List.copyOf(ilcc.local().all())) {
      drop(nowNanos, l, "shutting down");
    }
    timers.remove(timer);
  }
}

package org.ilnp4j.mobility;

import io.netty.buffer.ByteBuf;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.ilnp4j.ilnp.Correspondent;
import org.ilnp4j.ilnp.Ilcc;
import org.ilnp4j.ilnp.LocalLocator;
import org.ilnp4j.ilnp.LocatorPair;
import org.ilnp4j.ilnp.RemoteLocator;
import org.ilnp4j.ip6.Ip6Output;
import org.ilnp4j.time.NanoClock;
import org.ilnp4j.time.Timer;
import org.ilnp4j.time.TimerQueue;
import org.ilnp4j.util.Counter;
import org.ilnp4j.util.Counters;
import org.ilnp4j.util.DropReason;
import org.ilnp4j.util.TokenBucket;
import org.ilnp4j.wire.Icmp6;
import org.ilnp4j.wire.Ip6;
import org.ilnp4j.wire.LocatorUpdate;
import org.ilnp4j.wire.PacketView;

/**
 * Locator Updates, both ways (RFC 6743). Sending: at most one is outstanding per correspondent, a
 * newer set supersedes it, and retransmissions go to every Locator the correspondent was known at.
 * The RFC defines no timer; ours starts at twice the last round trip, within 200 ms and 1 s, and
 * doubles up to 8 s, eight times.
 */
public final class LocatorUpdates {
  /** One Locator of ours as it is told to correspondents. */
  public record Entry(long l64, int preference, int lifetimeSeconds) {}

  static final long MIN_RTO_NANOS = NanoClock.millis(200);
  static final long FIRST_MAX_RTO_NANOS = NanoClock.seconds(1);
  static final long MAX_RTO_NANOS = NanoClock.seconds(8);
  static final int MAX_SENDS = 8;

  /** Updates of one correspondent that are heard; nobody moves more often. */
  static final long HEARD_PER_SECOND = 50;

  /** After a set was replaced, an update that names it again is taken for a late copy. */
  static final long REPLAY_GUARD_NANOS = NanoClock.seconds(2);

  /** What was last told to one correspondent, and whether it has been acknowledged. */
  private final class Advert extends Timer {
    final Correspondent to;
    List<Entry> entries = List.of();
    boolean outstanding;
    int sends;
    long sentNanos;
    long rtoNanos;
    long srttNanos;

    Advert(Correspondent to) {
      this.to = to;
    }

    @Override
    protected void fire(long nowNanos) {
      if (!outstanding) {
        return;
      }
      if (sends >= MAX_SENDS) {
        outstanding = false;
        counters.add(Counter.LU_GIVEN_UP);
        observer.onUpdateGivenUp(nowNanos, to);
        return;
      }
      counters.add(Counter.LU_RETRANSMITTED);
      transmit(nowNanos, this);
    }
  }

  /** What one correspondent told us: the set in force, and those it replaced. */
  private static final class Told {
    static final int REMEMBERED = 8;

    final TokenBucket limit = new TokenBucket(HEARD_PER_SECOND, HEARD_PER_SECOND);
    boolean any;
    long inForce;
    final long[] replaced = new long[REMEMBERED];
    final long[] replacedNanos = new long[REMEMBERED];
    int next;

    Told() {
      Arrays.fill(replacedNanos, -1);
    }

    void replace(long nowNanos, long hash) {
      if (any && inForce != hash) {
        replaced[next] = inForce;
        replacedNanos[next] = nowNanos;
        next = (next + 1) % REMEMBERED;
      }
      any = true;
      inForce = hash;
    }

    /** When the set was replaced lately, else -1. */
    long replacedNanos(long nowNanos, long hash) {
      for (int i = 0; i < REMEMBERED; i++) {
        if (replaced[i] == hash
            && replacedNanos[i] >= 0
            && nowNanos - replacedNanos[i] < REPLAY_GUARD_NANOS) {
          return replacedNanos[i];
        }
      }
      return -1;
    }
  }

  private final Ilcc ilcc;
  private final Ip6Output out;
  private final TimerQueue timers;
  private final Counters counters;
  private final MobilityObserver observer;
  private final LocatorUpdate update = new LocatorUpdate();
  private final Map<Correspondent, Advert> adverts = new HashMap<>();
  private final Map<Correspondent, Told> told = new HashMap<>();

  public LocatorUpdates(
      Ilcc ilcc, Ip6Output out, TimerQueue timers, Counters counters, MobilityObserver observer) {
    this.ilcc = ilcc;
    this.out = out;
    this.timers = timers;
    this.counters = counters;
    this.observer = observer;
  }

  /**
   * Tells every correspondent with a session the whole set (RFC 6743 §3: all valid Locators).
   *
   * @param changed false when only lifetimes are told again: whoever has not acknowledged the last
   *     update yet is left alone then
   */
  public void advertise(long nowNanos, List<Entry> entries, boolean changed) {
    expire();
    if (entries.isEmpty()) {
      // Nothing to tell and no way to tell it; what was outstanding is no longer true.
      for (Advert a : adverts.values()) {
        a.outstanding = false;
        timers.cancel(a);
      }
      return;
    }
    ilcc.forEach(
        c -> {
          if (c.isIlnp() && c.isProven() && c.sessions() > 0) {
            Advert a = adverts.computeIfAbsent(c, Advert::new);
            if (a.outstanding && !changed) {
              return;
            }
            a.entries = entries;
            a.outstanding = true;
            a.sends = 0;
            a.rtoNanos = Math.max(MIN_RTO_NANOS, Math.min(FIRST_MAX_RTO_NANOS, 2 * a.srttNanos));
            transmit(nowNanos, a);
          }
        });
  }

  /** Updates sent and not acknowledged yet. */
  public int outstanding() {
    int n = 0;
    for (Advert a : adverts.values()) {
      n += a.outstanding ? 1 : 0;
    }
    return n;
  }

  private void transmit(long nowNanos, Advert a) {
    LocalLocator source = ilcc.local().source();
    if (source == null) {
      return;
    }
    long target = target(a);
    int upperBytes = LocatorUpdate.bytes(a.entries.size());
    ByteBuf buf = out.start(a.to, new LocatorPair(source.l64, target), Ip6.PROTO_ICMP6, upperBytes);
    int upper = buf.writerIndex();
    writeAdvertisement(buf, a.entries);
    out.finish(buf, upper, Ip6.PROTO_ICMP6, Icmp6.CHECKSUM_OFFSET, false);
    counters.add(Counter.LU_SENT);
    a.sends++;
    a.sentNanos = nowNanos;
    timers.arm(a, nowNanos + a.rtoNanos);
    a.rtoNanos = Math.min(MAX_RTO_NANOS, 2 * a.rtoNanos);
  }

  private static void writeAdvertisement(ByteBuf buf, List<Entry> entries) {
    int n = Math.min(LocatorUpdate.MAX_LOCATORS, entries.size());
    long[] l64 = new long[n];
    int[] preference = new int[n];
    int[] lifetimeSeconds = new int[n];
    for (int i = 0; i < n; i++) {
      l64[i] = entries.get(i).l64;
      preference[i] = entries.get(i).preference;
      lifetimeSeconds[i] = entries.get(i).lifetimeSeconds;
    }
    LocatorUpdate.write(buf, LocatorUpdate.ADVERTISEMENT, n, l64, preference, lifetimeSeconds);
  }

  /**
   * The first copy goes where the session goes; later ones take turns over every Locator known,
   * aged ones too, for the other side may have moved at the same time (RFC 6740 §6.2).
   */
  private static long target(Advert a) {
    List<RemoteLocator> all = a.to.remoteLocators();
    if (a.sends == 0 || a.sends % (all.size() + 1) == 0) {
      LocatorPair path = a.to.path();
      if (path != null) {
        return path.remoteL64();
      }
    }
    return all.get(Math.floorMod(a.sends - 1, all.size())).l64;
  }

  /** A Locator Update that came in; {@code c} is the ILCC's match, nonce checked, or null. */
  public DropReason onUpdate(long nowNanos, PacketView v, Correspondent c) {
    DropReason bad = update.parse(v.buf, v.upperIndex, v.upperLength);
    if (bad != null) {
      return bad;
    }
    if (Ip6.isMulticast(v.dstL64)) {
      return DropReason.LU_MULTICAST;
    }
    if (c == null || !c.isIlnp() || !c.isProven()) {
      return DropReason.LU_NO_CORRESPONDENT;
    }
    if (!v.hasNonce()) {
      return DropReason.NONCE_MISSING_ICMP;
    }
    return update.operation == LocatorUpdate.ADVERTISEMENT
        ? onAdvertisement(nowNanos, v, c)
        : onAcknowledgement(nowNanos, c);
  }

  private DropReason onAdvertisement(long nowNanos, PacketView v, Correspondent c) {
    counters.add(Counter.LU_RECEIVED);
    long hash = setHash();
    Told t = told.computeIfAbsent(c, k -> new Told());
    if (!t.limit.tryTake(nowNanos)) {
      return DropReason.LU_RATE_LIMITED;
    }
    long replacedNanos = t.replacedNanos(nowNanos, hash);
    if (hash != t.inForce && replacedNanos >= 0 && !dataSince(c, v.srcL64, replacedNanos)) {
      return DropReason.LU_REPLAYED_SET;
    }
    t.replace(nowNanos, hash);
    ilcc.replaceLocators(
        nowNanos, c, update.count, update.l64, update.preference, update.lifetimeSeconds);
    acknowledge(v, c);
    return null;
  }

  /** True when the correspondent itself sends data from {@code l64} since the set was replaced. */
  private static boolean dataSince(Correspondent c, long l64, long sinceNanos) {
    RemoteLocator r = c.remoteLocator(l64);
    return r != null && r.heardNanos() > sinceNanos;
  }

  /** Same body, operation 2, back to where the update came from (RFC 6743 §3). */
  private void acknowledge(PacketView v, Correspondent c) {
    LocalLocator source = ilcc.local().source();
    long from = source != null ? source.l64 : v.dstL64;
    ByteBuf buf =
        out.start(
            c, new LocatorPair(from, v.srcL64), Ip6.PROTO_ICMP6, LocatorUpdate.bytes(update.count));
    int upper = buf.writerIndex();
    update.write(buf, LocatorUpdate.ACKNOWLEDGEMENT);
    out.finish(buf, upper, Ip6.PROTO_ICMP6, Icmp6.CHECKSUM_OFFSET, false);
    counters.add(Counter.LU_ACK_SENT);
  }

  private DropReason onAcknowledgement(long nowNanos, Correspondent c) {
    Advert a = adverts.get(c);
    if (a == null || !a.outstanding || !matches(a)) {
      return DropReason.LU_UNMATCHED_ACK;
    }
    counters.add(Counter.LU_ACK_RECEIVED);
    a.outstanding = false;
    timers.cancel(a);
    long rttNanos = a.sends == 1 ? nowNanos - a.sentNanos : -1;
    if (rttNanos >= 0) {
      a.srttNanos = rttNanos;
    }
    observer.onUpdateAcknowledged(nowNanos, c, rttNanos);
    return null;
  }

  private boolean matches(Advert a) {
    if (a.entries.size() != update.count) {
      return false;
    }
    for (int i = 0; i < update.count; i++) {
      Entry e = a.entries.get(i);
      if (e.l64 != update.l64[i]
          || e.preference != update.preference[i]
          || e.lifetimeSeconds != update.lifetimeSeconds[i]) {
        return false;
      }
    }
    return true;
  }

  /** Of Locators and preferences; lifetimes run and do not make another set. */
  private long setHash() {
    long h = 1;
    for (int i = 0; i < update.count; i++) {
      h = (h * 31 + update.l64[i]) * 0x9e37_79b9_7f4a_7c15L + update.preference[i];
    }
    return h;
  }

  /** Forgets correspondents without sessions. */
  public void expire() {
    for (Iterator<Advert> i = adverts.values().iterator(); i.hasNext(); ) {
      Advert a = i.next();
      if (a.to.sessions() == 0) {
        timers.remove(a);
        i.remove();
      }
    }
    told.keySet().removeIf(c -> c.sessions() == 0);
  }

  /** Disarms everything. */
  public void close() {
    adverts.values().forEach(timers::remove);
    adverts.clear();
    told.clear();
  }
}

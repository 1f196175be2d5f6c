package org.ilnp4j.ip6;

import java.util.HashMap;
import java.util.Map;
import org.ilnp4j.ilnp.LocatorPair;
import org.ilnp4j.time.NanoClock;
import org.ilnp4j.wire.Ip6;

/**
 * The largest packet each pair of Locators is known to carry (RFC 8201, RFC 8899). A pair nothing
 * is known of carries what the link does; after a move a session thus begins there, or with what
 * others have found out.
 */
public final class PathMtu {
  /** What is known of a pair that nobody sends on is forgotten after this. */
  static final long LIFETIME_NANOS = NanoClock.seconds(600);

  static final int MAX_ENTRIES = 4096;

  private static final class Entry {
    final Plpmtud search;
    long usedNanos;

    Entry(long nowNanos, Plpmtud search) {
      this.search = search;
      usedNanos = nowNanos;
    }
  }

  private final int linkMtu;
  private final Map<LocatorPair, Entry> known = new HashMap<>();

  /**
   * @param linkMtu MTU of the first hop, at least 1280
   */
  public PathMtu(int linkMtu) {
    if (linkMtu < Ip6.MIN_MTU) {
      throw new IllegalArgumentException("MTU " + linkMtu + " is below 1280");
    }
    this.linkMtu = linkMtu;
  }

  /** MTU of the first hop. */
  public int linkMtu() {
    return linkMtu;
  }

  /** Octets of the largest IPv6 packet to send on {@code pair}. */
  public int get(long nowNanos, LocatorPair pair) {
    Plpmtud search = search(nowNanos, pair);
    return search == null ? linkMtu : search.bytes();
  }

  /** The search on a pair that carries less than the link, else null. */
  public Plpmtud search(long nowNanos, LocatorPair pair) {
    if (known.isEmpty()) {
      return null;
    }
    Entry e = known.get(pair);
    if (e == null) {
      return null;
    }
    if (nowNanos - e.usedNanos >= LIFETIME_NANOS) {
      known.remove(pair);
      return null;
    }
    e.usedNanos = nowNanos;
    return e.search;
  }

  /** Values held; at most {@link #MAX_ENTRIES}. */
  int entries() {
    return known.size();
  }

  /**
   * A Packet Too Big said so, and whoever sent the packet it quotes believes it. True when the
   * known value went down; a size below 1280 is discarded (RFC 8201 §4).
   */
  public boolean lower(long nowNanos, LocatorPair pair, int mtu) {
    if (mtu < Ip6.MIN_MTU || mtu >= linkMtu) {
      return false;
    }
    Plpmtud search = search(nowNanos, pair);
    if (search != null) {
      return search.onTooBig(nowNanos, mtu);
    }
    put(nowNanos, pair, Plpmtud.limited(nowNanos, linkMtu, mtu));
    return true;
  }

  /**
   * Packets of {@code lostBytes}, more than 1280, vanish on {@code pair}, and smaller ones do not.
   */
  public void blackHole(long nowNanos, LocatorPair pair, int lostBytes) {
    Plpmtud search = search(nowNanos, pair);
    if (search != null) {
      search.onBlackHole(nowNanos, lostBytes);
    } else {
      put(nowNanos, pair, Plpmtud.blackHole(nowNanos, linkMtu, lostBytes));
    }
  }

  private void put(long nowNanos, LocatorPair pair, Plpmtud search) {
    if (known.size() >= MAX_ENTRIES) {
      known.values().removeIf(e -> nowNanos - e.usedNanos >= LIFETIME_NANOS);
      if (known.size() >= MAX_ENTRIES) {
        known.clear();
      }
    }
    known.put(pair, new Entry(nowNanos, search));
  }
}

package org.ilnp4j.ip6;

import java.util.HashMap;
import java.util.Map;
import org.ilnp4j.ilnp.LocatorPair;
import org.ilnp4j.time.NanoClock;
import org.ilnp4j.wire.Ip6;

/** Path MTU discovery (RFC 8201): the largest packet each pair of Locators is known to carry. */
public final class PathMtu {
  /** A learned value is forgotten after this, so that a larger one can be found (RFC 8201 §4). */
  static final long LIFETIME_NANOS = NanoClock.seconds(600);

  static final int MAX_ENTRIES = 4096;

  private record Entry(int mtu, long expiresNanos) {}

  private final int linkMtu;
  private final Map<LocatorPair, Entry> learned = new HashMap<>();

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
    if (learned.isEmpty()) {
      return linkMtu;
    }
    Entry e = learned.get(pair);
    if (e == null) {
      return linkMtu;
    }
    if (e.expiresNanos <= nowNanos) {
      learned.remove(pair);
      return linkMtu;
    }
    return e.mtu;
  }

  /** Values held; at most {@link #MAX_ENTRIES}. */
  int entries() {
    return learned.size();
  }

  /**
   * A Packet Too Big said so. True when the known value went down; a size below 1280 is discarded
   * (RFC 8201 §4).
   */
  public boolean lower(long nowNanos, LocatorPair pair, int mtu) {
    if (mtu < Ip6.MIN_MTU || mtu >= get(nowNanos, pair)) {
      return false;
    }
    if (learned.size() >= MAX_ENTRIES && !learned.containsKey(pair)) {
      learned.values().removeIf(e -> e.expiresNanos <= nowNanos);
      if (learned.size() >= MAX_ENTRIES) {
        learned.clear();
      }
    }
    learned.put(pair, new Entry(mtu, nowNanos + LIFETIME_NANOS));
    return true;
  }
}

package org.ilnp4j.sim;

import java.util.ArrayList;
import java.util.List;

/** Routes by longest prefix. A linear table: simulated routers have a handful of routes. */
public final class ForwardingTable {
  /** More routes than this want another data structure. */
  static final int MAX_ROUTES = 256;

  private record Route(long l64, long nid, int length, SimPort out) {
    boolean matches(long dstL64, long dstNid) {
      if (length <= 64) {
        return ((dstL64 ^ l64) & mask(length)) == 0;
      }
      return dstL64 == l64 && ((dstNid ^ nid) & mask(length - 64)) == 0;
    }

    boolean isFor(Route other) {
      return length == other.length && matches(other.l64, other.nid);
    }

    private static long mask(int bits) {
      return bits == 0 ? 0 : -1L << (64 - bits);
    }
  }

  /** Longest prefix first. */
  private final List<Route> routes = new ArrayList<>();

  /** Adds a route to a prefix of at most 64 bits, or replaces the one there is. */
  public void put(long l64, int length, SimPort out) {
    put(l64, 0, length, out);
  }

  /**
   * Adds a route or replaces the one to the same prefix.
   *
   * @param length prefix length, 0 (default route) to 128 (one address)
   */
  public void put(long l64, long nid, int length, SimPort out) {
    if (length < 0 || length > 128) {
      throw new IllegalArgumentException("prefix length " + length);
    }
    Route route = new Route(l64, nid, length, out);
    routes.removeIf(route::isFor);
    if (routes.size() == MAX_ROUTES) {
      throw new IllegalStateException("forwarding table is full: " + MAX_ROUTES + " routes");
    }
    int i = 0;
    while (i < routes.size() && routes.get(i).length >= length) {
      i++;
    }
    routes.add(i, route);
  }

  /** Removes the route to exactly this prefix; false if there is none. */
  public boolean remove(long l64, long nid, int length) {
    Route route = new Route(l64, nid, length, null);
    return routes.removeIf(route::isFor);
  }

  /** Where packets to this address leave, or null. */
  public SimPort lookup(long dstL64, long dstNid) {
    for (int i = 0; i < routes.size(); i++) {
      Route r = routes.get(i);
      if (r.matches(dstL64, dstNid)) {
        return r.out;
      }
    }
    return null;
  }
}

package org.ilnp4j.daemon.plumbing;

import java.util.List;
import java.util.Optional;
import org.ilnp4j.tun.Ip6Address;
import org.ilnp4j.tun.Route;
import org.ilnp4j.tun.Rule;

/**
 * Numbers of routing tables, which are at the same time priorities of rules. A daemon has {@link
 * #COUNT} in a row: the first is the host table (all addresses of the node, to the TUN), each of
 * the others serves one Locator on one uplink (its default route), so that a packet always leaves
 * by the router that gave its source address (RFC 8028).
 */
final class Slots {
  static final int COUNT = 64;
  private static final int FIRST_BASE = 17_600;
  private static final int LAST_BASE = 31_900;

  /**
   * What is to be forwarded and is not ours goes nowhere. Behind the rules of all daemons and
   * before the main table.
   */
  static final Rule GUARD = Rule.blackholeForwarded(32_000);

  private final int base;
  private final Wanted[] taken = new Wanted[COUNT];

  /**
   * A Locator that is to work on an uplink.
   *
   * @param address Locator and NID
   * @param router link-local address of the router
   */
  record Wanted(String uplink, Ip6Address address, Ip6Address router) {
    boolean isFor(String someUplink, Ip6Address someAddress) {
      return uplink.equals(someUplink) && address.equals(someAddress);
    }
  }

  Slots(int base) {
    this.base = base;
  }

  /** The first row of numbers that no daemon, rule or route uses. */
  static Optional<Integer> freeBase(
      List<PlumbingState> living, List<Rule> rules, List<Route> routes) {
    for (int base = FIRST_BASE; base <= LAST_BASE; base += 100) {
      int from = base;
      int to = base + COUNT;
      if (living.stream().noneMatch(s -> s.tableBase == from)
          && rules.stream().noneMatch(r -> within(r.priority(), from, to))
          && rules.stream().noneMatch(r -> within(r.table(), from, to))
          && routes.stream().noneMatch(r -> within(r.table(), from, to))) {
        return Optional.of(base);
      }
    }
    return Optional.empty();
  }

  private static boolean within(int number, int from, int to) {
    return number >= from && number < to;
  }

  int hostTable() {
    return base;
  }

  /** Table and priority of a slot. */
  int table(int slot) {
    return base + slot;
  }

  /** The slot of this Locator on this uplink, or a free one; 0 if all are taken. */
  int find(String uplink, Ip6Address address) {
    int free = 0;
    for (int i = COUNT - 1; i > 0; i--) {
      if (taken[i] == null) {
        free = i;
      } else if (taken[i].isFor(uplink, address)) {
        return i;
      }
    }
    return free;
  }

  /** What a slot holds, or null. */
  Wanted get(int slot) {
    return taken[slot];
  }

  void set(int slot, Wanted wanted) {
    taken[slot] = wanted;
  }

  /** True if the address is wanted on some uplink. */
  boolean holds(Ip6Address address) {
    for (Wanted w : taken) {
      if (w != null && w.address.equals(address)) {
        return true;
      }
    }
    return false;
  }
}

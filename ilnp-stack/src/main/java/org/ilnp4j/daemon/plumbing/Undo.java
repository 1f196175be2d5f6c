package org.ilnp4j.daemon.plumbing;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.ilnp4j.tun.DirectoryLock;
import org.ilnp4j.tun.Netlink;
import org.ilnp4j.tun.ProxyNeighbour;
import org.ilnp4j.tun.Route;
import org.ilnp4j.tun.Rule;

/**
 * Takes back what a record says a daemon changed. Routes, rules and proxy entries are found by what
 * the kernel has, not by what was noted: they carry our protocol number.
 */
final class Undo {
  private Undo() {}

  /**
   * Undoes one record and deletes it, unless something failed; then it is kept for another try.
   *
   * @param others records of the other living daemons in this network namespace
   */
  static void all(PlumbingState state, List<PlumbingState> others, Netlink netlink)
      throws IOException {
    Failures failures = new Failures();
    failures.attempt(
        () -> {
          for (Rule r : netlink.rules()) {
            if (isOurs(r.protocol()) && owns(state, r.priority())) {
              failures.attempt(() -> netlink.deleteRule(r));
            }
          }
        });
    if (state.guard && others.stream().noneMatch(o -> o.guard)) {
      failures.attempt(() -> netlink.deleteRule(Slots.GUARD));
    }
    failures.attempt(
        () -> {
          for (Route r : netlink.routes()) {
            if (isOurs(r.protocol()) && owns(state, r.table())) {
              failures.attempt(() -> netlink.deleteRoute(r));
            }
          }
        });
    failures.attempt(
        () -> {
          for (ProxyNeighbour p : netlink.proxies()) {
            if (isOurs(p.protocol()) && p.address().low() == state.nid) {
              failures.attempt(() -> netlink.deleteProxy(p));
            }
          }
        });
    HostSettings.restore(state, others, failures);
    failures.rethrow();
    state.delete();
  }

  /**
   * Undoes what daemons that no longer live left in this network namespace. The caller holds the
   * lock of the directory.
   *
   * @return the names of the daemons
   */
  static List<String> leftovers(Path stateDir, Netlink netlink, DirectoryLock lock)
      throws IOException {
    String namespace = namespace(netlink);
    List<PlumbingState> alive = living(stateDir, namespace, lock);
    List<String> undone = new ArrayList<>();
    Failures failures = new Failures();
    for (PlumbingState s : PlumbingState.loadAll(stateDir)) {
      if (!s.process.isOfThisBoot()) {
        s.delete(); // the kernel has forgotten it all
      } else if (s.namespace.equals(namespace) && !s.process.isAlive()) {
        failures.attempt(
            () -> {
              all(s, alive, netlink);
              undone.add(s.instance());
            });
      }
    }
    failures.rethrow();
    return undone;
  }

  /**
   * The records of the daemons that live in a network namespace. The caller holds the lock of the
   * directory, which it shows.
   */
  static List<PlumbingState> living(Path stateDir, String namespace, DirectoryLock lock)
      throws IOException {
    Objects.requireNonNull(lock);
    List<PlumbingState> living = new ArrayList<>();
    for (PlumbingState s : PlumbingState.loadAll(stateDir)) {
      if (s.namespace.equals(namespace) && s.process.isAlive()) {
        living.add(s);
      }
    }
    return living;
  }

  /** What tells network namespaces apart: the cookie, or the inode on kernels without cookies. */
  static String namespace(Netlink netlink) throws IOException {
    long cookie = netlink.namespaceCookie();
    return cookie != 0
        ? Long.toUnsignedString(cookie)
        : Files.readSymbolicLink(Path.of("/proc/thread-self/ns/net")).toString();
  }

  private static boolean isOurs(int protocol) {
    return protocol == Netlink.PROTOCOL;
  }

  private static boolean owns(PlumbingState state, int tableOrPriority) {
    return tableOrPriority >= state.tableBase && tableOrPriority < state.tableBase + Slots.COUNT;
  }
}

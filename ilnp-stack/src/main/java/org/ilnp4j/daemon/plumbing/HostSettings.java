package org.ilnp4j.daemon.plumbing;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.ilnp4j.daemon.plumbing.PlumbingState.Change;
import org.ilnp4j.tun.Link;
import org.ilnp4j.tun.LinuxException;
import org.ilnp4j.tun.Sysctl;

/**
 * The kernel settings of the host that forwarding between TUN and uplinks needs. Each is recorded
 * before it is changed.
 *
 * <p>Forwarding makes the kernel a router in its own eyes: it stops to listen to router
 * advertisements and throws away the routes it has from them, at once, on every interface whose
 * {@code accept_ra} is not 2. Therefore those that listen now are set to 2 first.
 */
final class HostSettings {
  static final String FORWARDING = Sysctl.ipv6("all", "forwarding");
  private static final String ON = "1";
  private static final String OFF = "0";
  private static final String ACCEPT_RA_AS_ROUTER = "2";

  private final PlumbingState state;
  private final List<PlumbingState> others;
  private final Set<String> uplinks;

  /** What the settings must be, in the order of setting. Only those that exist. */
  private final Map<String, String> wanted = new LinkedHashMap<>();

  /**
   * @param others records of the living daemons in this network namespace; what one of them has
   *     changed already has the original value there
   */
  HostSettings(PlumbingState state, List<PlumbingState> others, List<String> uplinks) {
    this.state = state;
    this.others = others;
    this.uplinks = Set.copyOf(uplinks);
  }

  /** Records and changes everything. */
  void apply(List<Link> links) throws IOException {
    listenAsRouter("default");
    for (Link l : links) {
      listenAsRouter(l.name());
    }
    for (Link l : links) {
      // Writing "all" overwrites these; only a value that is lost by undoing has to be kept.
      String key = Sysctl.ipv6(l.name(), "forwarding");
      if (original(key).equals(Optional.of(ON))) {
        want(key, ON);
      }
    }
    want(Sysctl.ipv6("default", "forwarding"), ON);
    want(FORWARDING, ON);
    for (Link l : links) {
      if (uplinks.contains(l.name())) {
        wantUplink(l);
      }
    }
    state.guard = !originalIs(FORWARDING, ON);
    state.save();
    write();
  }

  /**
   * Sets again what somebody else has changed, and sets up uplinks that have come since.
   *
   * @return how many settings were put right
   */
  int reconcile(List<Link> links) throws IOException {
    int known = state.changes.size();
    for (Link l : links) {
      if (uplinks.contains(l.name())) {
        listenAsRouter(l.name());
        wantUplink(l);
      }
    }
    if (state.changes.size() != known) {
      state.save();
    }
    return write();
  }

  private void listenAsRouter(String interfaceName) throws LinuxException {
    String acceptRa = Sysctl.ipv6(interfaceName, "accept_ra");
    String forwarding = Sysctl.ipv6(interfaceName, "forwarding");
    // 0 = somebody decided against it, perhaps a program that does the same in user space.
    if (originalIs(acceptRa, ON) && originalIs(forwarding, OFF)) {
      want(acceptRa, ACCEPT_RA_AS_ROUTER);
    }
  }

  private void wantUplink(Link link) throws LinuxException {
    String name = link.name();
    want(Sysctl.ipv6(name, "forwarding"), ON);
    want(Sysctl.ipv6(name, "proxy_ndp"), ON);
    // The kernel delays proxied answers by up to 0.8 s, for redundant proxies that we have not.
    want(Sysctl.neighbour(name, "proxy_delay"), OFF);
    // Until duplicate address detection is over (1 s) the host has no address to answer neighbour
    // solicitations from or to ask its router: the new link would be dead that long after a move.
    want(Sysctl.ipv6(name, "accept_dad"), OFF);
    want(Sysctl.ipv6(name, "dad_transmits"), OFF);
    want(Sysctl.ipv6(name, "router_solicitation_delay"), OFF);
    if (!link.kind().isEmpty()) {
      // On virtual links segments travel with partial checksums, which GRO breaks.
      want(KernelSetting.gro(name), "off");
    }
  }

  /** Records a setting that exists and is to have a value. */
  private void want(String key, String value) throws LinuxException {
    if (wanted.containsKey(key)) {
      return;
    }
    Optional<String> original = original(key);
    if (original.isPresent()) {
      wanted.put(key, value);
      state.changes.putIfAbsent(key, new Change(original.get(), value));
    }
  }

  private boolean originalIs(String key, String value) throws LinuxException {
    return original(key).equals(Optional.of(value));
  }

  /** The value before any daemon changed it. */
  private Optional<String> original(String key) throws LinuxException {
    Change mine = state.changes.get(key);
    if (mine != null) {
      return Optional.of(mine.original());
    }
    for (PlumbingState other : others) {
      Change theirs = other.changes.get(key);
      if (theirs != null) {
        return Optional.of(theirs.original());
      }
      // "all" set every interface; those that were on before it are in the record.
      Change all = other.changes.get(FORWARDING);
      if (key.endsWith("/forwarding") && all != null && all.original().equals(OFF)) {
        return Optional.of(OFF);
      }
    }
    return KernelSetting.read(key);
  }

  /** Only where a program has meanwhile decided to hear advertisements itself, that is left so. */
  private int write() throws LinuxException {
    int written = 0;
    for (Map.Entry<String, String> e : wanted.entrySet()) {
      Optional<String> now = KernelSetting.read(e.getKey());
      boolean left = e.getKey().endsWith("/accept_ra") && now.equals(Optional.of(OFF));
      if (now.isPresent() && !now.get().equals(e.getValue()) && !left) {
        KernelSetting.write(e.getKey(), e.getValue());
        written++;
      }
    }
    return written;
  }

  /**
   * Puts back what a record holds, last change first. A setting that somebody changed meanwhile
   * stays as it is; one that another living daemon needs stays until that one ends.
   */
  static void restore(PlumbingState state, List<PlumbingState> others, Failures failures) {
    List<Map.Entry<String, Change>> backwards = new ArrayList<>(state.changes.entrySet());
    Collections.reverse(backwards);
    for (Map.Entry<String, Change> e : backwards) {
      String key = e.getKey();
      Change c = e.getValue();
      if (others.stream().anyMatch(o -> o.changes.containsKey(key))) {
        continue;
      }
      failures.attempt(
          () -> {
            Optional<String> now = KernelSetting.read(key);
            // Forwarding of one interface follows "all", also when that is put back.
            boolean ours = now.isPresent() && now.get().equals(c.ours());
            boolean follows = now.isPresent() && key.endsWith("/forwarding");
            if ((ours || follows) && !now.get().equals(c.original())) {
              KernelSetting.write(key, c.original());
            }
          });
    }
  }
}

package org.ilnp4j.daemon.plumbing;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.ilnp4j.daemon.config.Directories;
import org.ilnp4j.daemon.plumbing.Slots.Wanted;
import org.ilnp4j.ilnp.Nid;
import org.ilnp4j.mobility.LocatorPlumber;
import org.ilnp4j.tun.Capabilities;
import org.ilnp4j.tun.DirectoryLock;
import org.ilnp4j.tun.Errno;
import org.ilnp4j.tun.Ip6Address;
import org.ilnp4j.tun.Link;
import org.ilnp4j.tun.LinkAddress;
import org.ilnp4j.tun.LinuxException;
import org.ilnp4j.tun.Netlink;
import org.ilnp4j.tun.ProxyNeighbour;
import org.ilnp4j.tun.Route;
import org.ilnp4j.tun.Rule;
import org.ilnp4j.tun.Sysctl;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the kernel as one daemon needs it (see the package). {@link #start} takes tens of
 * milliseconds, {@link #install} some tenths of one, {@link #reconcile} about one. One thread at a
 * time, in the network namespace of the daemon.
 */
public final class KernelPlumbing implements LocatorPlumber, Closeable {
  private static final Logger LOG = LoggerFactory.getLogger(KernelPlumbing.class);

  /** Room for a burst of small packets while the loop does something else; the default is 500. */
  private static final int TUN_QUEUE_PACKETS = 5000;

  private final PlumbingPlan plan;
  private final Consumer<String> solicitor;
  private final Netlink netlink;
  private final PlumbingState state;
  private final HostSettings settings;
  private final Slots slots;

  /** The last complaint about each uplink and address, so that a retry does not repeat it. */
  private final Map<String, String> complaints = new HashMap<>();

  private int tunIndex;
  private boolean closed;

  private KernelPlumbing(
      PlumbingPlan plan,
      Consumer<String> solicitor,
      Netlink netlink,
      PlumbingState state,
      HostSettings settings) {
    this.plan = plan;
    this.solicitor = solicitor;
    this.netlink = netlink;
    this.state = state;
    this.settings = settings;
    this.slots = new Slots(state.tableBase);
  }

  /**
   * Undoes what dead daemons left, records and changes the settings of the host, and brings the TUN
   * device up. When it throws, everything is as before.
   *
   * @param solicitor called with an uplink by {@link #solicit}
   * @throws IOException with one clear line: an uplink that does not exist, no permission, a daemon
   *     of this name that lives, a NID that the host itself uses
   */
  public static KernelPlumbing start(PlumbingPlan plan, Consumer<String> solicitor)
      throws IOException {
    if (!Capabilities.current().netAdmin()) {
      throw new LinuxException("change the network settings of", "this host", Errno.EPERM);
    }
    Netlink netlink = Netlink.open();
    try {
      for (String uplink : plan.uplinks()) {
        netlink.requireLink(uplink);
      }
      Directories.create("state.dir", plan.stateDir());
      try (DirectoryLock lock = DirectoryLock.take(plan.stateDir())) {
        for (String dead : Undo.leftovers(plan.stateDir(), netlink, lock)) {
          LOG.warn("undid what the daemon {} left behind when it was killed", dead);
        }
        return startLocked(plan, solicitor, netlink, lock);
      }
    } catch (IOException | RuntimeException e) {
      netlink.close();
      throw e;
    }
  }

  private static KernelPlumbing startLocked(
      PlumbingPlan plan, Consumer<String> solicitor, Netlink netlink, DirectoryLock lock)
      throws IOException {
    String namespace = Undo.namespace(netlink);
    List<PlumbingState> living = Undo.living(plan.stateDir(), namespace, lock);
    Path file = PlumbingState.fileOf(plan.stateDir(), plan.instance());
    refuseSecondDaemon(plan);
    refuseNidOfHost(plan.nid(), netlink);
    int base =
        Slots.freeBase(living, netlink.rules(), netlink.routes())
            .orElseThrow(() -> new IOException("no free numbers for routing tables on this host"));
    PlumbingState state =
        new PlumbingState(file, ProcessIdentity.current(), namespace, plan.nid(), base);
    HostSettings settings = new HostSettings(state, living, plan.uplinks());
    KernelPlumbing plumbing = new KernelPlumbing(plan, solicitor, netlink, state, settings);
    try {
      settings.apply(netlink.links());
      plumbing.bringTunUp();
      plumbing.addSharedRules();
    } catch (IOException e) {
      try {
        Undo.all(state, living, netlink);
      } catch (IOException undo) {
        e.addSuppressed(undo);
      }
      throw e;
    }
    return plumbing;
  }

  private static void refuseSecondDaemon(PlumbingPlan plan) throws IOException {
    for (PlumbingState s : PlumbingState.loadAll(plan.stateDir())) {
      if (s.instance().equals(plan.instance()) && s.process.isAlive()) {
        throw new IOException(
            "a daemon called \""
                + plan.instance()
                + "\" runs already (process "
                + s.process.pid()
                + "); stop it, or give this one another name");
      }
    }
  }

  /** The kernel would take the packets of an address that it has itself. */
  private static void refuseNidOfHost(long nid, Netlink netlink) throws IOException {
    for (LinkAddress a : netlink.addresses()) {
      if (a.address().low() == nid) {
        throw new IOException(
            "the NID "
                + Nid.format(nid)
                + " is the interface identifier of this host's own address "
                + a.address()
                + "; give the daemon a NID of its own: nid = \"random\", or four hex groups");
      }
    }
  }

  private void bringTunUp() throws LinuxException {
    Link tun = netlink.requireLink(plan.tunName());
    tunIndex = tun.index();
    Sysctl.write(Sysctl.ipv6(tun.name(), "disable_ipv6"), "0");
    // The kernel itself has nothing to say on this device: no address, no solicitations.
    Sysctl.write(Sysctl.ipv6(tun.name(), "addr_gen_mode"), "1");
    Sysctl.write(Sysctl.ipv6(tun.name(), "accept_ra"), "0");
    netlink.setMtu(tunIndex, plan.tunMtuBytes());
    netlink.setTxQueueLength(tunIndex, TUN_QUEUE_PACKETS);
    netlink.setUp(tunIndex, true);
  }

  /** Adds the rules that all Locators share, where missing; returns how many were. */
  private int addSharedRules() throws LinuxException {
    int added = netlink.addRule(Rule.lookup(slots.hostTable(), slots.hostTable())) ? 1 : 0;
    if (state.guard && netlink.addRule(Slots.GUARD)) {
      added++;
    }
    return added;
  }

  // ---- Locators

  /**
   * {@inheritDoc} From now on {@link #reconcile} keeps it so, until {@link #remove}. Not possible
   * while the uplink is down or without carrier, without the router's link-local address, and if
   * the host itself has this address.
   */
  @Override
  public boolean install(String uplink, long l64, long routerL64, long routerNid) {
    Ip6Address address = new Ip6Address(l64, plan.nid());
    Wanted wanted = new Wanted(uplink, address, new Ip6Address(routerL64, routerNid));
    int slot = slots.find(uplink, address);
    String refusal;
    try {
      refusal = slot == 0 ? "there are too many Locators" : tryInstall(slot, wanted);
    } catch (LinuxException e) {
      refusal = e.getMessage();
    }
    if (refusal.isEmpty()) {
      complaints.remove(address + uplink);
      return true;
    }
    complain(wanted, refusal);
    remove(uplink, l64);
    return false;
  }

  /** Says each thing once: the caller tries again and again. */
  private void complain(Wanted wanted, String refusal) {
    if (complaints.size() >= Slots.COUNT) {
      complaints.clear();
    }
    String previous = complaints.put(wanted.address() + wanted.uplink(), refusal);
    if (!refusal.equals(previous)) {
      LOG.warn("{} cannot be used on {}: {}", wanted.address(), wanted.uplink(), refusal);
    }
  }

  /** Returns why not, or nothing. */
  private String tryInstall(int slot, Wanted wanted) throws LinuxException {
    if (!wanted.router().isLinkLocal()) {
      return "its router is not known";
    }
    Optional<Link> link = netlink.link(wanted.uplink());
    if (link.isEmpty() || !link.get().isUp()) {
      return "the link is down or has no carrier";
    }
    for (LinkAddress own : netlink.addresses()) {
      if (own.address().equals(wanted.address())) {
        return "the host itself has this address; give the daemon a NID of its own";
      }
    }
    slots.set(slot, wanted);
    int index = link.get().index();
    netlink.replaceRoute(hostRoute(wanted));
    netlink.replaceRoute(defaultRoute(slot, wanted, index));
    netlink.addRule(sourceRule(slot, wanted));
    netlink.addProxy(proxy(wanted, index));
    return "";
  }

  private Route hostRoute(Wanted w) {
    return Route.host(w.address(), tunIndex, slots.hostTable());
  }

  private Route defaultRoute(int slot, Wanted w, int uplinkIndex) {
    return Route.defaultVia(w.router(), uplinkIndex, slots.table(slot));
  }

  /** Only what comes out of the TUN: a packet from outside with our source is not ours. */
  private Rule sourceRule(int slot, Wanted w) {
    return Rule.from(w.address(), plan.tunName(), slots.table(slot), slots.table(slot));
  }

  private static ProxyNeighbour proxy(Wanted w, int uplinkIndex) {
    return new ProxyNeighbour(uplinkIndex, w.address(), Netlink.PROTOCOL);
  }

  @Override
  public void remove(String uplink, long l64) {
    Ip6Address address = new Ip6Address(l64, plan.nid());
    int slot = slots.find(uplink, address);
    if (slot == 0 || slots.get(slot) == null) {
      return;
    }
    Wanted w = slots.get(slot);
    slots.set(slot, null);
    Failures failures = new Failures();
    failures.attempt(() -> netlink.deleteRule(sourceRule(slot, w)));
    failures.attempt(
        () -> {
          for (Route r : netlink.routes(slots.table(slot))) {
            failures.attempt(() -> netlink.deleteRoute(r));
          }
        });
    failures.attempt(
        () -> {
          Optional<Link> link = netlink.link(uplink);
          if (link.isPresent()) {
            netlink.deleteProxy(proxy(w, link.get().index()));
          }
        });
    if (!slots.holds(address)) {
      failures.attempt(() -> netlink.deleteRoute(hostRoute(w)));
    }
    try {
      failures.rethrow();
    } catch (IOException e) {
      LOG.warn("{} stays on {} until the daemon ends: {}", address, uplink, e.getMessage());
    }
  }

  @Override
  public void solicit(String uplink) {
    solicitor.accept(uplink);
  }

  // ---- reconciliation

  /**
   * Compares what is wanted with what the kernel has and puts back what is missing: after link
   * events, after lost events, and now and then. Changes nothing when nothing is missing.
   *
   * @return how many settings, rules, routes and entries were put back
   */
  public int reconcile() throws IOException {
    List<Link> links = netlink.links();
    int repaired = settings.reconcile(links) + addSharedRules();
    List<Rule> rules = netlink.rules();
    List<ProxyNeighbour> proxies = netlink.proxies();
    List<Route> hostRoutes = netlink.routes(slots.hostTable());
    for (int slot = 1; slot < Slots.COUNT; slot++) {
      Wanted w = slots.get(slot);
      if (w == null) {
        continue;
      }
      Optional<Link> link = links.stream().filter(l -> l.name().equals(w.uplink())).findFirst();
      if (link.isEmpty() || !link.get().isUp()) {
        continue;
      }
      int index = link.get().index();
      Route host = hostRoute(w);
      if (hostRoutes.stream().noneMatch(host::sameAs)) {
        netlink.replaceRoute(host);
        repaired++;
      }
      Route out = defaultRoute(slot, w, index);
      if (netlink.routes(slots.table(slot)).stream().noneMatch(out::sameAs)) {
        netlink.replaceRoute(out);
        repaired++;
      }
      if (!rules.contains(sourceRule(slot, w))) {
        repaired += netlink.addRule(sourceRule(slot, w)) ? 1 : 0;
      }
      if (!proxies.contains(proxy(w, index))) {
        netlink.addProxy(proxy(w, index));
        repaired++;
      }
    }
    return repaired;
  }

  // ---- end

  /**
   * Undoes everything. Idempotent. What cannot be undone stays in the record, for {@link #cleanup}.
   */
  @Override
  public void close() throws IOException {
    if (closed) {
      return;
    }
    closed = true;
    try (netlink;
        DirectoryLock lock = DirectoryLock.take(plan.stateDir())) {
      List<PlumbingState> others = Undo.living(plan.stateDir(), state.namespace, lock);
      others.removeIf(s -> s.instance().equals(state.instance()));
      Undo.all(state, others, netlink);
    }
  }

  /**
   * Undoes what daemons that were killed left in this network namespace. Does nothing to those that
   * live.
   *
   * @return the names of the daemons whose remains were undone
   */
  public static List<String> cleanup(Path stateDir) throws IOException {
    if (!Files.isDirectory(stateDir)) {
      return List.of();
    }
    try (Netlink netlink = Netlink.open();
        DirectoryLock lock = DirectoryLock.take(stateDir)) {
      return Undo.leftovers(stateDir, netlink, lock);
    }
  }
}

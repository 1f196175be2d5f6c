package org.ilnp4j.tun;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.ilnp4j.tun.NetlinkEvent.AddressEvent;
import org.ilnp4j.tun.NetlinkEvent.LinkEvent;
import org.ilnp4j.tun.NetlinkEvent.RouteEvent;
import org.ilnp4j.tun.testing.Eventually;
import org.ilnp4j.tun.testing.Netns;
import org.ilnp4j.tun.testing.RequiresRoot;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@RequiresRoot
class NetlinkTest {
  private static final Ip6Address HOST = Ip6Address.parse("2001:db8:1::42");
  private static final Ip6Address ROUTER = Ip6Address.parse("fe80::1");
  private static final int TABLE = 17_600;

  private Netns ns;

  @BeforeEach
  void createNamespace() {
    ns = Netns.create("nl");
    ns.exec("ip", "link", "add", "name", "up0", "type", "veth", "peer", "name", "up1");
    ns.exec("ip", "link", "set", "up1", "up");
  }

  @AfterEach
  void removeNamespace() {
    ns.close();
  }

  @Test
  void shouldTellCarrierApartFromAdministrativeState() throws Exception {
    ns.run(
        () -> {
          try (Netlink netlink = Netlink.open()) {
            Link down = netlink.requireLink("up0");
            assertThat(down.isAdminUp()).isFalse();
            netlink.setUp(down.index(), true);
            Link up = netlink.requireLink("up0");
            assertThat(up.isUp()).isTrue();
            assertThat(up.kind()).isEqualTo("veth");
            assertThat(up.hasMac()).isTrue();
            assertThat(up.macOctets()).hasSize(6);
            netlink.setUp(netlink.requireLink("up1").index(), false);
            Link noCarrier = netlink.requireLink("up0");
            assertThat(noCarrier.isAdminUp()).isTrue();
            assertThat(noCarrier.isUp()).isFalse();
            assertThat(netlink.requireLink("lo").isLoopback()).isTrue();
          }
        });
  }

  @Test
  void shouldNameTheMissingInterface() throws Exception {
    ns.run(
        () -> {
          try (Netlink netlink = Netlink.open()) {
            assertThatThrownBy(() -> netlink.requireLink("wlan9"))
                .isInstanceOf(LinuxException.class)
                .hasMessageStartingWith("cannot find interface wlan9: No such device (ENODEV)");
          }
        });
  }

  @Test
  void shouldAddAndDeleteAddressesIdempotently() throws Exception {
    ns.run(
        () -> {
          try (Netlink netlink = Netlink.open()) {
            int up0 = up(netlink);
            int flags = LinkAddress.NODAD | LinkAddress.NOPREFIXROUTE;
            LinkAddress address = new LinkAddress(up0, HOST, 64, flags);
            netlink.replaceAddress(address);
            netlink.replaceAddress(address);
            assertThat(netlink.addresses())
                .contains(new LinkAddress(up0, HOST, 64, flags | LinkAddress.PERMANENT));
            assertThat(netlink.routes())
                .noneMatch(r -> r.prefixLength() == 64 && r.destination().high() == HOST.high());
            assertThat(netlink.deleteAddress(address)).isTrue();
            assertThat(netlink.deleteAddress(address)).isFalse();
            assertThat(netlink.addresses()).noneMatch(a -> a.address().equals(HOST));
          }
        });
  }

  @Test
  void shouldKeepRoutesInTheirTable() throws Exception {
    ns.run(
        () -> {
          try (Netlink netlink = Netlink.open()) {
            int up0 = up(netlink);
            Route host = Route.host(HOST, up0, Route.TABLE_MAIN);
            Route out = Route.defaultVia(ROUTER, up0, TABLE);
            for (Route r : List.of(host, out, host, out)) {
              netlink.replaceRoute(r);
            }
            assertThat(netlink.routes()).filteredOn(r -> r.sameAs(host)).hasSize(1);
            assertThat(netlink.routes()).filteredOn(r -> r.sameAs(out)).hasSize(1);
            assertThat(ns.exec("ip", "-6", "route", "show", "table", "17600"))
                .contains("default via fe80::1 dev up0 proto 176");
            for (Route r : List.of(host, out)) {
              assertThat(netlink.deleteRoute(r)).isTrue();
              assertThat(netlink.deleteRoute(r)).isFalse();
            }
            assertThat(netlink.routes()).noneMatch(r -> r.protocol() == Netlink.PROTOCOL);
          }
        });
  }

  @Test
  void shouldReplaceTheDefaultRouteWhenTheRouterChanges() throws Exception {
    ns.run(
        () -> {
          try (Netlink netlink = Netlink.open()) {
            int up0 = up(netlink);
            Ip6Address other = Ip6Address.parse("fe80::2");
            netlink.replaceRoute(Route.defaultVia(ROUTER, up0, TABLE));
            netlink.replaceRoute(Route.defaultVia(other, up0, TABLE));
            assertThat(netlink.routes())
                .filteredOn(r -> r.table() == TABLE)
                .extracting(Route::via)
                .containsExactly(other);
          }
        });
  }

  @Test
  void shouldGiveTheKernelsOwnWordsForARefusedRoute() throws Exception {
    ns.run(
        () -> {
          try (Netlink netlink = Netlink.open()) {
            Link down = netlink.requireLink("up0");
            Route r = Route.defaultVia(ROUTER, down.index(), TABLE);
            assertThatThrownBy(() -> netlink.replaceRoute(r))
                .isInstanceOf(LinuxException.class)
                .hasMessageContaining("cannot add route ::/0 via fe80::1")
                .hasMessageContaining("kernel: ");
          }
        });
  }

  @Test
  void shouldAddAndDeleteRulesIdempotently() throws Exception {
    ns.run(
        () -> {
          try (Netlink netlink = Netlink.open()) {
            List<Rule> rules =
                List.of(
                    Rule.lookup(17_600, TABLE),
                    Rule.from(HOST, "ilnp0", 17_601, TABLE + 1),
                    Rule.blackholeForwarded(17_699));
            for (Rule r : rules) {
              assertThat(netlink.addRule(r)).as("%s", r).isTrue();
              assertThat(netlink.addRule(r)).as("%s", r).isFalse();
            }
            assertThat(netlink.rules()).containsAll(rules);
            assertThat(ns.exec("ip", "-6", "rule"))
                .contains("from 2001:db8:1::42 iif ilnp0 [detached] lookup 17601 proto 176")
                .containsPattern("17699:\\s+not from all iif lo blackhole");
            for (Rule r : rules) {
              assertThat(netlink.deleteRule(r)).as("%s", r).isTrue();
              assertThat(netlink.deleteRule(r)).as("%s", r).isFalse();
            }
            assertThat(netlink.rules()).noneMatch(r -> r.protocol() == Netlink.PROTOCOL);
          }
        });
  }

  @Test
  void shouldForgetProxyNeighboursWhenTheLinkGoesDown() throws Exception {
    ns.run(
        () -> {
          try (Netlink netlink = Netlink.open()) {
            int up0 = up(netlink);
            ProxyNeighbour proxy = new ProxyNeighbour(up0, HOST, Netlink.PROTOCOL);
            netlink.addProxy(proxy);
            netlink.addProxy(proxy);
            assertThat(netlink.proxies()).containsExactly(proxy);
            assertThat(netlink.deleteProxy(proxy)).isTrue();
            assertThat(netlink.deleteProxy(proxy)).isFalse();
            netlink.addProxy(proxy);
            netlink.setUp(up0, false);
            assertThat(netlink.proxies()).isEmpty();
          }
        });
  }

  @Test
  void shouldDumpMoreThanOneDatagram() throws Exception {
    ns.run(
        () -> {
          try (Netlink netlink = Netlink.open()) {
            int up0 = up(netlink);
            int count = 1000;
            for (int i = 0; i < count; i++) {
              Ip6Address address = new Ip6Address(0x20010db8_00020000L, i + 1);
              netlink.replaceRoute(Route.host(address, up0, TABLE));
            }
            assertThat(netlink.routes()).filteredOn(r -> r.table() == TABLE).hasSize(count);
            assertThat(netlink.routes(TABLE)).hasSize(count);
            assertThat(netlink.routes(TABLE + 1)).isEmpty();
          }
        });
  }

  @Test
  void shouldReportChangesInOrder() throws Exception {
    ns.run(
        () -> {
          try (NetlinkMonitor monitor = NetlinkMonitor.open();
              Netlink netlink = Netlink.open()) {
            int up0 = up(netlink);
            netlink.replaceAddress(new LinkAddress(up0, HOST, 64, LinkAddress.NODAD));
            netlink.replaceRoute(Route.defaultVia(ROUTER, up0, TABLE));
            netlink.setUp(netlink.requireLink("up1").index(), false);
            List<NetlinkEvent> events = new ArrayList<>();
            // The kernel may hold back the loss of a carrier for a second.
            Eventually.await(
                () -> "loss of carrier reported in " + events,
                () -> {
                  assertThat(monitor.receive(events::add)).isTrue();
                  return events.stream()
                      .anyMatch(
                          e ->
                              e instanceof LinkEvent l
                                  && l.link().index() == up0
                                  && l.link().isAdminUp()
                                  && !l.link().isUp());
                });
            assertThat(events)
                .anyMatch(e -> e instanceof LinkEvent l && l.link().isUp())
                .anyMatch(e -> e instanceof AddressEvent a && a.address().address().equals(HOST))
                .anyMatch(e -> e instanceof RouteEvent r && r.route().table() == TABLE);
            netlink.setUp(up0, false);
            events.clear();
            assertThat(monitor.receive(events::add)).isTrue();
            assertThat(events)
                .anyMatch(e -> e instanceof RouteEvent r && r.removed() && r.route().link() == up0)
                .anyMatch(e -> e instanceof AddressEvent a && a.removed());
          }
        });
  }

  @Test
  void shouldSayWhenEventsWereLost() throws Exception {
    ns.run(
        () -> {
          try (NetlinkMonitor monitor = NetlinkMonitor.open();
              Netlink netlink = Netlink.open()) {
            int up0 = up(netlink);
            Route r = Route.host(HOST, up0, TABLE);
            for (int i = 0; i < 4000; i++) {
              netlink.replaceRoute(r);
              netlink.deleteRoute(r);
            }
            List<NetlinkEvent> events = new ArrayList<>();
            assertThat(monitor.receive(events::add)).isFalse();
            assertThat(events).isNotEmpty();
            netlink.replaceRoute(r);
            events.clear();
            assertThat(monitor.receive(events::add)).isTrue();
            assertThat(events).hasSize(1);
          }
        });
  }

  @Test
  void shouldTellNamespacesApart() throws Exception {
    try (Netns other = Netns.create("other")) {
      assertThat(ns.call(NetlinkTest::cookie))
          .isNotZero()
          .isEqualTo(ns.call(NetlinkTest::cookie))
          .isNotEqualTo(other.call(NetlinkTest::cookie));
    }
  }

  @Test
  void shouldSwitchReceiveOffload() throws Exception {
    ns.run(
        () -> {
          for (boolean on : new boolean[] {true, false}) {
            Ethtool.setGro("up0", on);
            assertThat(Ethtool.gro("up0")).isEqualTo(on);
          }
          assertThatThrownBy(() -> Ethtool.gro("wlan9"))
              .hasMessageStartingWith("cannot read receive offload of wlan9: No such device");
        });
  }

  private static long cookie() throws LinuxException {
    try (Netlink netlink = Netlink.open()) {
      return netlink.namespaceCookie();
    }
  }

  private static int up(Netlink netlink) throws LinuxException {
    int up0 = netlink.requireLink("up0").index();
    netlink.setUp(up0, true);
    return up0;
  }
}

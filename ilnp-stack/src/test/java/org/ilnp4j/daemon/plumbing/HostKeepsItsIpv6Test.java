package org.ilnp4j.daemon.plumbing;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.ilnp4j.ilnp.Nid;
import org.ilnp4j.tun.Icmp6Socket;
import org.ilnp4j.tun.Icmp6Socket.Verdict;
import org.ilnp4j.tun.Netlink;
import org.ilnp4j.tun.TunDevice;
import org.ilnp4j.tun.TunDevice.Offload;
import org.ilnp4j.tun.testing.Eventually;
import org.ilnp4j.tun.testing.Netns;
import org.ilnp4j.tun.testing.RequiresRoot;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A host that lives on router advertisements of a real radvd, on an uplink ({@code w1}) and on a
 * link that the daemon does not use ({@code e1}):
 *
 * <pre>
 *   router (radvd) ── w1   host   e1 ── other router (radvd)
 * </pre>
 */
@RequiresRoot(programs = {"radvd", "ethtool", "sysctl"})
class HostKeepsItsIpv6Test {
  private static final long NID = Nid.parse("0214:4fff:feab:cd01");
  private static final long L1 = 0x2001_0db8_0001_0000L;
  private static final long FE80 = 0xfe80_0000_0000_0000L;
  private static final int PORT = 9999;

  @TempDir private Path stateDir;
  @TempDir private Path radvdDir;
  private Netns host;
  private Netns router;
  private Netns otherRouter;

  @BeforeEach
  void createNamespaces() throws Exception {
    host = Netns.create("host");
    host.exec("sysctl", "-qw", "net.ipv6.conf.default.accept_dad=0");
    router = router("w1", "2001:db8:1");
    otherRouter = router("e1", "2001:db8:2");
    Eventually.await(
        () -> "autoconfiguration: " + Snapshot.addresses(host) + Snapshot.routes(host),
        () ->
            Snapshot.addresses(host).contains("2001:db8:1:")
                && Snapshot.addresses(host).contains("2001:db8:2:")
                && defaultRoutes().size() == 2);
  }

  private Netns router(String uplink, String prefix) throws IOException {
    Netns r = Netns.create("router-" + uplink);
    r.exec("sysctl", "-qw", "net.ipv6.conf.all.forwarding=1", "net.ipv6.conf.default.accept_dad=0");
    Netns.veth(host, uplink, r, "down");
    r.exec("ip", "addr", "add", "fe80::1/64", "dev", "down", "nodad");
    r.exec("ip", "addr", "add", prefix + "::1/64", "dev", "down", "nodad");
    Path configuration = radvdDir.resolve(uplink + ".conf");
    Files.writeString(
        configuration,
        """
        interface down {
          AdvSendAdvert on;
          MinRtrAdvInterval 3;
          MaxRtrAdvInterval 4;
          MinDelayBetweenRAs 0.03;
          AdvIntervalOpt on;
          prefix %s::/64 { AdvValidLifetime 600; AdvPreferredLifetime 300; };
        };
        """
            .formatted(prefix));
    r.start(
        radvdDir.resolve(uplink + ".log").toFile(),
        "radvd",
        "-n",
        "-C",
        configuration.toString(),
        "-p",
        radvdDir.resolve(uplink + ".pid").toString(),
        "-m",
        "stderr");
    return r;
  }

  @AfterEach
  void removeNamespaces() {
    host.close();
    router.close();
    otherRouter.close();
  }

  private List<String> defaultRoutes() {
    return Snapshot.routes(host).lines().filter(l -> l.startsWith("default via fe80::")).toList();
  }

  @Test
  void shouldKeepAddressesDefaultRoutesAndConnections() throws Exception {
    String before = ownIpv6();
    assertThat(before).contains("default via fe80::1 dev w1", "default via fe80::1 dev e1");
    try (ServerSocket server = router.call(() -> new ServerSocket(PORT));
        Socket client = host.call(HostKeepsItsIpv6Test::connect);
        Socket session = server.accept();
        TunDevice tun = host.call(() -> TunDevice.open("ilnp%d", Offload.NONE))) {
      host.run(
          () -> {
            PlumbingPlan plan =
                new PlumbingPlan("one", tun.name(), 1500, NID, List.of("w1"), stateDir);
            try (KernelPlumbing plumbing = KernelPlumbing.start(plan, u -> {})) {
              assertThat(plumbing.install("w1", L1, FE80, 1)).isTrue();
              assertThat(withoutOurs(ownIpv6())).as("after start").isEqualTo(before);
              assertAlive(client, session);
              assertHears("w1");
              assertHears("e1");
              assertThat(withoutOurs(ownIpv6())).as("after the next RA").isEqualTo(before);
              assertAlive(client, session);
              try (Socket fresh = connect()) {
                assertThat(fresh.isConnected()).isTrue();
              }
              // A default route is renewed, not just left over: it comes back when it is deleted.
              host.exec("ip", "-6", "route", "del", "default", "dev", "w1");
              host.exec("ip", "-6", "route", "del", "default", "dev", "e1");
              Eventually.await(
                  () -> "default routes from RAs: " + defaultRoutes(),
                  () -> defaultRoutes().stream().filter(l -> l.contains("proto ra")).count() == 2);
              // Nor does a link that comes back find a host that has forgotten how to configure it.
              host.exec("ip", "link", "set", "w1", "down");
              host.exec("ip", "link", "set", "w1", "up");
              Eventually.await(
                  () -> "as before after the link came back: " + ownIpv6(),
                  () -> withoutOurs(ownIpv6()).equals(before));
            }
            assertThat(ownIpv6()).as("after close").isEqualTo(before);
            assertAlive(client, session);
          });
    }
  }

  /** Addresses and main table; what the kernel makes by itself for a new TUN is left out. */
  private String ownIpv6() {
    return Snapshot.addresses(host)
        + "\n"
        + String.join(
            "\n",
            host.exec("ip", "-6", "route")
                .lines()
                .map(l -> l.replaceAll("expires [0-9]+sec", "expires n"))
                .sorted()
                .toList());
  }

  private static String withoutOurs(String text) {
    return String.join("\n", text.lines().filter(l -> !l.contains("ilnp0")).toList());
  }

  private static Socket connect() throws IOException {
    Socket socket = new Socket();
    socket.connect(new InetSocketAddress(InetAddress.getByName("2001:db8:1::1"), PORT), 5000);
    return socket;
  }

  private static void assertAlive(Socket client, Socket session) throws IOException {
    session.setSoTimeout(5000);
    client.getOutputStream().write(42);
    assertThat(session.getInputStream().read()).isEqualTo(42);
  }

  /** The raw socket hears the next advertisement while the kernel forwards. */
  private static void assertHears(String uplink) throws Exception {
    ByteBuffer memory = ByteBuffer.allocateDirect(1500);
    ByteBuf buf = Unpooled.wrappedBuffer(memory);
    try (Netlink netlink = Netlink.open();
        Icmp6Socket socket = Icmp6Socket.open(netlink.requireLink(uplink))) {
      socket.sendRouterSolicitation();
      Eventually.await(
          "router advertisement on " + uplink,
          () -> socket.receive(buf.memoryAddress(), 1500) == Verdict.ACCEPTED);
    }
  }
}

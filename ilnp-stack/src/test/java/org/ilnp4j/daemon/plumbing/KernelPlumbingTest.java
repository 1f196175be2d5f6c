package org.ilnp4j.daemon.plumbing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
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
 *
 *
 * <pre>
 *   r1 (fe80::1, 2001:db8:1::1) ── w1   host   w2 ── r2 (fe80::1, 2001:db8:2::1)
 * </pre>
 */
@RequiresRoot(programs = {"ethtool", "sysctl"})
class KernelPlumbingTest {
  private static final long NID = 0x0214_4fff_feab_cd01L;
  private static final long L1 = 0x2001_0db8_0001_0000L;
  private static final long L2 = 0x2001_0db8_0002_0000L;
  private static final long FE80 = 0xfe80_0000_0000_0000L;
  private static final String A1 = "2001:db8:1:0:214:4fff:feab:cd01";
  private static final String A2 = "2001:db8:2:0:214:4fff:feab:cd01";
  private static final List<String> UPLINKS = List.of("w1", "w2");

  private static final int PORT = 9999;

  /** An answer is there within a millisecond or never. */
  private static final int ANSWER_MILLIS = 2000;

  private static final int NEVER_MILLIS = 300;

  @TempDir private Path stateDir;
  private Netns host;
  private Netns r1;
  private Netns r2;

  @BeforeEach
  void createNamespaces() throws Exception {
    host = Netns.create("host");
    // The test's own links come up without duplicate address detection, to save its second.
    host.exec("sysctl", "-qw", "net.ipv6.conf.default.accept_dad=0");
    r1 = router("w1", "2001:db8:1::1/64");
    r2 = router("w2", "2001:db8:2::1/64");
    host.exec("ip", "addr", "add", "2001:db8:1::77/64", "dev", "w1", "nodad");
    settle();
  }

  private Netns router(String uplink, String address) {
    Netns router = Netns.create("router-" + uplink);
    router.exec(
        "sysctl", "-qw", "net.ipv6.conf.all.forwarding=1", "net.ipv6.conf.default.accept_dad=0");
    Netns.veth(host, uplink, router, "down");
    host.exec("sysctl", "-qw", "net.ipv6.conf." + uplink + ".accept_dad=1");
    router.exec("ip", "addr", "add", "fe80::1/64", "dev", "down", "nodad");
    router.exec("ip", "addr", "add", address, "dev", "down", "nodad");
    return router;
  }

  /** The kernel's own work on new addresses is done in the background. */
  private void settle() throws Exception {
    Eventually.await(
        () -> "addresses and routes: " + snapshot(),
        () ->
            !Snapshot.addresses(host).contains("tentative")
                && UPLINKS.stream()
                    .allMatch(
                        u ->
                            Snapshot.routes(host).contains("fe80::/64 dev " + u)
                                && Snapshot.routes(host)
                                    .matches("(?s).*local fe80::\\S+ dev " + u + ".*")));
  }

  @AfterEach
  void removeNamespaces() throws Exception {
    List<Netns> all = new ArrayList<>(List.of(host, r1, r2));
    for (Netns ns : all) {
      ns.close();
    }
    try (var files = Files.list(stateDir)) {
      assertThat(files).as("records left").isEmpty();
    }
  }

  /** What a test does with running plumbing and its TUN. */
  private interface Scene {
    void play(KernelPlumbing plumbing, TunDevice tun) throws Exception;
  }

  private void play(Scene scene) throws Exception {
    host.run(
        () -> {
          try (TunDevice tun = TunDevice.open("ilnp%d", Offload.NONE);
              KernelPlumbing plumbing = KernelPlumbing.start(plan("one", NID, tun), u -> {})) {
            scene.play(plumbing, tun);
          }
        });
  }

  private PlumbingPlan plan(String instance, long nid, TunDevice tun) {
    return new PlumbingPlan(instance, tun.name(), 1500, nid, UPLINKS, stateDir);
  }

  private String snapshot() {
    return Snapshot.of(host, UPLINKS);
  }

  @Test
  void shouldCarryPacketsBetweenEachUplinkAndTheTun() throws Exception {
    play(
        (plumbing, tun) -> {
          assertThat(plumbing.install("w1", L1, FE80, 1)).isTrue();
          assertThat(plumbing.install("w2", L2, FE80, 1)).isTrue();
          try (EchoStack echo = new EchoStack(tun)) {
            assertThat(ping(r1, A1)).isTrue();
            assertThat(ping(r2, A2)).isTrue();
            assertThat(ping(host, A1)).isTrue();
            assertThat(echo.requests()).isGreaterThanOrEqualTo(3);
          }
        });
  }

  @Test
  void shouldSendFromEachLocatorByItsOwnUplink() throws Exception {
    play(
        (plumbing, tun) -> {
          assertThat(plumbing.install("w1", L1, FE80, 1)).isTrue();
          assertThat(plumbing.install("w2", L2, FE80, 1)).isTrue();
          // Both routers have this address behind them, and know the way back to their link only.
          for (Netns r : List.of(r1, r2)) {
            r.exec("ip", "addr", "add", "2001:db8:9::9/128", "dev", "lo");
          }
          try (EchoStack echo = new EchoStack(tun)) {
            echo.ping(A1, "2001:db8:9::9");
            echo.ping(A2, "2001:db8:9::9");
          }
        });
  }

  @Test
  void shouldUndoEverythingOnClose() throws Exception {
    host.exec("ethtool", "-K", "w1", "gro", "on");
    String before = snapshot();
    play(
        (plumbing, tun) -> {
          plumbing.install("w1", L1, FE80, 1);
          plumbing.install("w2", L2, FE80, 1);
          plumbing.remove("w2", L2);
          assertThat(snapshot())
              .contains(A1 + " dev ilnp0 table 17600 proto 176")
              .contains("from " + A1 + " iif ilnp0 lookup 17601")
              .doesNotContain(A2)
              .contains("w1 generic-receive-offload: off");
          plumbing.close();
          plumbing.close();
        });
    assertThat(Snapshot.difference(before, snapshot())).isEmpty();
  }

  @Test
  void shouldInstallAndRemoveIdempotently() throws Exception {
    play(
        (plumbing, tun) -> {
          String without = snapshot();
          assertThat(plumbing.install("w1", L1, FE80, 1)).isTrue();
          String with = snapshot();
          assertThat(plumbing.install("w1", L1, FE80, 1)).isTrue();
          assertThat(Snapshot.difference(with, snapshot())).isEmpty();
          assertThat(plumbing.reconcile()).as("nothing to repair").isZero();
          plumbing.remove("w1", L1);
          plumbing.remove("w1", L1);
          assertThat(Snapshot.difference(without, snapshot())).isEmpty();
        });
  }

  @Test
  void shouldFollowANewRouter() throws Exception {
    play(
        (plumbing, tun) -> {
          plumbing.install("w1", L1, FE80, 1);
          plumbing.install("w1", L1, FE80, 2);
          assertThat(host.exec("ip", "-6", "route", "show", "table", "17601"))
              .contains("via fe80::2")
              .doesNotContain("via fe80::1 ");
        });
  }

  @Test
  void shouldKeepTheHostRouteWhileAnotherUplinkHasTheLocator() throws Exception {
    play(
        (plumbing, tun) -> {
          plumbing.install("w1", L1, FE80, 1);
          plumbing.install("w2", L1, FE80, 1);
          plumbing.remove("w1", L1);
          assertThat(snapshot()).contains(A1 + " dev ilnp0 table 17600 proto 176");
          plumbing.remove("w2", L1);
          assertThat(snapshot()).doesNotContain(A1);
        });
  }

  @Test
  void shouldPutBackWhatALinkThatWentDownErased() throws Exception {
    play(
        (plumbing, tun) -> {
          plumbing.install("w1", L1, FE80, 1);
          host.exec("ip", "link", "set", "w1", "down");
          assertThat(host.exec("ip", "-6", "neigh", "show", "proxy")).isEmpty();
          assertThat(plumbing.reconcile()).as("link down").isZero();
          host.exec("ip", "link", "set", "w1", "up");
          assertThat(plumbing.reconcile()).as("default route and proxy entry").isEqualTo(2);
          try (EchoStack echo = new EchoStack(tun)) {
            assertThat(ping(r1, A1)).isTrue();
            assertThat(echo.requests()).isPositive();
          }
        });
  }

  @Test
  void shouldPutBackWhatSomebodyElseRemoved() throws Exception {
    play(
        (plumbing, tun) -> {
          plumbing.install("w1", L1, FE80, 1);
          String good = snapshot();
          host.exec("ip", "-6", "rule", "flush");
          host.exec(
              "ip", "-6", "rule", "add", "lookup", "main", "prio", "32766", "proto", "kernel");
          host.exec("ip", "-6", "route", "flush", "table", "17601");
          host.exec("ip", "-6", "route", "flush", "table", "17600");
          host.exec("sysctl", "-qw", "net.ipv6.conf.w1.proxy_ndp=0");
          host.exec("sysctl", "-qw", "net.ipv6.conf.all.forwarding=0");
          assertThat(plumbing.reconcile()).isGreaterThanOrEqualTo(7);
          assertThat(Snapshot.difference(good, snapshot())).isEmpty();
        });
  }

  @Test
  void shouldRefuseALocatorWhileTheLinkIsDownAndForgetIt() throws Exception {
    play(
        (plumbing, tun) -> {
          host.exec("ip", "link", "set", "w1", "down");
          assertThat(plumbing.install("w1", L1, FE80, 1)).isFalse();
          host.exec("ip", "link", "set", "w1", "up");
          assertThat(plumbing.reconcile()).isZero();
          assertThat(snapshot()).doesNotContain(A1);
          assertThat(plumbing.install("w1", L1, FE80, 1)).isTrue();
          assertThat(plumbing.install("w1", L2, 0, 0)).as("router unknown").isFalse();
        });
  }

  @Test
  void shouldRefuseAnAddressOfTheHost() throws Exception {
    play(
        (plumbing, tun) -> {
          host.exec("ip", "addr", "add", A1 + "/64", "dev", "w1", "nodad");
          assertThat(plumbing.install("w1", L1, FE80, 1)).isFalse();
          host.exec("ip", "addr", "del", A1 + "/64", "dev", "w1");
          assertThat(plumbing.install("w1", L1, FE80, 1)).isTrue();
        });
  }

  @Test
  void shouldNotMakeTheHostARouter() throws Exception {
    host.exec("ip", "addr", "add", "2001:db8:2::77/64", "dev", "w2", "nodad");
    r1.exec("ip", "-6", "route", "add", "2001:db8:2::/64", "via", "2001:db8:1::77");
    r2.exec("ip", "-6", "route", "add", "2001:db8:1::/64", "via", "2001:db8:2::77");
    String far = "2001:db8:2::1";
    play(
        (plumbing, tun) -> {
          plumbing.install("w1", L1, FE80, 1);
          assertThat(ping(r1, far)).isFalse();
        });
    // A host that was one before stays one, while the daemon runs and after it.
    host.exec("sysctl", "-qw", "net.ipv6.conf.all.forwarding=1");
    play(
        (plumbing, tun) -> {
          plumbing.install("w1", L1, FE80, 1);
          assertThat(ping(r1, far)).isTrue();
        });
    assertThat(ping(r1, far)).isTrue();
  }

  @Test
  void shouldNotLetOthersSendWithOurSource() throws Exception {
    play(
        (plumbing, tun) -> {
          plumbing.install("w1", L1, FE80, 1);
          plumbing.install("w2", L2, FE80, 1);
          r2.exec("ip", "addr", "add", A1 + "/128", "dev", "lo");
          r2.exec("ip", "-6", "route", "add", "2001:db8:1::1", "via", "fe80::77", "dev", "down");
          host.exec("ip", "addr", "add", "fe80::77/64", "dev", "w2", "nodad");
          try (DatagramSocket receiver = r1.call(() -> new DatagramSocket(PORT))) {
            r2.run(
                () -> {
                  try (var sender = new DatagramSocket(0, InetAddress.getByName(A1))) {
                    InetAddress to = InetAddress.getByName("2001:db8:1::1");
                    sender.send(new DatagramPacket(new byte[1], 1, to, PORT));
                  }
                });
            receiver.setSoTimeout(NEVER_MILLIS);
            assertThatThrownBy(() -> receiver.receive(new DatagramPacket(new byte[1], 1)))
                .isInstanceOf(SocketTimeoutException.class);
          }
        });
  }

  @Test
  void shouldServeTwoDaemonsInOneNamespace() throws Exception {
    String before = snapshot();
    long otherNid = NID + 1;
    String otherAddress = "2001:db8:1:0:214:4fff:feab:cd02";
    host.run(
        () -> {
          try (TunDevice tun1 = TunDevice.open("ilnp%d", Offload.NONE);
              TunDevice tun2 = TunDevice.open("ilnp%d", Offload.NONE)) {
            KernelPlumbing one = KernelPlumbing.start(plan("one", NID, tun1), u -> {});
            try (KernelPlumbing two = KernelPlumbing.start(plan("two", otherNid, tun2), u -> {})) {
              assertThat(one.install("w1", L1, FE80, 1)).isTrue();
              assertThat(two.install("w1", L1, FE80, 1)).isTrue();
              assertThat(one.reconcile() + two.reconcile()).isZero();
              one.close();
              assertThat(snapshot()).doesNotContain(A1);
              assertThat(two.reconcile()).as("the first took nothing of the second").isZero();
              try (EchoStack echo = new EchoStack(tun2)) {
                assertThat(ping(r1, otherAddress)).isTrue();
                assertThat(echo.requests()).isPositive();
              }
            }
          }
        });
    assertThat(Snapshot.difference(before, snapshot())).isEmpty();
  }

  @Test
  void shouldCleanUpAfterADaemonThatWasKilled() throws Exception {
    host.exec("ethtool", "-K", "w1", "gro", "on");
    String before = snapshot();
    kill(startChild());
    assertThat(Snapshot.difference(before, snapshot())).isNotEmpty();
    assertThat(host.call(() -> KernelPlumbing.cleanup(stateDir))).containsExactly("child");
    assertThat(Snapshot.difference(before, snapshot())).isEmpty();
    assertThat(host.call(() -> KernelPlumbing.cleanup(stateDir))).isEmpty();
  }

  @Test
  void shouldCleanUpAtTheNextStart() throws Exception {
    String before = snapshot();
    kill(startChild());
    play(
        (plumbing, tun) -> {
          assertThat(plumbing.install("w1", L1, FE80, 1)).isTrue();
          assertThat(plumbing.reconcile()).isZero();
        });
    assertThat(Snapshot.difference(before, snapshot())).isEmpty();
  }

  @Test
  void shouldLeaveALivingDaemonAloneWhenCleaningUp() throws Exception {
    String before = snapshot();
    Process child = startChild();
    String during = snapshot();
    assertThat(host.call(() -> KernelPlumbing.cleanup(stateDir))).isEmpty();
    assertThat(r1.call(() -> KernelPlumbing.cleanup(stateDir))).isEmpty();
    assertThat(Snapshot.difference(during, snapshot())).isEmpty();
    assertThatThrownBy(
            () ->
                host.run(
                    () -> {
                      try (TunDevice tun = TunDevice.open("ilnp%d", Offload.NONE)) {
                        KernelPlumbing.start(plan("child", NID + 7, tun), u -> {}).close();
                      }
                    }))
        .hasMessage(
            "a daemon called \"child\" runs already (process "
                + child.pid()
                + "); stop it, or give this one another name");
    child.getOutputStream().write('\n');
    child.getOutputStream().flush();
    assertThat(child.waitFor()).isZero();
    assertThat(Snapshot.difference(before, snapshot())).isEmpty();
  }

  @Test
  void shouldNotTouchAnotherNamespaceWhenCleaningUp() throws Exception {
    kill(startChild());
    String left = snapshot();
    assertThat(r1.call(() -> KernelPlumbing.cleanup(stateDir))).isEmpty();
    assertThat(Snapshot.difference(left, snapshot())).isEmpty();
    assertThat(host.call(() -> KernelPlumbing.cleanup(stateDir))).containsExactly("child");
  }

  @Test
  void shouldChangeNothingWhenItCannotStart() throws Exception {
    String before = snapshot();
    host.run(
        () -> {
          PlumbingPlan noTun = new PlumbingPlan("one", "ilnp9", 1500, NID, UPLINKS, stateDir);
          assertThatThrownBy(() -> KernelPlumbing.start(noTun, u -> {}))
              .hasMessageStartingWith("cannot find interface ilnp9: No such device (ENODEV)");
          PlumbingPlan noUplink =
              new PlumbingPlan("one", "lo", 1500, NID, List.of("w1", "w7"), stateDir);
          assertThatThrownBy(() -> KernelPlumbing.start(noUplink, u -> {}))
              .hasMessageStartingWith("cannot find interface w7: No such device (ENODEV)");
          PlumbingPlan hostNid = new PlumbingPlan("one", "lo", 1500, 0x77, UPLINKS, stateDir);
          assertThatThrownBy(() -> KernelPlumbing.start(hostNid, u -> {}))
              .hasMessage(
                  "the NID 0:0:0:77 is the interface identifier of this host's own"
                      + " address 2001:db8:1::77; give the daemon a NID of its own: nid = \"random\", or"
                      + " four hex groups");
        });
    assertThat(Snapshot.difference(before, snapshot())).isEmpty();
  }

  /** One echo request; the JDK sends a real one as root. */
  private static boolean ping(Netns from, String to) throws Exception {
    return from.call(() -> InetAddress.getByName(to).isReachable(ANSWER_MILLIS));
  }

  private Process startChild() throws Exception {
    Process child =
        host.startJava(
            PlumbingChild.class,
            "child",
            "0214:4fff:feab:cd01",
            stateDir.toString(),
            "w1",
            Long.toHexString(L1));
    var out =
        new BufferedReader(new InputStreamReader(child.getInputStream(), StandardCharsets.UTF_8));
    assertThat(out.readLine()).isEqualTo("ready");
    return child;
  }

  private static void kill(Process child) throws InterruptedException {
    child.destroyForcibly(); // SIGKILL
    assertThat(child.waitFor()).isEqualTo(137);
  }
}

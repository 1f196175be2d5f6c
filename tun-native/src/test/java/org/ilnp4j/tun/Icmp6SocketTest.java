package org.ilnp4j.tun;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.HexFormat;
import org.ilnp4j.tun.Icmp6Socket.Verdict;
import org.ilnp4j.tun.TunDevice.Offload;
import org.ilnp4j.tun.testing.Eventually;
import org.ilnp4j.tun.testing.Netns;
import org.ilnp4j.tun.testing.RequiresRoot;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The uplink is a TUN device, so that the test is the router and sees every octet. */
@RequiresRoot
class Icmp6SocketTest {
  private static final String ROUTER = "fe800000000000000000000000000001";
  private static final String GLOBAL = "20010db8000000000000000000000001";
  private static final String ALL_NODES = "ff020000000000000000000000000001";

  private final ByteBuffer packet = Native.allocate(2048);
  private final ByteBuffer memory = Native.allocate(1500);
  private final long packetAddress = Native.address(packet);
  private final long memoryAddress = Native.address(memory);
  private Netns ns;

  @BeforeEach
  void createNamespace() {
    ns = Netns.create("icmp6");
  }

  @AfterEach
  void removeNamespace() {
    ns.close();
  }

  /** What a test does with a socket on an uplink and the far end of that uplink. */
  private interface Scene {
    void play(Icmp6Socket socket, TunDevice wire, Netlink netlink) throws Exception;
  }

  private void play(boolean forwarding, Scene scene) throws Exception {
    ns.run(
        () -> {
          Sysctl.write(Sysctl.ipv6("all", "forwarding"), forwarding ? "1" : "0");
          try (TunDevice wire = TunDevice.open("uplink", Offload.NONE);
              Netlink netlink = Netlink.open()) {
            // Without duplicate address detection the link-local address is there at once.
            Sysctl.write(Sysctl.ipv6("uplink", "accept_dad"), "0");
            Sysctl.write(Sysctl.ipv6("uplink", "router_solicitations"), "0");
            Link link = netlink.requireLink("uplink");
            netlink.setUp(link.index(), true);
            Eventually.await("link-local address", () -> hasLinkLocal(netlink, link));
            try (Icmp6Socket socket = Icmp6Socket.open(link)) {
              scene.play(socket, wire, netlink);
            }
          }
        });
  }

  @Test
  void shouldHearRouterAdvertisements() throws Exception {
    for (boolean forwarding : new boolean[] {false, true}) {
      play(
          forwarding,
          (socket, wire, netlink) -> {
            assertThat(receive(socket)).isEqualTo(Verdict.NOTHING);
            send(wire, ROUTER, 255, 134, 16);
            assertThat(receive(socket)).isEqualTo(Verdict.ACCEPTED);
            assertThat(socket.source()).isEqualTo(Ip6Address.parse("fe80::1"));
            assertThat(socket.hopLimit()).isEqualTo(255);
            assertThat(socket.length()).isEqualTo(16);
            assertThat(memory.get(0)).isEqualTo((byte) 134);
            assertThat(receive(socket)).isEqualTo(Verdict.NOTHING);
          });
    }
  }

  @Test
  void shouldSayWhyAnAdvertisementIsDropped() throws Exception {
    play(
        true,
        (socket, wire, netlink) -> {
          send(wire, ROUTER, 254, 134, 16);
          assertThat(receive(socket)).isEqualTo(Verdict.WRONG_HOP_LIMIT);
          send(wire, GLOBAL, 255, 134, 16);
          assertThat(receive(socket)).isEqualTo(Verdict.SOURCE_NOT_LINK_LOCAL);
          send(wire, ROUTER, 255, 134, 12);
          assertThat(receive(socket)).isEqualTo(Verdict.BAD_LENGTH);
          send(wire, ROUTER, 255, 134, 64);
          assertThat(socket.receive(memoryAddress, 32)).isEqualTo(Verdict.BAD_LENGTH);
        });
  }

  @Test
  void shouldHearNothingButRouterAdvertisements() throws Exception {
    play(
        true,
        (socket, wire, netlink) -> {
          for (int type : new int[] {128, 129, 133, 135, 136, 137, 156}) {
            send(wire, ROUTER, 255, type, 32);
          }
          assertThat(receive(socket)).isEqualTo(Verdict.NOTHING);
        });
  }

  @Test
  void shouldHearOnlyItsOwnUplink() throws Exception {
    play(
        true,
        (socket, wire, netlink) -> {
          try (TunDevice other = TunDevice.open("other", Offload.NONE)) {
            netlink.setUp(netlink.requireLink("other").index(), true);
            send(other, ROUTER, 255, 134, 16);
            assertThat(receive(socket)).isEqualTo(Verdict.NOTHING);
          }
        });
  }

  @Test
  void shouldSolicitRoutersFromTheLinkLocalAddress() throws Exception {
    play(
        false,
        (socket, wire, netlink) -> {
          assertThat(socket.sendRouterSolicitation()).isTrue();
          int n;
          do {
            n = wire.read(packetAddress, packet.capacity());
          } while (n > 0 && packet.get(40) != (byte) 133);
          // A TUN device has no link-layer address: no option, 8 octets of ICMPv6.
          assertThat(n).isEqualTo(48);
          assertThat(packet.get(7) & 0xff).as("hop limit").isEqualTo(255);
          assertThat(Ip6Address.read(packet, 8).isLinkLocal()).isTrue();
          assertThat(Ip6Address.read(packet, 24)).isEqualTo(Ip6Address.parse("ff02::2"));
        });
  }

  @Test
  void shouldAnswerThatASolicitationCannotBeSentYet() throws Exception {
    play(
        false,
        (socket, wire, netlink) -> {
          for (LinkAddress a : netlink.addresses()) {
            if (a.link() == socket.link().index()) {
              netlink.deleteAddress(a);
            }
          }
          assertThat(socket.sendRouterSolicitation()).as("without address").isFalse();
          netlink.setUp(socket.link().index(), false);
          assertThat(socket.sendRouterSolicitation()).as("down").isFalse();
          assertThat(receive(socket)).as("stays usable").isEqualTo(Verdict.NOTHING);
        });
  }

  @Test
  void shouldAddTheLinkLayerAddressOnEthernet() throws Exception {
    try (Netns router = Netns.create("router")) {
      Netns.veth(ns, "uplink", router, "down");
      router.exec("sysctl", "-qw", "net.ipv6.conf.all.forwarding=1");
      ns.run(
          () -> {
            try (Netlink netlink = Netlink.open();
                Icmp6Socket socket = Icmp6Socket.open(netlink.requireLink("uplink"))) {
              Eventually.await("solicitation sent", socket::sendRouterSolicitation);
            }
          });
      // A router learns the sender from the option, without asking (RFC 4861 §6.2.6).
      String mac = ns.exec("cat", "/sys/class/net/uplink/address").strip();
      Eventually.await(
          "neighbour entry", () -> router.exec("ip", "-6", "neigh").contains("lladdr " + mac));
    }
  }

  private static boolean hasLinkLocal(Netlink netlink, Link link) throws LinuxException {
    return netlink.addresses().stream()
        .anyMatch(
            a ->
                a.link() == link.index()
                    && a.address().isLinkLocal()
                    && (a.flags() & LinkAddress.TENTATIVE) == 0);
  }

  private Verdict receive(Icmp6Socket socket) throws LinuxException {
    return socket.receive(memoryAddress, memory.capacity());
  }

  private void send(TunDevice wire, String source, int hopLimit, int type, int icmpBytes)
      throws LinuxException {
    HexFormat hex = HexFormat.of();
    byte[] p = new byte[40 + icmpBytes];
    ByteBuffer b = ByteBuffer.wrap(p);
    b.putInt(0x6000_0000).putShort((short) icmpBytes).put((byte) 58).put((byte) hopLimit);
    b.put(hex.parseHex(source)).put(hex.parseHex(ALL_NODES)).put((byte) type);
    long sum = icmpBytes + 58;
    for (int i = 8; i < p.length; i += 2) {
      sum += b.getShort(i) & 0xffff;
    }
    while (sum >>> 16 != 0) {
      sum = (sum & 0xffff) + (sum >>> 16);
    }
    b.putShort(42, (short) ~sum);
    packet.put(0, p);
    assertThat(wire.write(packetAddress, p.length)).isEqualTo(p.length);
  }
}

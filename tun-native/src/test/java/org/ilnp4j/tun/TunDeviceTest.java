package org.ilnp4j.tun;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HexFormat;
import org.ilnp4j.tun.TunDevice.Offload;
import org.ilnp4j.tun.testing.Eventually;
import org.ilnp4j.tun.testing.Netns;
import org.ilnp4j.tun.testing.RequiresRoot;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@RequiresRoot
class TunDeviceTest {
  /** Echo request 2001:db8::2 to 2001:db8::1, identifier 7, sequence 1, no data. */
  private static final byte[] ECHO_REQUEST =
      HexFormat.of()
          .parseHex(
              "6000000000083a40"
                  + "20010db8000000000000000000000002"
                  + "20010db8000000000000000000000001"
                  + "8000244000070001");

  private static final int MAX_PACKET_BYTES = 65535;

  private final ByteBuffer memory = Native.allocate(MAX_PACKET_BYTES + TunDevice.VNET_HDR_BYTES);
  private final long address = Native.address(memory);
  private Netns ns;

  @BeforeEach
  void createNamespace() {
    ns = Netns.create("tun");
  }

  @AfterEach
  void removeNamespace() {
    ns.close();
  }

  @Test
  void shouldExchangePacketsWithTheKernel() throws Exception {
    ns.run(
        () -> {
          try (Netlink netlink = Netlink.open();
              TunDevice tun = TunDevice.open("ilnp%d", Offload.NONE)) {
            assertThat(tun.name()).isEqualTo("ilnp0");
            bringUp(netlink, tun);
            awaitEcho(tun, 0);
          }
        });
  }

  @Test
  void shouldPrefixPacketsWithVirtioHeader() throws Exception {
    ns.run(
        () -> {
          try (Netlink netlink = Netlink.open();
              TunDevice tun = TunDevice.open("ilnp%d", Offload.VNET_HDR)) {
            bringUp(netlink, tun);
            awaitEcho(tun, TunDevice.VNET_HDR_BYTES);
          }
        });
  }

  @Test
  void shouldReturnZeroWhenNothingWaits() throws Exception {
    ns.run(
        () -> {
          try (TunDevice tun = TunDevice.open("t", Offload.NONE)) {
            assertThat(tun.read(address, MAX_PACKET_BYTES)).isZero();
          }
        });
  }

  @Test
  void shouldSayHowToMendAWriteToADeviceThatIsDown() throws Exception {
    ns.run(
        () -> {
          try (TunDevice tun = TunDevice.open("t", Offload.NONE)) {
            memory.put(0, ECHO_REQUEST);
            assertThatThrownBy(() -> tun.write(address, ECHO_REQUEST.length))
                .isInstanceOf(LinuxException.class)
                .hasMessage(
                    "cannot write to TUN device t: Input/output error (EIO); set it up first: ip"
                        + " link set t up");
          }
        });
  }

  @Test
  void shouldRemoveTheDeviceOnClose() throws Exception {
    ns.run(
        () -> {
          try (Netlink netlink = Netlink.open()) {
            TunDevice tun = TunDevice.open("gone", Offload.NONE);
            assertThat(netlink.link("gone")).isPresent();
            tun.close();
            tun.close();
            assertThat(tun.fd()).isEqualTo(-1);
            assertThat(netlink.link("gone")).isEmpty();
          }
        });
  }

  @Test
  void shouldSayThatTheNameIsInUse() throws Exception {
    ns.run(
        () -> {
          try (TunDevice first = TunDevice.open("same", Offload.NONE)) {
            assertThat(first.name()).isEqualTo("same");
            assertThatThrownBy(() -> TunDevice.open("same", Offload.NONE))
                .isInstanceOfSatisfying(
                    LinuxException.class,
                    e -> {
                      assertThat(e.errnoName()).isEqualTo("EBUSY");
                      assertThat(e.object()).isEqualTo("same");
                      assertThat(e.hint()).contains("another program holds it");
                    });
          }
          assertThatThrownBy(() -> TunDevice.open("lo", Offload.NONE))
              .hasMessageContaining("(EINVAL); an interface of that name exists");
        });
  }

  private static void bringUp(Netlink netlink, TunDevice tun) throws LinuxException {
    Link link = netlink.requireLink(tun.name());
    assertThat(link.kind()).isEqualTo("tun");
    netlink.setMtu(link.index(), 1400);
    netlink.setTxQueueLength(link.index(), 2000);
    netlink.setUp(link.index(), true);
    netlink.replaceAddress(
        new LinkAddress(link.index(), Ip6Address.parse("2001:db8::1"), 64, LinkAddress.NODAD));
    Link up = netlink.requireLink(tun.name());
    assertThat(up.isUp()).isTrue();
    assertThat(up.mtu()).isEqualTo(1400);
    assertThat(up.txQueueLength()).isEqualTo(2000);
    assertThat(up.hasMac()).isFalse();
  }

  /** The kernel activates an address in its own time: ask until it answers. */
  private void awaitEcho(TunDevice tun, int headerBytes) throws Exception {
    Eventually.await(
        "echo reply",
        () -> {
          memory.put(0, new byte[headerBytes]).put(headerBytes, ECHO_REQUEST);
          int bytes = headerBytes + ECHO_REQUEST.length;
          assertThat(tun.write(address, bytes)).isEqualTo(bytes);
          return readEchoReply(tun, headerBytes);
        });
  }

  /** Reads what waits; multicast chatter of the kernel may come before the reply. */
  private boolean readEchoReply(TunDevice tun, int headerBytes) throws LinuxException {
    int n;
    while ((n = tun.read(address, memory.capacity())) > 0) {
      byte[] identifierAndSequence = new byte[4];
      memory.get(headerBytes + 44, identifierAndSequence);
      if (n == headerBytes + ECHO_REQUEST.length
          && memory.get(headerBytes + 40) == (byte) 129
          && Arrays.equals(identifierAndSequence, new byte[] {0, 7, 0, 1})) {
        return true;
      }
    }
    return false;
  }
}

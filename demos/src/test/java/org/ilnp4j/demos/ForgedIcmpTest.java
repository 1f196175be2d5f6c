package org.ilnp4j.demos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.ilnp4j.demos.HostileNetwork.PORT;

import java.io.IOException;
import java.net.Socket;
import java.util.Random;
import org.ilnp4j.demos.HostileNetwork.Mode;
import org.ilnp4j.tun.testing.RequiresRoot;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * ICMPv6 errors about a session, true and forged (RFC 5927, RFC 8201). Scapy is the session's peer:
 * it acknowledges only what the test says, so that there is something in flight to quote.
 */
@RequiresRoot(programs = {"radvd", "scapy"})
class ForgedIcmpTest {
  private static final int DATA_BYTES = 6000;
  private static HostileNetwork net;
  private static int paths;
  private static int sessions;

  @BeforeAll
  static void build() throws Exception {
    net = new HostileNetwork();
  }

  @AfterAll
  static void close() throws IOException {
    if (net != null) {
      net.close();
    }
  }

  /** A session with Scapy at a path of that number, in which the service has sent something. */
  private static final class Sending implements AutoCloseable {
    final Socket server;

    /** Sequence number of the first octet, which nobody has acknowledged. */
    final long first;

    final int largestBytes;

    Sending(Mode mode, int path) throws Exception {
      String nonce = mode == Mode.ILNP ? "0a0b0c0d" : "";
      // Each path with a node, a Locator and ports of its own.
      String own = "2001:db8:bad:%x:0:1:1:%x".formatted(path, path);
      Number next =
          (Number)
              net.raw.eval(
                  "connect(%d, %d, '%s', '%s', options=[('MSS', 1440)])['next']"
                      .formatted(PORT, 5000 + ++sessions, nonce, own));
      first = next.longValue();
      server = net.accept();
      byte[] data = new byte[DATA_BYTES];
      new Random(3).nextBytes(data);
      server.getOutputStream().write(data);
      net.raw.eval(
          "await_(lambda: sizes(%d, %d)) and keep(%d, %d)".formatted(PORT, first, PORT, first));
      largestBytes = (Integer) net.raw.eval("max(sizes(%d))".formatted(PORT));
    }

    /** An error comes that quotes the first segment, with its number moved by {@code shift}. */
    void error(String message, long shift) throws IOException {
      net.raw.answers("quoting(%s, kept, %d)".formatted(message, shift));
    }

    /** The peer takes everything after all: the session has lived through it. */
    @Override
    public void close() throws IOException {
      net.raw.eval("acknowledge(%d, %d, %d)".formatted(PORT, first, first + DATA_BYTES));
      net.raw.eval("send(segment(%d, 'R', 1001)) and ping()".formatted(PORT));
      net.raw.eval("clear()");
      server.close();
    }
  }

  /**
   * Octets of the largest packet of a session after errors on its path: each an MTU and a shift.
   */
  private static int largestAfter(Mode mode, long[]... errors) throws Exception {
    while (true) {
      int path = ++paths;
      long blackHoles = blackHoles();
      try (Sending s = new Sending(mode, path)) {
        assertThat(s.largestBytes).isEqualTo(1500);
        for (long[] e : errors) {
          s.error("ICMPv6PacketTooBig(mtu=%d)".formatted(e[0]), e[1]);
        }
      }
      try (Sending s = new Sending(mode, path)) {
        // On a very busy machine the peer is silent for long enough to look like a black hole,
        // which makes packets small, too.
        if (blackHoles() == blackHoles) {
          return s.largestBytes;
        }
      }
    }
  }

  private static long blackHoles() throws IOException {
    return net.net.correspondentStatus().counters().getOrDefault("tcp-mtu-black-holes", 0L);
  }

  @ParameterizedTest
  @EnumSource(Mode.class)
  void shouldBelievePacketTooBigAboutSegmentInFlight(Mode mode) throws Exception {
    assertThat(largestAfter(mode, new long[] {1400, 0})).isBetween(1390, 1400);
    assertThat(largestAfter(mode, new long[] {1400, 0}, new long[] {1280, 0}))
        .isBetween(1270, 1280);
    // Not larger again, nor below what every link carries.
    assertThat(largestAfter(mode, new long[] {1280, 0}, new long[] {1400, 0}, new long[] {68, 0}))
        .isBetween(1270, 1280);
  }

  @ParameterizedTest
  @CsvSource({
    // A number that is not in flight, which a blind attacker would have to guess.
    "CLASSIC, 1280, -1",
    "CLASSIC, 1280, 100000",
    "CLASSIC, 1280, 2147483648",
    "ILNP, 1280, -1",
    "ILNP, 1280, 100000",
    // Less than every link carries (RFC 8201 §4), and no less than what was sent.
    "CLASSIC, 1279, 0",
    "CLASSIC, 0, 0",
    "CLASSIC, 1500, 0",
    "CLASSIC, 4294967295, 0",
    "ILNP, 1279, 0",
    "ILNP, 65536, 0",
  })
  void shouldNotBelieveAnyOtherPacketTooBig(Mode mode, long mtu, long shift) throws Exception {
    assertThat(largestAfter(mode, new long[] {mtu, shift})).isEqualTo(1500);
  }

  @ParameterizedTest
  @CsvSource({
    "CLASSIC, ICMPv6DestUnreach(code=4), 0",
    "CLASSIC, ICMPv6DestUnreach(code=1), 0",
    "CLASSIC, ICMPv6DestUnreach(code=0), 0",
    "CLASSIC, ICMPv6TimeExceeded(), 0",
    "CLASSIC, 'ICMPv6ParamProblem(code=1,ptr=6)', 0",
    "CLASSIC, ICMPv6DestUnreach(code=4), 100000",
    "ILNP, ICMPv6DestUnreach(code=4), 0",
    "ILNP, 'ICMPv6ParamProblem(code=2,ptr=42)', 0",
    "ILNP, ICMPv6DestUnreach(code=4), 100000",
  })
  void shouldNotEndSessionForAnyError(Mode mode, String error, long shift) throws Exception {
    try (Sending s = new Sending(mode, ++paths)) {
      s.error(error, shift);
      assertThat(s.largestBytes).isEqualTo(1500);
    }
  }
}

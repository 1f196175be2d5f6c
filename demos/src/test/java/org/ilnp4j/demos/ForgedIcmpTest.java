package org.ilnp4j.demos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.ilnp4j.demos.HostileNetwork.PORT;

import java.io.IOException;
import java.net.Socket;
import java.util.List;
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

  /**
   * A session with Scapy, from a node and a network of its own, in which the service has sent
   * something.
   */
  private static final class Sending implements AutoCloseable {
    final int ownPort = 5000 + ++sessions;
    final String own = "2001:db8:bad:%x:0:1:1:%x".formatted(sessions, sessions);
    final Socket server;

    /** Sequence number of the first octet, which nobody has acknowledged. */
    final long first;

    Sending(Mode mode) throws Exception {
      String nonce = mode == Mode.ILNP ? "0a0b0c0d" : "";
      Number next =
          (Number)
              net.raw.eval(
                  "connect(%d, %d, '%s', '%s', options=[('MSS', 1440)])['next']"
                      .formatted(PORT, ownPort, nonce, own));
      first = next.longValue();
      server = net.accept();
      byte[] data = new byte[DATA_BYTES];
      new Random(3).nextBytes(data);
      server.getOutputStream().write(data);
      net.raw.eval(
          "await_(lambda: sizes(%d, %d)) and keep(%d, %d)".formatted(PORT, first, PORT, first));
    }

    /** Octets of the largest packet since clear() and of each one at the first number. */
    @SuppressWarnings("unchecked")
    List<Integer> sizes(String more) {
      return (List<Integer>) net.raw.eval("sizes(%d%s)".formatted(PORT, more));
    }

    /** Sends an error that quotes the first segment. */
    void error(String message, long shift) throws IOException {
      net.raw.answers("quoting(%s, kept, %d)".formatted(message, shift));
    }

    /** Waits for the first segment to be sent once more and returns its octets. */
    int sizeOfNext() {
      net.raw.eval("clear()");
      return (Integer) net.raw.eval("await_(lambda: sizes(%d, %d))[-1]".formatted(PORT, first));
    }

    @Override
    public void close() throws Exception {
      // The peer takes everything after all: the session has lived through it.
      net.raw.eval("acknowledge(%d, %d, %d)".formatted(PORT, first, first + DATA_BYTES));
      net.raw.eval("send(segment(%d, 'R', 1001)) and ping()".formatted(PORT));
      server.close();
    }
  }

  @ParameterizedTest
  @EnumSource(Mode.class)
  void shouldSendSmallerAfterPacketTooBig(Mode mode) throws Exception {
    try (Sending s = new Sending(mode)) {
      assertThat(s.sizes("")).contains(1500);
      s.error("ICMPv6PacketTooBig(mtu=1400)", 0);
      assertThat(s.sizeOfNext()).isBetween(1300, 1400);
      assertThat(s.sizes("")).allMatch(bytes -> bytes <= 1400);
      // And smaller still, but not larger again, and not below what every link carries.
      s.error("ICMPv6PacketTooBig(mtu=1280)", 0);
      assertThat(s.sizeOfNext()).isBetween(1200, 1280);
      s.error("ICMPv6PacketTooBig(mtu=1400)", 0);
      s.error("ICMPv6PacketTooBig(mtu=68)", 0);
      assertThat(s.sizeOfNext()).isBetween(1200, 1280);
    }
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
  void shouldNotBelievePacketTooBig(Mode mode, long mtu, long shift) throws Exception {
    try (Sending s = new Sending(mode)) {
      s.error("ICMPv6PacketTooBig(mtu=%d)".formatted(mtu), shift);
      assertThat(s.sizeOfNext()).as("sent again as it was").isEqualTo(1500);
    }
    // Nor does it harm the next session on the path.
    sessions--;
    try (Sending s = new Sending(mode)) {
      assertThat(s.sizes("")).contains(1500);
    }
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
    try (Sending s = new Sending(mode)) {
      s.error(error, shift);
      // close() sees all of the data through
    }
  }
}

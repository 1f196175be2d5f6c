package org.ilnp4j.demos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.ilnp4j.demos.HostileNetwork.PORT;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.ilnp4j.demos.HostileNetwork.Mode;
import org.ilnp4j.tun.testing.RequiresRoot;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Extension headers in every order, options of every kind, fragments of every shape (RFC 8200). A
 * segment to a closed port, wrapped in them, shows by its answer whether it was processed. A
 * session of each mode lives beside all of it.
 */
@RequiresRoot(programs = {"radvd", "scapy"})
class OddPacketsTest {
  /** The answer to the probe. */
  private static final String PROCESSED = "tcp RA seq=0 ack=101 len=0";

  private static HostileNetwork net;
  private static LiveSession classic;
  private static LiveSession ilnp;

  @BeforeAll
  static void build() throws Exception {
    net = new HostileNetwork();
    classic = net.open(Mode.CLASSIC);
    ilnp = net.open(Mode.ILNP);
  }

  @AfterAll
  static void close() throws IOException {
    if (net != null) {
      net.close();
    }
  }

  @AfterEach
  void sessionsGoOn() throws Exception {
    classic.exchange(1000);
    ilnp.exchange(1000);
    // ICMPv6 errors are limited to 100 a second: the next one has its own.
    TimeUnit.MILLISECONDS.sleep(10);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "ip() / probe()",
        "ip() / IPv6ExtHdrHopByHop() / probe()",
        "ip() / destination() / probe()",
        "ip() / destination() / destination() / probe()",
        "ip() / IPv6ExtHdrHopByHop() / destination() / IPv6ExtHdrRouting(segleft=0)"
            + " / destination() / probe()",
        "ip() / IPv6ExtHdrRouting(type=0, segleft=0, addresses=['2001:db8::1']) / probe()",
        "ip() / IPv6ExtHdrRouting(type=200, segleft=0) / probe()",
        // RFC 8200 §4.1: whatever the order, except that hop-by-hop comes first.
        "ip() / IPv6ExtHdrRouting(segleft=0) / destination() / IPv6ExtHdrRouting(segleft=0)"
            + " / probe()",
        "ip() / destination(option(0x1e)) / probe()",
        "ip() / destination(pad(6), option(0x1e), pad(2), Pad1()) / probe()",
        // The most headers, and the most options, that are looked at.
        "ip() / destination() / destination() / destination() / destination() / destination()"
            + " / destination() / destination() / destination() / probe()",
        // RFC 6946
        "ip() / IPv6ExtHdrFragment(id=7) / probe()",
        "ip() / destination() / IPv6ExtHdrFragment(id=7) / destination() / probe()",
        // With a nonce, which makes it ILNP: the first one of a packet may stand in any header.
        "nids(ip() / nonce('01020304') / probe())",
        "nids(ip() / nonce('0102030405060708090a0b0c') / probe())",
        "nids(ip() / destination() / nonce('01020304') / probe())",
        "nids(ip() / IPv6ExtHdrRouting(segleft=0) / nonce('01020304') / probe())",
        "nids(ip() / IPv6ExtHdrFragment(id=7) / nonce('01020304') / probe())",
        "nids(ip() / nonce('01020304') / IPv6ExtHdrFragment(id=7) / probe())",
      })
  void shouldProcess(String packet) throws IOException {
    assertThat(net.raw.answers(packet)).containsExactly(PROCESSED);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        // Hop-by-hop anywhere but first is an unknown next header (RFC 8200 §4).
        "ip() / destination() / IPv6ExtHdrHopByHop() / probe()               | code 1 parameter 40",
        "ip() / IPv6ExtHdrHopByHop() / IPv6ExtHdrHopByHop() / probe()        | code 1 parameter 40",
        "ip() / destination() / destination() / IPv6ExtHdrHopByHop() / probe() | code 1 parameter 48",
        "ip(nh=253) / Raw(bytes(16))                                         | code 1 parameter 6",
        "ip(nh=139) / Raw(bytes(16))                                         | code 1 parameter 6",
        "ip() / IPv6ExtHdrDestOpt(nh=253) / Raw(bytes(16))                   | code 1 parameter 40",
        "ip() / destination(pad(14)) / IPv6ExtHdrDestOpt(nh=253) / Raw(b'x') | code 1 parameter 56",
        // Segments left, and this is no router (RFC 8200 §4.4, RFC 5095 §3).
        "ip() / IPv6ExtHdrRouting(type=0, addresses=['2001:db8::1']) / probe() | code 0 parameter 42",
        "ip() / IPv6ExtHdrRouting(type=200, segleft=3) / probe()             | code 0 parameter 42",
        "ip() / destination() / IPv6ExtHdrRouting(type=4, segleft=1) / probe() | code 0 parameter 50",
        // Unknown options that ask for it, where they stand.
        "ip() / destination(option(0x9e)) / probe()                          | code 2 parameter 42",
        "ip() / destination(option(0xde)) / probe()                          | code 2 parameter 42",
        "ip() / destination(pad(4), option(0x1e), option(0xde)) / probe()    | code 2 parameter 52",
        "ip() / destination() / destination(option(0x9e)) / probe()          | code 2 parameter 50",
        // Jumbo payload belongs into hop-by-hop: elsewhere it is unknown (RFC 2675 §2).
        "ip() / destination(option(0xc2)) / probe()                          | code 2 parameter 42",
      })
  void shouldAnswerParameterProblem(String packet, String codeAndPointer) throws IOException {
    assertThat(net.raw.answers(packet)).containsExactly("icmp 4 " + codeAndPointer);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "ip(nh=59) / Raw(b'nothing behind')",
        "ip() / IPv6ExtHdrDestOpt(nh=59)",
        "ip() / destination(option(0x5e)) / probe()",
        // Longer than any sane packet: nine headers, seventeen options.
        "ip() / destination() / destination() / destination() / destination() / destination()"
            + " / destination() / destination() / destination() / destination() / probe()",
        "ip() / destination(*[option(0x1e, b'')] * 17) / probe()",
        // Lengths that lead out of the header, or out of the packet.
        "ip() / IPv6ExtHdrDestOpt(options=[], autopad=0, len=0) / Raw(bytes([0x1e, 200, 0, 0, 0, 0]))",
        "ip(nh=60) / Raw(bytes([6, 200, 1, 4, 0, 0, 0, 0]))",
        "ip(nh=60) / Raw(bytes([6, 0, 1]))",
        "ip(nh=43) / Raw(bytes([6, 9, 0, 0, 0, 0, 0, 0]))",
        "ip(nh=44) / Raw(bytes([6, 0, 0]))",
        "ip(nh=6) / Raw(bytes(19))",
        "ip(nh=6) / Raw(b'')",
        // A jumbogram, which the kernel does not forward, and a payload length too short.
        "ip(plen=0) / IPv6ExtHdrHopByHop(options=[Jumbo(jumboplen=70000)]) / probe()",
        "ip(plen=8) / probe()",
        // The nonce of a session that is not there, twice, and in lengths that no nonce has.
        "nids(ip() / nonce('01020304') / nonce('01020304') / probe())",
        "nids(ip() / destination(option(0x8b), option(0x8b)) / probe())",
        "nids(ip() / nonce('') / probe())",
        "nids(ip() / nonce('010203') / probe())",
        "nids(ip() / nonce('0102030405') / probe())",
        "nids(ip() / nonce('0102030405060708090a0b0c0d0e0f10') / probe())",
        // Hop-by-hop options are the forwarding kernel's affair, and it knows no nonce.
        "ip() / IPv6ExtHdrHopByHop(options=[option(0x8b)]) / probe()",
        // From itself to itself.
        "ip(src=node) / TCP(sport=9, dport=9, flags='S')",
        "ip(src=node) / TCP(sport=9000, dport=9000, flags='S')",
      })
  void shouldSayNothingTo(String packet) throws IOException {
    assertThat(net.raw.answers(packet)).isEmpty();
  }

  @Test
  void shouldSayNothingToFragmentsOfAnyShape() throws Exception {
    long before = net.dropped("fragment");
    String syn =
        "ip() / TCP(sport=4243, dport=%d, seq=100, flags='S') / Raw(bytes(64))".formatted(PORT);
    // The whole of it in two pieces, in either order.
    assertThat(net.raw.answers("*fragments(%s, 1, 40)".formatted(syn))).isEmpty();
    assertThat(net.raw.answers("*fragments(%s, 2, 40)[::-1]".formatted(syn))).isEmpty();
    assertThat(net.dropped("fragment")).isEqualTo(before + 4);
    for (String packet :
        List.of(
            // Tiny: the TCP header is cut in two (RFC 7112 would have it whole).
            "*fragments(%s, 3, 8)",
            // Without an upper-layer header at all.
            "ip() / IPv6ExtHdrFragment(nh=60, m=1, id=4) / destination()",
            "ip() / IPv6ExtHdrFragment(nh=44, m=1, id=5) / IPv6ExtHdrFragment(m=1, id=5) / probe()",
            // Overlapping, and another first one that says something else (RFC 5722).
            "*fragments(%s, 6, 40)[:1], *fragments(%s, 6, 32)[1:]",
            "*fragments(%s, 7, 40)[:1], *fragments(ip() / probe('R') / Raw(bytes(64)), 7, 40)",
            // Behind the largest packet, without data, with a length that is no multiple of 8.
            "ip() / IPv6ExtHdrFragment(nh=6, offset=8191, id=8) / Raw(bytes(64))",
            "ip() / IPv6ExtHdrFragment(nh=6, offset=1, m=1, id=9)",
            "ip() / IPv6ExtHdrFragment(nh=6, offset=1, id=9)",
            "ip() / IPv6ExtHdrFragment(nh=6, m=1, id=10) / Raw(bytes(63))")) {
      assertThat(net.raw.answers(packet.formatted(syn, syn))).as(packet).isEmpty();
    }
  }

  @Test
  void shouldNotGrowUnderFragmentsThatAreNeverWhole() throws Exception {
    int fragments = 100_000;
    long before = net.dropped("fragment");
    long memory = net.residentBytes();
    // 1400 octets each, which would be 140 MB.
    net.raw.eval("first_fragments(%d, 1400)".formatted(fragments));
    assertThat(net.dropped("fragment")).isEqualTo(before + fragments);
    assertThat(net.residentBytes() - memory).isLessThan(70_000_000);
  }
}

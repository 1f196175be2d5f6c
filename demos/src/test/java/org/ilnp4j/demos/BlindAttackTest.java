package org.ilnp4j.demos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.ilnp4j.demos.HostileNetwork.ECHO_PORT;
import static org.ilnp4j.demos.HostileNetwork.PORT;

import java.io.IOException;
import java.net.Socket;
import java.net.SocketException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.ilnp4j.demos.HostileNetwork.Mode;
import org.ilnp4j.tun.testing.RequiresRoot;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Somebody who is not the peer sends segments into a live session (RFC 5961). The attacker is given
 * what a blind one would have to guess: addresses, ports, numbers, and in ILNP mode the nonce.
 */
@RequiresRoot(programs = {"radvd", "scapy"})
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class BlindAttackTest {
  private static final int BYTES = 20_000;
  private static HostileNetwork net;

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

  private static String segment(String flags, long seq, String more) {
    return "segment(%d, '%s', %d, %s)".formatted(PORT, flags, seq, more);
  }

  private static String challenge(RawPeer.Flow f) {
    return "tcp A seq=%d ack=%d len=0".formatted(f.next(), f.expects());
  }

  /** A connection answers one stray segment in a quarter of a second, and no more. */
  private static void untilNextChallenge() throws InterruptedException {
    TimeUnit.MILLISECONDS.sleep(300);
  }

  @ParameterizedTest
  @EnumSource(Mode.class)
  void shouldChallengeResetsInWindowAndIgnoreThoseOutside(Mode mode) throws Exception {
    try (LiveSession session = net.open(mode)) {
      session.exchange(BYTES);
      RawPeer.Flow f = net.raw.settled(PORT);
      for (long offset : new long[] {1, 1000, f.window() - 1}) {
        assertThat(net.raw.answers(segment("R", f.expects() + offset, "")))
            .as("RST %d behind the left edge", offset)
            .containsExactly(challenge(f));
        untilNextChallenge();
      }
      for (long offset : new long[] {-1, -1000, f.window(), f.window() + 1000, 1L << 31}) {
        assertThat(net.raw.answers(segment("R", f.expects() + offset, "")))
            .as("RST %d off the left edge", offset)
            .isEmpty();
      }
      session.exchange(BYTES);
    }
  }

  @ParameterizedTest
  @EnumSource(Mode.class)
  void shouldChallengeEverySyn(Mode mode) throws Exception {
    try (LiveSession session = net.open(mode)) {
      session.exchange(BYTES);
      RawPeer.Flow f = net.raw.settled(PORT);
      for (String flags : new String[] {"S", "SA"}) {
        for (long offset : new long[] {-1, 0, 1L << 31}) {
          assertThat(net.raw.answers(segment(flags, f.expects() + offset, "" + f.next())))
              .as("%s %d off the left edge", flags, offset)
              .containsExactly(challenge(f));
          untilNextChallenge();
        }
      }
      session.exchange(BYTES);
    }
  }

  @ParameterizedTest
  @EnumSource(Mode.class)
  void shouldNotTakeDataWhoseAcknowledgementIsImpossible(Mode mode) throws Exception {
    try (LiveSession session = net.open(mode)) {
      session.exchange(BYTES);
      RawPeer.Flow f = net.raw.settled(PORT);
      // Ahead of what was sent, or older than any window (RFC 5961 §5.2). A segment with the right
      // nonce may acknowledge anything old: it may be late by a move.
      long[] impossible =
          mode == Mode.ILNP ? new long[] {1, 1000} : new long[] {1, 1000, 1L << 31, -(1L << 30)};
      for (long offset : impossible) {
        for (String data : new String[] {"", "b'injected'"}) {
          assertThat(
                  net.raw.answers(
                      segment(
                          "PA",
                          f.expects(),
                          (f.next() + offset) + (data.isEmpty() ? "" : ", " + data))))
              .as("acknowledgement %d off what was sent", offset)
              .containsExactly(challenge(f));
          untilNextChallenge();
        }
      }
      // Without an acknowledgement there is no text.
      assertThat(net.raw.answers(segment("P", f.expects(), "0, b'injected'"))).isEmpty();
      assertThat(net.raw.answers(segment("", f.expects(), "0, b'injected'"))).isEmpty();
      // Outside the window: the answer says where it is.
      assertThat(net.raw.answers(segment("PA", f.expects() + f.window(), f.next() + ", b'x'")))
          .containsExactly(challenge(f));
      session.exchange(BYTES);
    }
  }

  @ParameterizedTest
  @EnumSource(Mode.class)
  void shouldLimitWhatAnAttackerCanMakeItSay(Mode mode) throws Exception {
    try (LiveSession session = net.open(mode)) {
      session.exchange(BYTES);
      RawPeer.Flow f = net.raw.settled(PORT);
      List<String> answers =
          net.raw.answers("*[bytes(%s)] * 1000".formatted(segment("R", f.expects() + 1, "")));
      // A thousand take less than a second to be looked at, which has room for four.
      assertThat(answers).hasSizeBetween(1, 20).containsOnly(challenge(f));
      session.exchange(BYTES);
    }
  }

  @Test
  void shouldBeDeafToSegmentsWithoutTheRightNonce() throws Exception {
    try (LiveSession session = net.open(Mode.ILNP)) {
      session.exchange(BYTES);
      RawPeer.Flow f = net.raw.settled(PORT);
      String wrong = f.nonce().substring(1) + (f.nonce().startsWith("0") ? "1" : "0");
      long before = net.dropped("nonce-wrong");
      for (String attack :
          List.of(
              segment("R", f.expects(), "0, nonce_='" + wrong + "'"),
              segment("RA", f.expects(), f.next() + ", nonce_='" + wrong + "'"),
              segment("PA", f.expects(), f.next() + ", b'injected', nonce_='" + wrong + "'"),
              segment("FA", f.expects(), f.next() + ", nonce_='" + wrong + "'"))) {
        assertThat(net.raw.answers(attack)).as(attack).isEmpty();
      }
      assertThat(net.dropped("nonce-wrong")).isEqualTo(before + 4);
      // Nor without any, from where the peer has never been.
      String elsewhere = "'2001:db8:bad:bad:' + ':'.join(flow(%d)['peer'].split(':')[4:])";
      for (String attack :
          List.of(
              segment("R", f.expects(), "0, nonce_='', src=" + elsewhere.formatted(PORT)),
              segment(
                  "PA",
                  f.expects(),
                  f.next() + ", b'injected', nonce_='', src=" + elsewhere.formatted(PORT)))) {
        assertThat(net.raw.answers(attack)).as(attack).isEmpty();
      }
      session.exchange(BYTES);
    }
  }

  @ParameterizedTest
  @EnumSource(Mode.class)
  void shouldEndBySegmentThatCanOnlyBeThePeers(Mode mode) throws Exception {
    try (LiveSession session = net.open(mode)) {
      session.exchange(BYTES);
      RawPeer.Flow f = net.raw.settled(PORT);
      assertThat(net.raw.answers(segment("R", f.expects(), ""))).isEmpty();
      // The service hears of it, as an error and not as an end.
      assertThatThrownBy(() -> session.server.getInputStream().read())
          .isInstanceOf(SocketException.class)
          .hasMessageContaining("reset");
      // The real peer knows nothing yet; what it says next is answered with RST.
      assertThatThrownBy(
              () -> {
                session.client.getOutputStream().write(1);
                session.client.getInputStream().read();
              })
          .isInstanceOf(SocketException.class)
          .hasMessageContaining("reset");
    }
  }

  /** Last of all: answers to the flood are repeated for a while, in the sight of Scapy. */
  @Order(Integer.MAX_VALUE)
  @ParameterizedTest
  @EnumSource(Mode.class)
  void shouldServeOthersWhileFloodedWithSyns(Mode mode) throws Exception {
    try (Socket before = net.connect(mode, ECHO_PORT)) {
      assertEchoed(before);
      CompletableFuture<Object> flood =
          CompletableFuture.supplyAsync(
              () -> net.raw.eval("flood(%d, 10000, '2001:db8:bad:f100::')".formatted(ECHO_PORT)));
      int during = 0;
      while (!flood.isDone() || during == 0) {
        assertEchoed(before);
        try (Socket fresh = net.connect(mode, ECHO_PORT)) {
          assertEchoed(fresh);
        }
        during++;
      }
      assertThat(flood.get()).isEqualTo(10_000);
      // Nor does what is left of it hinder anybody.
      try (Socket after = net.connect(mode, ECHO_PORT)) {
        assertEchoed(after);
      }
      assertEchoed(before);
    }
  }

  private static void assertEchoed(Socket s) throws Exception {
    LiveSession.write(s, s, BYTES).readAll();
  }
}

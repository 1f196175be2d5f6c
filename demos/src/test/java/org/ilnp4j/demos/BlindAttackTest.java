package org.ilnp4j.demos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.ilnp4j.demos.HostileNetwork.PORT;

import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.ilnp4j.demos.HostileNetwork.Mode;
import org.ilnp4j.tun.testing.RequiresRoot;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Somebody who is not the peer sends segments into a live session (RFC 5961). The attacker is given
 * what a blind one would have to guess: addresses, ports, numbers, and in ILNP mode the nonce.
 */
@RequiresRoot(programs = {"radvd", "scapy"})
class BlindAttackTest {
  private static final int BYTES = 20_000;
  private static HostileNetwork net;

  @BeforeAll
  static void build() throws Exception {
    net = new HostileNetwork();
  }

  @AfterAll
  static void close() throws IOException {
    net.close();
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
}

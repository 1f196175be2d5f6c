package org.ilnp4j.pkt;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Whatever a script holds, the result is one line. */
class BrokenScriptsTest {
  private static final long SEED = 42;
  private static final int ROUNDS = 1500;

  private static Outcome play(String script) {
    return ScriptRunner.play(script, Profile.ILNP4J);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '^',
      textBlock =
          """
          0 socket(... | not understood: expected ")", got the end
          0 < S 0:0(5) win 10 | not understood: expected a length that fits, got 0:0(5)
          0 > Q 0:0(0) | not understood: expected TCP flags, got "Q"
          0 frobnicate(3) = 0 | call frobnicate
          0 listen(3, 1) = 0 | call listen: expected 0, got -1 EBADF
          0 `rm -rf /tmp/x; reboot` | command reboot
          0 %{ assert tcpi_nonsense == 1 }% | "tcpi_nonsense" in an assertion
          0 %{ assert 1 + 1 == 3 }% | assertion: expected 1 + 1 == 3, got nothing else
          0 %{ import os; os.system("x") }% | Python "os.system("x")"
          0 < udp (10) | udp packets
          --profile=beos | not understood: expected a profile: ilnp4j, linux, freebsd, got beos
          """)
  void shouldSayInOneLineWhatIsWrong(String script, String reason) {
    Outcome o = play(script);
    assertThat(o.verdict()).isNotEqualTo(Verdict.PASS);
    assertThat(o.reason()).doesNotContain("\n");
    assertThat(o.reason()).isEqualTo(reason);
  }

  @Test
  void shouldEndAScriptThatWouldNeverEnd() {
    String keepAlive =
        """
        --ip_version=ipv6
        0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3
        +0 fcntl(3, F_SETFL, O_NONBLOCK) = 0
        +0 connect(3, ..., ...) = -1 EINPROGRESS
        +0 > S 0:0(0) <...>
        +999999999 > R 0:0(0)
        """;
    assertThat(play(keepAlive).verdict()).isEqualTo(Verdict.FAIL);
  }

  @Test
  void shouldNeverThrowOrHangWhateverIsWritten() throws IOException {
    List<String> good = new ArrayList<>();
    for (Path p : PktMain.scripts(Path.of("src/test/resources/pkt"))) {
      good.add(Files.readString(p));
    }
    Random random = new Random(SEED);
    for (int i = 0; i < ROUNDS; i++) {
      StringBuilder s = new StringBuilder(good.get(random.nextInt(good.size())));
      for (int n = 1 + random.nextInt(4); n > 0 && s.length() > 0; n--) {
        mutate(s, random);
      }
      Outcome o = play(s.toString());
      assertThat(o.kind()).as("seed %d, round %d:%n%s", SEED, i, s).isNotEqualTo("exception");
      assertThat(o.reason()).doesNotContain("\n");
    }
  }

  private static void mutate(StringBuilder s, Random random) {
    int at = random.nextInt(s.length());
    switch (random.nextInt(5)) {
      case 0 -> s.deleteCharAt(at);
      case 1 -> s.setCharAt(at, (char) (32 + random.nextInt(95)));
      case 2 -> s.insert(at, random.nextInt());
      case 3 -> s.delete(at, Math.min(s.length(), at + random.nextInt(60)));
      default -> {
        int from = random.nextInt(s.length());
        s.insert(at, s.substring(from, Math.min(s.length(), from + random.nextInt(80))));
      }
    }
  }
}

package org.ilnp4j.pkt;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.jr.ob.JSON;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The command {@code ilnp pkt}. */
class PktMainTest {
  private static final String REFUSED = "0 < . 1:1(0) ack 1 win 10\n+0 > R 1:1(0)\n";

  @TempDir Path dir;
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();

  @BeforeEach
  void write() throws IOException {
    Files.writeString(dir.resolve("a-good.pkt"), "// a remark\n" + REFUSED);
    Files.writeString(
        dir.resolve("b-bad.pkt"), "0 < . 1:1(0) ack 1 win 10\n+0 > R. 1:1(0) ack 1\n");
    Files.writeString(dir.resolve("c-alien.pkt"), "0 < udp (10)\n");
    Files.writeString(
        dir.resolve("d-conditional.pkt"), "#ifdef FreeBSD\n0 frob() = 0\n#endif\n" + REFUSED);
    Files.writeString(dir.resolve("e-including.pkt"), "#include \"a-good.pkt\"\n");
  }

  private int run(String... args) {
    return PktMain.run(
        args,
        new PrintStream(out, true, StandardCharsets.UTF_8),
        new PrintStream(err, true, StandardCharsets.UTF_8));
  }

  @Test
  void shouldPrintOneLineForEachScriptAndCounts() {
    assertThat(run(dir.toString())).isZero();
    assertThat(out.toString(StandardCharsets.UTF_8).lines().map(String::strip))
        .containsExactly(
            "a-good.pkt              pass",
            "b-bad.pkt:2             fail        packet sent: flags:"
                + " expected R. 1:1(0) ack 1, got R 1:1(0) win 0",
            "c-alien.pkt:1           unsupported udp packets",
            "d-conditional.pkt       pass",
            "e-including.pkt         pass",
            "",
            "1 fail        packet sent: flags",
            "1 unsupported udp packets",
            "3 passed, 1 failed, 1 unsupported");
  }

  @Test
  void shouldNotReadWhatMayNeverEnd() throws Exception {
    Files.writeString(dir.resolve("f-endless.pkt"), "#include \"/dev/zero\"\n");
    Path fifo = dir.resolve("g-fifo.pkt");
    assertThat(new ProcessBuilder("mkfifo", fifo.toString()).start().waitFor()).isZero();
    assertThat(run(dir.toString())).isZero();
    assertThat(out.toString(StandardCharsets.UTF_8))
        .contains("f-endless.pkt           unsupported a script that is no regular file")
        .contains("g-fifo.pkt              unsupported a script that is no regular file")
        .contains("3 passed, 1 failed, 3 unsupported");
  }

  @Test
  void shouldPrintOneObject() throws IOException {
    assertThat(run(dir.toString(), "--json", "--profile", "freebsd")).isZero();
    Map<String, Object> all = JSON.std.mapFrom(out.toString(StandardCharsets.UTF_8));
    assertThat(all)
        .containsEntry("name", "pkt")
        .containsEntry("profile", "freebsd")
        .containsEntry("passed", 2)
        .containsEntry("failed", 1)
        .containsEntry("unsupported", 2)
        .containsEntry("claims", List.of());
    assertThat((List<?>) all.get("rows")).hasSize(5);
  }

  @Test
  void shouldTellFailureByItsStatusOnlyWhenAsked() {
    String good = dir.resolve("a-good.pkt").toString();
    assertThat(run(good, "--strict")).isZero();
    assertThat(run(dir.toString(), "--strict", "--quiet")).isEqualTo(1);
  }

  @Test
  void shouldSayInOneLineWhatIsWrongWithTheCommand() {
    for (String[] args :
        new String[][] {{}, {"/nowhere"}, {"--profile", "beos"}, {"--profile"}, {"--frob"}}) {
      err.reset();
      assertThat(run(args)).isEqualTo(2);
      assertThat(err.toString(StandardCharsets.UTF_8).lines()).hasSize(1);
    }
  }
}

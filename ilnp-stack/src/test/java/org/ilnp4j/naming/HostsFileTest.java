package org.ilnp4j.naming;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.ImmediateEventExecutor;
import java.io.IOException;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HostsFileTest {
  private static final long NID = 0x0214_4fff_feab_cd01L;
  private static final long L64_1 = 0x2001_0db8_0001_0001L;
  private static final long L64_2 = 0x2001_0db8_0002_0001L;

  @TempDir Path dir;
  private Path file;

  @BeforeEach
  void setUp() {
    file = dir.resolve("hosts");
  }

  private HostsFile open(String text) throws IOException {
    Files.writeString(file, text);
    return HostsFile.open(file);
  }

  @Test
  void shouldFindNamesWithAllTheirLocators() throws IOException {
    HostsFile hosts =
        open(
            """
            # correspondents
            server  0214:4fff:feab:cd01  2001:db8:1:1 2001:db8:2:1  # two uplinks

            other.example 214:4fff:feab:cd02 2001:db8:1:1::/64
            """);

    assertThat(hosts.lookup("server"))
        .isEqualTo(new Destination("server", NID, List.of(L64_1, L64_2)));
    assertThat(hosts.lookup("other.example").locators()).containsExactly(L64_1);
    assertThat(hosts.lookup("nobody")).isNull();
    assertThat(hosts.size()).isEqualTo(2);
  }

  @Test
  void shouldCompareNamesWithoutCaseAndFinalDot() throws IOException {
    HostsFile hosts = open("Server.Example. 214:4fff:feab:cd01 2001:db8:1:1\n");

    assertThat(hosts.lookup("SERVER.example")).isNotNull();
    assertThat(hosts.lookup("server.example.")).isNotNull();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "server | expected \"name NID L64 [L64...]\"",
        "server 214:4fff:feab:cd01 | expected \"name NID L64 [L64...]\"",
        "server 214:4fff:feab 2001:db8:1:1 | NID \"214:4fff:feab\" must be four groups",
        "server 214:4fff:feab:cd01 2001:db8::1 | Locator \"2001:db8::1\"",
        "ser/ver 214:4fff:feab:cd01 2001:db8:1:1 | \"ser/ver\" is not a host name",
        "server 0:0:0:0 2001:db8:1:1 | does not name a single node",
        "first 214:4fff:feab:cd02 2001:db8:1:1 | \"first\" stands in the file twice",
      })
  void shouldNameFileLineAndMistake(String line, String mistake) {
    assertThatThrownBy(
            () -> open("first 214:4fff:feab:cd01 2001:db8:1:1\n\n" + line + "\nlast line\n"))
        .isInstanceOf(IOException.class)
        .hasMessageStartingWith(file + ":3: ")
        .hasMessageContaining(mistake);
  }

  @Test
  void shouldSayWhichFileIsMissing() {
    assertThatThrownBy(() -> HostsFile.open(file))
        .isInstanceOf(IOException.class)
        .hasMessageContaining(file + ": no such hosts file");
  }

  @Test
  void shouldRefuseBinaryFiles() throws IOException {
    Files.write(file, new byte[] {(byte) 0xff, (byte) 0xfe, 0, 1});

    assertThatThrownBy(() -> HostsFile.open(file)).hasMessageContaining("not a text file");
  }

  @Test
  void shouldReadAgainWhenChanged() throws IOException {
    HostsFile hosts = open("server 214:4fff:feab:cd01 2001:db8:1:1\n");

    rewrite("server 214:4fff:feab:cd01 2001:db8:2:1\nnew 1:2:3:4 2001:db8:1:1\n", 1);

    assertThat(hosts.lookup("server").locators()).containsExactly(L64_2);
    assertThat(hosts.lookup("new")).isNotNull();
  }

  @Test
  void shouldReadAgainWhenOnlyTheTimeChanged() throws IOException {
    HostsFile hosts = open("server 214:4fff:feab:cd01 2001:db8:1:1\n");

    rewrite("server 214:4fff:feab:cd01 2001:db8:2:1\n", 7);

    assertThat(hosts.lookup("server").locators()).containsExactly(L64_2);
  }

  @Test
  void shouldKeepNamesWhileChangedFileIsWrongOrMissing() throws IOException {
    HostsFile hosts = open("server 214:4fff:feab:cd01 2001:db8:1:1\n");

    rewrite("server oops\n", 1);
    assertThat(hosts.lookup("server").locators()).containsExactly(L64_1);

    Files.delete(file);
    assertThat(hosts.lookup("server").locators()).containsExactly(L64_1);

    rewrite("server 214:4fff:feab:cd01 2001:db8:2:1\n", 2);
    assertThat(hosts.lookup("server").locators()).containsExactly(L64_2);
  }

  @Test
  void shouldFailWithUnknownHostForUnknownNames() throws IOException {
    HostsFile hosts = open("");

    Future<Destination> answer = hosts.resolve("nobody", ImmediateEventExecutor.INSTANCE);

    assertThat(answer.cause())
        .isInstanceOf(UnknownHostException.class)
        .hasMessage("unknown name \"nobody\" (not in " + file + ")");
  }

  @Test
  void shouldAskTheNextResolverOnlyForUnknownNames() throws IOException {
    Resolver both = new Literals().orElse(open("server 214:4fff:feab:cd01 2001:db8:1:1\n"));

    assertThat(both.resolve("server", ImmediateEventExecutor.INSTANCE).getNow().nid())
        .isEqualTo(NID);
    assertThat(both.resolve("2001:db8:2:1::5", ImmediateEventExecutor.INSTANCE).getNow())
        .isEqualTo(new Destination("2001:db8:2:1::5", 5, List.of(L64_2)));
    assertThat(both.resolve("ff02::1", ImmediateEventExecutor.INSTANCE).cause())
        .hasMessageContaining("not the global unicast address");
  }

  private void rewrite(String text, int laterSeconds) throws IOException {
    FileTime before =
        Files.exists(file) ? Files.getLastModifiedTime(file) : FileTime.fromMillis(1_000_000);
    Files.writeString(file, text);
    Files.setLastModifiedTime(file, FileTime.fromMillis(before.toMillis() + 1000L * laterSeconds));
  }
}

package org.ilnp4j.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import org.ilnp4j.daemon.config.ConfigException;
import org.ilnp4j.daemon.config.ConfigReader;
import org.ilnp4j.daemon.config.DaemonConfig;
import org.ilnp4j.util.UserError;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A machine made of files: everything is there until a test takes it away. */
class PreflightTest {
  private static final String ALL_CAPABILITIES = "Name:\tjava\nCapEff:\t000001ffffffffff\n";

  @TempDir Path root;

  @BeforeEach
  void aMachineWithEverything() throws IOException {
    write("proc/self/status", ALL_CAPABILITIES);
    write(
        "proc/self/net/dev",
        """
        Inter-|   Receive                   |  Transmit
         face |bytes    packets errs drop   |bytes
            lo:       0       0    0    0
         wlan0: 1043240     803    0    0
        """);
    write("dev/net/tun", "");
  }

  @Test
  void shouldAcceptAMachineThatHasEverything() {
    assertThatCode(() -> check("")).doesNotThrowAnyException();
  }

  @Test
  void shouldNameTheMissingPrivilege() throws Exception {
    // CAP_NET_RAW alone
    write("proc/self/status", "CapEff:\t0000000000002000\n");

    UserError e = problem("");

    assertThat(e.kind()).isEqualTo(UserError.Kind.MISSING);
    assertThat(e.lines()).singleElement().asString().contains("CAP_NET_ADMIN", "run it as root");
  }

  @Test
  void shouldSayHowToGetTheTunDevice() throws Exception {
    Files.delete(root.resolve("dev/net/tun"));

    UserError e = problem("");

    assertThat(e.kind()).isEqualTo(UserError.Kind.MISSING);
    assertThat(e.lines()).singleElement().asString().contains("no /dev/net/tun", "modprobe tun");
  }

  @Test
  void shouldListTheLinksThereAreWhenOneIsUnknown() throws Exception {
    UserError e = problem("nid = \"eui64:eth7\"\n[[uplink]]\nname = \"wlan9\"\n");

    assertThat(e.kind()).isEqualTo(UserError.Kind.FAILED);
    assertThat(e.lines())
        .containsExactly(
            "uplink: there is no link \"wlan9\"; this host has: lo, wlan0",
            "nid: there is no link \"eth7\"; this host has: lo, wlan0");
  }

  @Test
  void shouldNameThePortThatIsTaken() throws Exception {
    try (ServerSocket other = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      String address = "127.0.0.1:" + other.getLocalPort();

      UserError e = problem("[socks]\nlisten = \"" + address + "\"\n");

      assertThat(e.kind()).isEqualTo(UserError.Kind.FAILED);
      assertThat(e.lines())
          .singleElement()
          .asString()
          .startsWith("socks.listen: " + address + " is taken by another program");
    }
  }

  @Test
  void shouldSayWhenAnAddressIsNotOfThisHost() throws Exception {
    UserError e =
        problem(
            "[[forward]]\nlisten = \"192.0.2.1:5\"\nto = \"[fd00::1:2:3:4]:1\"\nallow-remote = true\n");

    assertThat(e.lines())
        .singleElement()
        .asString()
        .startsWith("forward.listen: cannot listen on 192.0.2.1:5: ")
        .doesNotContain("taken");
  }

  @Test
  void shouldListAllThatIsWrongAtOnce() throws Exception {
    Files.delete(root.resolve("dev/net/tun"));

    UserError e = problem("nid = \"eui64:eth7\"\n[[uplink]]\nname = \"wlan9\"\n");

    assertThat(e.kind()).isEqualTo(UserError.Kind.MISSING);
    assertThat(e.lines()).hasSize(3);
    assertThat(e.lines().get(1)).contains("uplink", "wlan9");
    assertThat(e.lines().get(2)).contains("nid", "eth7");
  }

  private UserError problem(String text) {
    UserError e = catchThrowableOfType(UserError.class, () -> check(text));
    assertThat(e).as("found nothing wrong").isNotNull();
    assertThat(e.lines()).noneMatch(line -> line.contains("\n"));
    return e;
  }

  private void check(String text) throws UserError, ConfigException {
    String uplink = text.contains("[[uplink]]") ? "" : "\n[[uplink]]\nname = \"wlan0\"\n";
    DaemonConfig config =
        ConfigReader.parse("x.toml", root, text + uplink + "[control]\nsocket = \"none.sock\"\n");
    new Preflight(root).run(config);
  }

  private void write(String file, String text) throws IOException {
    Path path = root.resolve(file);
    Files.createDirectories(path.getParent());
    Files.writeString(path, text);
  }
}

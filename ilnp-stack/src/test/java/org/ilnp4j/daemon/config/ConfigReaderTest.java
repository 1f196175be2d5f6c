package org.ilnp4j.daemon.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.ilnp4j.ilnp.Locator;
import org.ilnp4j.tcp.TcpConfig;
import org.ilnp4j.time.NanoClock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class ConfigReaderTest {
  private static final Path BASE = Path.of("/etc/ilnp");
  private static final String UPLINK = "[[uplink]]\nname = \"eth0\"\n";

  @Test
  void shouldFillInDefaultsWhenOnlyAnUplinkIsNamed() throws ConfigException {
    DaemonConfig c = parse(UPLINK);

    assertThat(c.name()).isEqualTo("ilnp");
    assertThat(c.nid()).isEqualTo(new NidSource.Random());
    assertThat(c.tun()).isEqualTo(new DaemonConfig.Tun("ilnp0", 1500));
    assertThat(c.uplinks()).singleElement().extracting("name").isEqualTo("eth0");
    assertThat(c.mobility().policy()).isEqualTo(PolicyKind.PREFERENCE);
    assertThat(c.mobility().handoff()).isEqualTo(HandoffKind.SOFT);
    assertThat(c.tcp()).usingRecursiveComparison().isEqualTo(TcpConfig.DEFAULT);
    assertThat(c.tcp().keepAliveNanos()).isEqualTo(NanoClock.seconds(7200));
    assertThat(c.nonceBytes()).isEqualTo(12);
    assertThat(c.socks()).isEmpty();
    assertThat(c.hosts()).isEmpty();
    assertThat(c.pcap()).isEmpty();
    assertThat(c.controlSocket()).isEqualTo(Path.of("/run/ilnp/ilnp.sock"));
    assertThat(c.stateDir()).isEqualTo(Path.of("/run/ilnp"));
    assertThat(c.logLevel()).isEqualTo("info");
  }

  @Test
  void shouldReadEveryKindOfValue(@TempDir Path dir) throws Exception {
    Files.writeString(dir.resolve("hosts"), "correspondent 214:4fff:feab:cd01 2001:db8:3:1\n");
    DaemonConfig c =
        ConfigReader.parse(
            "node.toml",
            dir,
            """
            name = "mn-1"
            nid = "0214:4fff:feab:cd01"
            [[uplink]]
            name = "wlan0"
            preference = 20
            locator = "2001:db8:1:1"
            router = "fe80::1"
            [mobility]
            policy = "first-ra"
            handoff = "hard"
            max-lifetime = "1.5 min"
            ra-timeout-factor = 4
            [tcp]
            congestion = "newreno"
            send-buffer = "64 KiB"
            keepalive = "3h"
            [nonce]
            length = 4
            [hosts]
            file = "hosts"
            [socks]
            listen = "[::]:1080"
            allow-remote = true
            [[forward]]
            listen = "localhost:2222"
            to = "correspondent:22"
            [[publish]]
            port = 80
            to = "[::1]:8080"
            [pcap]
            file = "/tmp/x.pcap"
            """);

    assertThat(c.nid()).isEqualTo(new NidSource.Explicit(0x0214_4fff_feab_cd01L));
    assertThat(c.uplinks().get(0).preference()).isEqualTo(20);
    DaemonConfig.FixedLocator fixed = c.uplinks().get(0).fixed().orElseThrow();
    assertThat(fixed.l64()).isEqualTo(Locator.parse("2001:db8:1:1"));
    assertThat(fixed.router()).isEqualTo(InetAddress.getByName("fe80::1"));
    assertThat(c.mobility())
        .isEqualTo(
            new DaemonConfig.Mobility(
                PolicyKind.FIRST_RA, HandoffKind.HARD, NanoClock.seconds(90), 4.0));
    assertThat(c.tcp().congestionControl()).isEqualTo("newreno");
    assertThat(c.tcp().sendBufferBytes()).isEqualTo(65536);
    assertThat(c.tcp().keepAliveNanos()).isEqualTo(NanoClock.seconds(10_800));
    assertThat(c.nonceBytes()).isEqualTo(4);
    assertThat(c.hosts()).contains(dir.resolve("hosts"));
    assertThat(c.socks()).contains(new InetSocketAddress(InetAddress.getByName("::"), 1080));
    assertThat(c.forwards())
        .containsExactly(
            new DaemonConfig.Forward(
                new InetSocketAddress("127.0.0.1", 2222), new HostPort("correspondent", 22)));
    assertThat(c.publishes())
        .containsExactly(new DaemonConfig.Publish(80, new HostPort("::1", 8080)));
    assertThat(c.controlSocket()).isEqualTo(Path.of("/run/ilnp/mn-1.sock"));
    assertThat(c.pcap()).contains(Path.of("/tmp/x.pcap"));
  }

  /** Each row: text, and the one problem that comes of it, without the file name. */
  static Stream<Arguments> wrong() {
    return Stream.of(
        arguments(
            "", "1: uplink: none is given; name at least one link: [[uplink]] name = \"eth0\""),
        // keys
        arguments(UPLINK + "nmae = 1", "3: uplink.nmae: is not known; did you mean \"name\"?"),
        arguments(
            UPLINK + "nid = \"random\"",
            "3: uplink.nid: is not known; it belongs to the top of the file"),
        arguments(UPLINK + "[sokcs]", "3: sokcs: is not known; did you mean \"socks\"?"),
        arguments(
            UPLINK + "[tun]\nqwertyuiop = 1",
            "4: tun.qwertyuiop: is not known; known here: name, mtu"),
        arguments(
            "\"\" = 1\n" + UPLINK,
            "1: : is not known; known here: name, nid, tun, uplink, mobility, tcp,"
                + " nonce, hosts, socks, forward, publish, control, state, pcap, log"),
        arguments("[[uplink]]\npreference = 1", "1: uplink.name: is missing; [[uplink]] needs it"),
        arguments(UPLINK + "[hosts]", "3: hosts.file: is missing; [hosts] needs it"),
        // kinds of section
        arguments(
            "[uplink]\nname = \"eth0\"",
            "1: uplink: may occur several times; begin each with [[uplink]]"),
        arguments("uplink = [1]", "1: uplink: may occur several times; begin each with [[uplink]]"),
        arguments(UPLINK + "[[tun]]\nmtu = 1500", "3: tun: must be one table; begin it with [tun]"),
        arguments("socks = true\n" + UPLINK, "1: socks: must be one table; begin it with [socks]"),
        // syntax
        arguments(
            UPLINK + "[tcp]\nsend-buffer = 4 MiB",
            "4: syntax: Unexpected 'MiB', expected a newline or"
                + " end-of-input at column 17; put a value with a unit in quotes, such as \"200 ms\""),
        arguments("name = \"a\nb\"", null),
        // values
        arguments(
            "name = \"a b\"\n" + UPLINK,
            "1: name: \"a b\" is not a node name; use letters, digits, - and _," + " 32 at most"),
        arguments("name = 7\n" + UPLINK, "1: name: 7 must be a text in quotes"),
        arguments(
            UPLINK + "[tun]\nname = \"a-name-that-is-too-long\"",
            "4: tun.name: \"a-name-that-is-too-long\" is"
                + " not a link name; names are as \"ip link\" shows them"),
        arguments(
            UPLINK + "[tun]\nmtu = 1000", "4: tun.mtu: 1000 is out of range; give 1280 to 65535"),
        arguments(
            UPLINK + "[tun]\nmtu = \"1500\"",
            "4: tun.mtu: \"1500\" is not a whole number; give 1280 to 65535"),
        arguments(
            UPLINK + "[tun]\nmtu = [1500]",
            "4: tun.mtu: an array is not a whole number; give 1280 to 65535"),
        arguments(
            "nid = \"eui46:wlan0\"\n" + UPLINK,
            "1: nid: NID \"eui46:wlan0\" must be four groups of hex digits,"
                + " such as 0214:4fff:feab:cd01; or write \"eui64:LINK\" or \"random\""),
        arguments(
            "nid = \"0:0:0:0\"\n" + UPLINK,
            "1: nid: NID \"0:0:0:0\" does not name a single node (it is zero or"
                + " has the group bit set); or write \"eui64:LINK\" or \"random\""),
        arguments(
            UPLINK + "locator = \"2001:db8:1:1\"",
            "3: uplink.locator: locator and router go together; give both,"
                + " or neither to listen for RAs"),
        arguments(
            UPLINK + "router = \"fe80::1\"",
            "3: uplink.router: locator and router go together; give both,"
                + " or neither to listen for RAs"),
        arguments(
            UPLINK + "locator = \"2001:db8::1\"\nrouter = \"fe80::1\"",
            "3: uplink.locator: Locator" + " \"2001:db8::1\": \"\" is not one to four hex digits"),
        arguments(
            UPLINK + "locator = \"2001:db8:1:1\"\nrouter = \"10.0.0.1\"",
            "4: uplink.router: \"10.0.0.1\" is not"
                + " an IPv6 address; write one such as \"fe80::1\""),
        arguments(
            UPLINK + "[mobility]\npolicy = \"best\"",
            "4: mobility.policy: \"best\" is not known; choose"
                + " \"first-ra\", \"preference\", \"manual\""),
        arguments(
            UPLINK + "[mobility]\nmax-lifetime = 300",
            "4: mobility.max-lifetime: 300 has no unit; write a"
                + " duration in quotes, such as \"200 ms\""),
        arguments(
            UPLINK + "[mobility]\nmax-lifetime = \"300\"",
            "4: mobility.max-lifetime: \"300\" is not a duration;" + " write it as \"200 ms\""),
        arguments(
            UPLINK + "[mobility]\nmax-lifetime = \"3 days\"",
            "4: mobility.max-lifetime: \"3 days\" has a unit"
                + " that is not known here; use us, ms, s, min, h"),
        arguments(
            UPLINK + "[mobility]\nmax-lifetime = \"24 h\"",
            "4: mobility.max-lifetime: \"24 h\" is out of range;" + " give \"1 s\" to \"65535 s\""),
        arguments(
            UPLINK + "[mobility]\nmax-lifetime = \"999999999999 h\"",
            "4: mobility.max-lifetime: \"999999999999"
                + " h\" is out of range; give \"1 s\" to \"65535 s\""),
        arguments(
            UPLINK + "[mobility]\nra-timeout-factor = nan",
            "4: mobility.ra-timeout-factor: NaN is out of range;" + " give 1.5 to 100.0"),
        arguments(
            UPLINK + "[tcp]\nsend-buffer = \"4 MB\"",
            "4: tcp.send-buffer: \"4 MB\" has a unit that is not known"
                + " here; use B, KiB, MiB, GiB"),
        arguments(
            UPLINK + "locator = \"2001:db8:1:1\"\nrouter = \"2001:db8:1:1::1\"",
            "4: uplink.router: \"2001:db8:1:1::1\" is not link-local (fe80::/10);"
                + " \"ip -6 route\" shows the router's"),
        // what is there
        arguments(
            UPLINK + "[hosts]\nfile = \"/no/such\"",
            "4: hosts.file: /no/such: no such hosts file; create it, one \"name NID L64\" a line"),
        arguments(
            UPLINK + "[hosts]\nfile = \"/\"",
            "4: hosts.file: /: is a directory; name a file, one \"name NID L64\" a line"),
        arguments(
            UPLINK + "[[forward]]\nlisten = \"127.0.0.1:1\"\nto = \"a:1\"",
            "5: forward.to: \"a\" is a name, and there is no [hosts] file; add one,"
                + " or write [NID@L64]:port"),
        arguments(
            UPLINK + "[[forward]]\nlisten = \"127.0.0.1:1\"\nto = \"192.0.2.1:1\"",
            "5: forward.to: 192.0.2.1 is an IPv4 address, which has no NID;"
                + " give a name of the hosts file"),
        arguments(
            UPLINK + "[pcap]\nfile = \"/no/such/x.pcap\"",
            "4: pcap.file: there is no directory /no/such; create it, or choose another one"),
        arguments(
            UPLINK + "[control]\nsocket = \"/" + "x".repeat(107) + "\"",
            "4: control.socket: /"
                + "x".repeat(107)
                + " has 108 octets, and a socket's path at most 107; shorten it"),
        arguments(
            UPLINK + "[control]\nsocket = \"/dev\"",
            "4: control.socket: /dev is in the way and is not a socket; remove it,"
                + " or choose another path"),
        arguments(UPLINK + "[nonce]\nlength = 8", "4: nonce.length: 8 is not 4 or 12"),
        arguments(
            UPLINK + "[hosts]\nfile = \"\"",
            "4: hosts.file: an empty path names no file; give one"),
        arguments(
            UPLINK + "[log]\nlevel = \"loud\"",
            "4: log.level: \"loud\" is not known; choose \"error\", \"warn\","
                + " \"info\", \"debug\", \"trace\""),
        // listeners
        arguments(
            UPLINK + "[socks]\nlisten = \"0.0.0.0:1080\"",
            "4: socks.listen: 0.0.0.0:1080 can be reached by"
                + " others; use 127.0.0.1, or add allow-remote = true"),
        arguments(
            UPLINK + "[socks]\nlisten = \"1080\"",
            "4: socks.listen: \"1080\" is not a host and a port; write it" + " as \"host:8080\""),
        arguments(
            UPLINK + "[socks]\nlisten = \"::1:1080\"",
            "4: socks.listen: \"::1:1080\" has several colons; write"
                + " an IPv6 address as \"[::1]:8080\""),
        arguments(
            UPLINK + "[socks]\nlisten = \"127.0.0.1:70000\"",
            "4: socks.listen: port 70000 does not exist; ports" + " are 1 to 65535"),
        arguments(
            UPLINK + "[socks]\nlisten = \"myhost:1080\"",
            "4: socks.listen: \"myhost\" is not an address to listen"
                + " on; use 127.0.0.1 or [::1]"),
        arguments(
            UPLINK + "[socks]\nlisten = \"127.0.0.999:1080\"",
            "4: socks.listen: \"127.0.0.999\" is not an address"
                + " to listen on; use 127.0.0.1 or [::1]"),
        arguments(
            UPLINK + "[socks]\nallow-remote = \"yes\"",
            "4: socks.allow-remote: \"yes\" is neither true nor false;"
                + " write one of them without quotes"),
        arguments(
            UPLINK
                + "[socks]\n[[forward]]\nlisten = \"127.0.0.1:1080\"\nto = \"[fd00::1:2:3:4]:1\"",
            "5: forward.listen:" + " 127.0.0.1:1080 is taken by line 3; choose another port"),
        // duplicates
        arguments(UPLINK + UPLINK, "4: uplink.name: \"eth0\" is listed twice; remove one"),
        arguments(
            "[tun]\nname = \"eth0\"\n" + UPLINK,
            "4: uplink.name: \"eth0\" is the TUN device; name a link to a" + " router"),
        arguments(
            UPLINK + "[[publish]]\nport = 80\nto = \"a:1\"\n[[publish]]\nport = 80\nto = \"b:2\"",
            "7:" + " publish.port: 80 is published in line 4; choose another"));
  }

  @ParameterizedTest
  @MethodSource("wrong")
  void shouldSayWhatIsWrongAndHowToMendIt(String text, String problem) {
    ConfigException e = catchThrowableOfType(ConfigException.class, () -> parse(text));

    assertThat(e).as("accepted: %s", text).isNotNull();
    assertThat(e.problems()).allMatch(p -> p.matches("node\\.toml:\\d+: .+") && !p.contains("\n"));
    if (problem != null) {
      assertThat(e.problems()).containsExactly("node.toml:" + problem);
    }
  }

  @Test
  void shouldListAllProblemsInTheOrderOfTheFile() {
    String text = "name = 1\nnid = 2\n" + UPLINK + "[tun]\nmtu = 3\nmru = 4\n[log]\nlevel = \"no\"";

    assertThatThrownBy(() -> parse(text))
        .isInstanceOfSatisfying(
            ConfigException.class,
            e ->
                assertThat(e.problems())
                    .extracting(p -> p.split(" ")[1])
                    .containsExactly("name:", "nid:", "tun.mtu:", "tun.mru:", "log.level:"));
  }

  @Test
  void shouldTakeRelativePathsFromTheDirectoryOfTheFile(@TempDir Path dir)
      throws IOException, ConfigException {
    Path file = dir.resolve("node.toml");
    // Some editors begin with a byte order mark.
    Files.writeString(file, "\uFEFF" + UPLINK + "[hosts]\nfile = \"names\"");
    Files.writeString(dir.resolve("names"), "");

    assertThat(ConfigReader.read(file).hosts()).contains(dir.resolve("names"));
    assertThatThrownBy(() -> ConfigReader.read(dir.resolve("absent.toml")))
        .isInstanceOf(NoSuchFileException.class);
  }

  @Test
  void shouldCheckTheHostsFileAndTheNamesLookedForInIt(@TempDir Path dir) throws Exception {
    Path file = dir.resolve("node.toml");
    Path hosts = dir.resolve("hosts");
    String forward = "[[forward]]\nlisten = \"127.0.0.1:1\"\nto = \"srever:1\"\n";
    Files.writeString(file, UPLINK + "[hosts]\nfile = \"hosts\"\n" + forward);
    Files.writeString(hosts, "server 214:4fff:feab:cd01 2001:db8:3:1\n");
    assertThatThrownBy(() -> ConfigReader.read(file))
        .hasMessage(
            file
                + ":7: forward.to: \"srever\" is not in the hosts file; add it there,"
                + " or write [NID@L64]:port");

    Files.writeString(hosts, "# names\nsrever 214:4fff:feab:cd01\n");
    assertThatThrownBy(() -> ConfigReader.read(file))
        .hasMessageStartingWith(file + ":4: hosts.file: " + hosts + ":2: expected \"name NID L64");

    Files.writeString(hosts, "srever 214:4fff:feab:cd01 2001:db8:3:1\n");
    assertThat(ConfigReader.read(file).forwards()).hasSize(1);
  }

  @Test
  void shouldSuggestOnlyWhatIsNear() {
    List<String> known = List.of("listen", "allow-remote");

    assertThat(Nearest.to("lisetn", known)).isEqualTo("listen");
    assertThat(Nearest.to("allow_remote", known)).isEqualTo("allow-remote");
    assertThat(Nearest.to("port", known)).isNull();
  }

  private static DaemonConfig parse(String text) throws ConfigException {
    return ConfigReader.parse("node.toml", BASE, text);
  }
}

package org.ilnp4j.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import com.fasterxml.jackson.jr.ob.JSON;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.ilnp4j.daemon.DaemonLauncher;
import org.ilnp4j.daemon.config.DaemonConfig;
import org.ilnp4j.daemon.control.ControlServer;
import org.ilnp4j.daemon.control.FakeService;
import org.ilnp4j.util.UserError;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/** The command line against a control server that answers from a script. */
@Timeout(60)
class IlnpTest {
  /** As standard output: what is not flushed at the end is lost. */
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();

  private final StringWriter err = new StringWriter();
  private final FakeService service = new FakeService();
  private final FakeLauncher launcher = new FakeLauncher();
  private final List<String> levels = new ArrayList<>();

  @TempDir Path dir;
  private MultiThreadIoEventLoopGroup group;
  private ControlServer server;

  @BeforeEach
  void aDaemonAnswers() throws IOException {
    group = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    server = ControlServer.open(group.next(), dir.resolve("a.sock"), service);
  }

  @AfterEach
  void leaveNothingBehind() {
    server.close().syncUninterruptibly();
    group.shutdownGracefully(0, 10, TimeUnit.SECONDS).syncUninterruptibly();
    assertThat(server.socket()).doesNotExist();
  }

  @Test
  void shouldPrintTheStatusForPeople() {
    assertThat(ask("status")).isZero();
    assertThat(out.toString(StandardCharsets.UTF_8))
        .contains("mobile up 3.5 s, pid 42")
        .contains("214:4fff:feab:cd01")
        .contains("socks 127.0.0.1:1080")
        .contains("soft, wlan0 -> wlan1 (2001:db8:2:0), 1 of 1 told, LU 20.5 ms")
        .contains("packets-in");
    fitsTheScreen();
  }

  @Test
  void shouldPrintTablesThatFitTheScreen() {
    assertThat(ask("sessions")).isZero();
    assertThat(ask("locators")).isZero();

    assertThat(out.toString(StandardCharsets.UTF_8))
        .contains("correspondent:80", "established", "20.1 ms", "115G")
        .contains("wlan0", "active", "29.5 s", "4 min 40 s");
    fitsTheScreen();
  }

  @Test
  void shouldSayWhenThereAreNoSessions() {
    service.sessions = 0;

    assertThat(ask("sessions")).isZero();
    assertThat(out.toString(StandardCharsets.UTF_8).strip()).isEqualTo("no sessions");
  }

  @Test
  void shouldReportAHandoffInOneLine() {
    assertThat(ask("handoff", "SOFT", "--to", "wlan1")).isZero();
    assertThat(out.toString(StandardCharsets.UTF_8).strip())
        .isEqualTo("soft, wlan0 -> wlan1 (2001:db8:2:0), 1 of 1 told, LU 20.5 ms");
    assertThat(service.asked).containsExactly("handoff SOFT wlan1");
  }

  @Test
  void shouldSummariseAPing() {
    assertThat(ask("ping", "cn", "-c", "2")).isZero();
    assertThat(out.toString(StandardCharsets.UTF_8).lines())
        .containsExactly(
            "cn (2001:db8:3:0) seq 1: 21.0 ms",
            "cn (2001:db8:3:0) seq 2: 22.0 ms",
            "2 sent, 2 answered; least 21.0 ms, mean 21.5 ms, most 22.0 ms");
  }

  @Test
  void shouldFailWhenNoPingIsAnswered() {
    assertThat(ask("ping", "lost", "-c", "1")).isEqualTo(ExitStatus.FAILED);
    assertThat(out.toString(StandardCharsets.UTF_8))
        .contains("seq 1: no answer", "1 sent, 0 answered");
  }

  @Test
  void shouldPrintOneJsonObjectForPrograms() throws IOException {
    assertThat(json("status"))
        .containsEntry("name", "mobile")
        .containsEntry("mtu_bytes", 1500)
        .containsEntry("uptime_s", 3.5)
        .containsKeys("nid", "version", "commit", "pid", "tun", "policy", "handoff", "listeners")
        .containsKeys("correspondents", "sessions", "counters", "last_handoff");
    assertThat(list(json("sessions"), "sessions"))
        .singleElement()
        .satisfies(
            s ->
                assertThat(s)
                    .containsEntry("remote_name", "correspondent")
                    .containsEntry("srtt_ms", 20.125)
                    .containsEntry("path_changes", 1));
    assertThat(list(json("locators"), "local").get(1))
        .containsEntry("locator", "2001:db8:2:0")
        .containsEntry("lifetime_s", null);
    assertThat(json("handoff", "hard"))
        .containsEntry("lu_rtt_ms", 20.5)
        .containsEntry("to_link", "wlan1");
    Map<String, Object> ping = json("ping", "cn", "-c", "1");
    assertThat(ping).containsEntry("sent", 1).containsEntry("answered", 1);
    assertThat(list(ping, "replies").get(0)).containsEntry("rtt_ms", 21.0);
  }

  @Test
  void shouldShowTheDaemonsRefusalAsOneLine() {
    assertThat(ask("handoff", "soft", "--to", "wlan9")).isEqualTo(ExitStatus.FAILED);
    assertThat(err.toString().strip())
        .isEqualTo("ilnp: there is no uplink \"wlan9\"; there are: wlan0, wlan1");
    assertThat(ask("ping", "nobody")).isEqualTo(ExitStatus.FAILED);
    assertThat(err.toString()).contains("the hosts file does not know \"nobody\"");
  }

  @Test
  void shouldSayWhenNoDaemonAnswers() {
    int status = run("status", "--socket", dir.resolve("none.sock").toString());

    assertThat(status).isEqualTo(ExitStatus.FAILED);
    oneErrorLine("no daemon answers at ");
  }

  static Stream<Arguments> wrongUse() {
    return Stream.of(
        arguments(List.of(), "a command is missing"),
        arguments(List.of("statsu"), "did you mean \"status\"?"),
        arguments(List.of("daemon"), "--config=FILE"),
        arguments(
            List.of("daemon", "--config", "x", "--log", "loud"),
            "--log: \"loud\" is neither error, warn"),
        arguments(List.of("daemon", "--config", "no/such.toml"), "no/such.toml: there is no such"),
        arguments(List.of("handoff"), "soft|hard"),
        arguments(List.of("handoff", "sideways"), "handoff: \"sideways\" is neither soft nor hard"),
        arguments(List.of("ping"), "NAME"),
        arguments(List.of("ping", "a", "-c", "0"), "-c: \"0\" is not a number from 1 to 1000"),
        arguments(List.of("ping", "a", "-c", "two"), "-c: \"two\" is not a number from"),
        arguments(
            List.of("sessions", "--limit", "0"), "--limit: \"0\" is not a number from 1 to 10000"),
        arguments(List.of("status", "--jsno"), "--jsno"),
        arguments(List.of("status", "extra"), "extra"));
  }

  @ParameterizedTest
  @MethodSource("wrongUse")
  void shouldAnswerWrongUseWithOneLine(List<String> args, String expected) {
    assertThat(run(args.toArray(String[]::new))).isEqualTo(ExitStatus.USAGE);
    oneErrorLine(expected);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"daemon", "status", "sessions", "locators", "handoff", "ping", "stop", "cleanup"})
  void shouldExplainEveryCommandWithAnExample(String command) {
    assertThat(run(command, "--help")).isZero();
    assertThat(out.toString(StandardCharsets.UTF_8))
        .contains("Usage: ilnp " + command, "Exit status:", "xample");
    fitsTheScreen();
  }

  @Test
  void shouldTellItsVersion() {
    assertThat(run("--version")).isZero();
    assertThat(out.toString(StandardCharsets.UTF_8))
        .matches("ilnp \\d+\\.\\d+\\.\\d+\\S* \\(commit \\w+, Java \\S+\\)\\s*");
  }

  @Test
  void shouldReportEveryProblemOfAConfiguration() throws IOException {
    Path file = Files.writeString(dir.resolve("n.toml"), "nmae = 1\n[tun]\nmtu = 1\n");

    assertThat(run("daemon", "--config", file.toString())).isEqualTo(ExitStatus.USAGE);
    assertThat(err.toString().lines())
        .hasSize(3)
        .allMatch(line -> line.startsWith("ilnp: " + file + ":"));
    assertThat(launcher.ran).isEmpty();
  }

  @Test
  void shouldOnlyCheckAConfigurationWhenAsked() throws IOException {
    Path file = Files.writeString(dir.resolve("n.toml"), "[[uplink]]\nname = \"wlan9\"\n");

    assertThat(run("daemon", "--config", file.toString(), "--check")).isZero();
    assertThat(out.toString(StandardCharsets.UTF_8)).contains("the configuration is right");
    assertThat(launcher.ran).isEmpty();
  }

  @Test
  void shouldNotStartADaemonOnALinkThatIsNotThere() throws IOException {
    Path file = Files.writeString(dir.resolve("n.toml"), "[[uplink]]\nname = \"nolink\"\n");

    assertThat(run("daemon", "--config", file.toString()))
        .isIn(ExitStatus.FAILED, ExitStatus.MISSING);
    assertThat(err.toString()).contains("there is no link \"nolink\"");
    assertThat(launcher.ran).isEmpty();
  }

  @Test
  void shouldStopADaemon() throws Exception {
    assertThat(ask("stop")).isZero();
    assertThat(group.next().submit(() -> List.copyOf(service.asked)).get(20, TimeUnit.SECONDS))
        .containsExactly("stop");
  }

  @Test
  void shouldListWhatCleanupHasUndone() throws IOException {
    launcher.undone = List.of("route 2001:db8:1:0::/128 dev ilnp0");

    assertThat(run("cleanup", "--state", dir.toString())).isZero();
    assertThat(out.toString(StandardCharsets.UTF_8).strip())
        .isEqualTo("route 2001:db8:1:0::/128 dev ilnp0");
    launcher.undone = List.of();
    assertThat(run("cleanup", "--state", dir.toString())).isZero();
    assertThat(out.toString(StandardCharsets.UTF_8)).contains("nothing to undo in " + dir);
    assertThat(json("cleanup", "--state", dir.toString())).containsEntry("undone", List.of());
  }

  @Test
  void shouldShowAStackTraceOnlyWhenAsked() {
    launcher.undone = null;

    assertThat(run("cleanup")).isEqualTo(ExitStatus.FAILED);
    oneErrorLine("planted");
    assertThat(err.toString()).contains("IllegalStateException");
    run("cleanup", "--debug");
    assertThat(err.toString()).contains("\tat org.ilnp4j");
  }

  private int ask(String... args) {
    List<String> all = new ArrayList<>(List.of(args));
    if (!args[0].equals("cleanup")) {
      all.addAll(List.of("--socket", server.socket().toString()));
    }
    return run(all.toArray(String[]::new));
  }

  private int run(String... args) {
    CommandLine ilnp = Ilnp.commandLine(launcher, levels::add);
    return ilnp.setOut(new PrintWriter(new OutputStreamWriter(out, StandardCharsets.UTF_8), true))
        .setErr(new PrintWriter(err, true))
        .execute(args);
  }

  private Map<String, Object> json(String... args) throws IOException {
    out.reset();
    List<String> all = new ArrayList<>(List.of(args));
    all.add("--json");
    assertThat(ask(all.toArray(String[]::new))).isZero();
    assertThat(out.toString(StandardCharsets.UTF_8).lines()).hasSize(1);
    return JSON.std.mapFrom(out.toString(StandardCharsets.UTF_8));
  }

  @SuppressWarnings("unchecked")
  private static List<Map<String, Object>> list(Map<String, Object> object, String key) {
    return (List<Map<String, Object>>) object.get(key);
  }

  private void oneErrorLine(String expected) {
    assertThat(err.toString().lines())
        .singleElement()
        .asString()
        .startsWith("ilnp: ")
        .contains(expected);
    assertThat(out.toString(StandardCharsets.UTF_8)).isEmpty();
  }

  private void fitsTheScreen() {
    assertThat(out.toString(StandardCharsets.UTF_8).lines()).allMatch(line -> line.length() <= 80);
  }

  /** Does nothing, and remembers it. */
  private static final class FakeLauncher implements DaemonLauncher {
    final List<DaemonConfig> ran = new ArrayList<>();
    List<String> undone = List.of();

    @Override
    public void run(DaemonConfig config) {
      ran.add(config);
    }

    @Override
    public List<String> cleanup(Path stateDir) throws UserError {
      if (undone == null) {
        throw new IllegalStateException("planted");
      }
      return undone;
    }
  }
}

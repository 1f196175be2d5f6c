package org.ilnp4j.daemon.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.netty.channel.EventLoop;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.nio.NioIoHandler;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.ilnp4j.util.UserError;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Client and server over a real socket. */
@Timeout(60)
class ControlTest {
  private static final Duration WAIT = Duration.ofSeconds(20);

  enum Transport {
    EPOLL,
    NIO
  }

  @TempDir Path dir;

  private final FakeService service = new FakeService();
  private MultiThreadIoEventLoopGroup group;
  private ControlServer server;

  @AfterEach
  void leaveNothingBehind() {
    if (server != null) {
      server.close().syncUninterruptibly();
      assertThat(server.socket()).doesNotExist();
    }
    if (group != null) {
      group.shutdownGracefully(0, 10, TimeUnit.SECONDS).syncUninterruptibly();
      assertThat(group.isTerminated()).isTrue();
    }
  }

  @ParameterizedTest
  @EnumSource
  void shouldAnswerEveryCommandWithWhatTheDaemonSays(Transport transport) throws Exception {
    Path socket = serve(transport);

    try (ControlClient client = ControlClient.connect(socket)) {
      assertThat(client.one(Map.of("command", "status"), StatusView.class, WAIT))
          .isEqualTo(FakeService.STATUS);
      assertThat(client.one(Map.of("command", "sessions", "limit", 5), SessionView.class, WAIT))
          .isEqualTo(FakeService.SESSION);
      assertThat(client.one(Map.of("command", "locators"), LocatorsView.class, WAIT))
          .isEqualTo(FakeService.LOCATORS);
      Map<String, Object> move = Map.of("command", "handoff", "kind", "hard", "to", "wlan1");
      assertThat(client.one(move, HandoffView.class, WAIT)).isEqualTo(FakeService.HANDOFF);
      List<Integer> seqs = new ArrayList<>();
      Map<String, Object> ping = Map.of("command", "ping", "name", "cn", "count", 3);
      client.call(ping, PingView.class, WAIT, p -> seqs.add(p.seq()));
      assertThat(seqs).containsExactly(1, 2, 3);
      client.call(Map.of("command", "stop"), StatusView.class, WAIT, s -> {});
    }
    assertThat(onLoop(() -> List.copyOf(service.asked)))
        .containsExactly(
            "status", "sessions 5", "locators", "handoff HARD wlan1", "ping cn 3", "stop");
  }

  @Test
  void shouldDeliverManyResultsToOneRequest() throws Exception {
    Path socket = serve(Transport.EPOLL);
    service.sessions = 5000;
    List<SessionView> got = new ArrayList<>();

    try (ControlClient client = ControlClient.connect(socket)) {
      client.call(Map.of("command", "sessions", "limit", 4000), SessionView.class, WAIT, got::add);
    }

    assertThat(got).hasSize(4000).containsOnly(FakeService.SESSION);
  }

  @Test
  void shouldPassOnTheDaemonsOwnWordsWhenItRefuses() throws Exception {
    Path socket = serve(Transport.EPOLL);

    try (ControlClient client = ControlClient.connect(socket)) {
      Map<String, Object> move = Map.of("command", "handoff", "kind", "soft", "to", "wlan9");
      UserError e =
          catchThrowableOfType(UserError.class, () -> client.one(move, HandoffView.class, WAIT));

      assertThat(e.kind()).isEqualTo(UserError.Kind.FAILED);
      assertThat(e.lines())
          .containsExactly("there is no uplink \"wlan9\"; there are: wlan0, wlan1");
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "status",
        "[]",
        "{\"command\": 1}",
        "{}",
        "{\"command\": \"halt\"}",
        "{\"command\": \"sessions\"}",
        "{\"command\": \"sessions\", \"limit\": 10001}",
        "{\"command\": \"sessions\", \"limit\": 1.5}",
        "{\"command\": \"sessions\", \"limit\": 99999999999999999999}",
        "{\"command\": \"handoff\", \"kind\": \"sideways\"}",
        "{\"command\": \"handoff\"}",
        "{\"command\": \"ping\", \"count\": 1}",
        "{\"command\": \"ping\", \"name\": \"broken\", \"count\": 1}"
      })
  void shouldAnswerAWrongRequestWithOneErrorAndGoOn(String request) throws Exception {
    Path socket = serve(Transport.EPOLL);

    assertThat(exchange(socket, request + "\n{\"command\":\"status\"}\n"))
        .hasSize(3)
        .satisfies(
            lines -> {
              assertThat(lines.get(0)).contains("\"error\"").contains("\"ok\":false");
              assertThat(lines.get(2)).isEqualTo("{\"ok\":true}");
            });
  }

  @Test
  void shouldCloseAConnectionWithAnEndlessLine() throws Exception {
    Path socket = serve(Transport.EPOLL);

    List<String> lines = exchange(socket, "x".repeat(ControlServer.MAX_LINE_BYTES + 1));

    assertThat(lines).singleElement().asString().contains("at most 4096 octets");
  }

  @Test
  void shouldRefuseASecondRequestBeforeTheReplyToTheFirst() throws Exception {
    Path socket = serve(Transport.EPOLL);
    String ping = "{\"command\":\"ping\",\"name\":\"patience\",\"count\":1}\n";

    List<String> lines = exchange(socket, ping + ping);

    assertThat(lines).singleElement().asString().contains("wait for the reply");
    assertThat(onLoop(() -> service.openPing.isOpen())).isFalse();
  }

  @Test
  void shouldTellTheDaemonWhenTheClientHasGone() throws Exception {
    Path socket = serve(Transport.EPOLL);
    try (ControlClient client = ControlClient.connect(socket)) {
      Map<String, Object> ping = Map.of("command", "ping", "name", "patience", "count", 1);
      assertThatThrownBy(() -> client.one(ping, PingView.class, Duration.ofMillis(50)))
          .isInstanceOf(UserError.class)
          .hasMessageContaining("has not answered");
      assertThat(onLoop(() -> service.openPing.isOpen())).isTrue();
    }
    // A later client is served after the loop has seen the first one leave.
    exchange(socket, "{\"command\":\"status\"}\n");

    assertThat(onLoop(() -> service.openPing.isOpen())).isFalse();
  }

  @Test
  void shouldCloseConnectionsBeyondTheLimit() throws Exception {
    Path socket = serve(Transport.EPOLL);
    List<ControlClient> clients = new ArrayList<>();
    for (int i = 0; i < ControlServer.MAX_CONNECTIONS; i++) {
      clients.add(ControlClient.connect(socket));
      clients.get(i).one(Map.of("command", "status"), StatusView.class, WAIT);
    }

    try (ControlClient tooMany = ControlClient.connect(socket)) {
      assertThatThrownBy(() -> tooMany.one(Map.of("command", "status"), StatusView.class, WAIT))
          .isInstanceOf(UserError.class)
          .hasMessageContaining("closed the connection");
    }
    for (ControlClient client : clients) {
      client.close();
    }
  }

  @Test
  void shouldLetOnlyTheOwnerTouchTheSocket() throws Exception {
    Path socket = serve(Transport.EPOLL);

    assertThat(Files.getPosixFilePermissions(socket))
        .isEqualTo(PosixFilePermissions.fromString("rw-------"));
  }

  @ParameterizedTest
  @EnumSource
  void shouldRefuseAnotherUserEvenWhereTheModeLetsThemIn(Transport transport) throws Exception {
    assumeTrue("root".equals(System.getProperty("user.name")), "needs root to become another user");
    Path socket = serve(transport);
    Files.setPosixFilePermissions(dir, PosixFilePermissions.fromString("rwxr-xr-x"));
    Files.setPosixFilePermissions(socket, PosixFilePermissions.fromString("rw-rw-rw-"));

    assertThat(askAs("65534", socket)).doesNotContain("mobile");
    assertThat(service.asked).isEmpty();
    assertThat(askAs("0", socket)).contains("mobile");
  }

  /** Asks for the status with the user id {@code uid}; the reply as it came. */
  private static String askAs(String uid, Path socket) throws Exception {
    assumeTrue(
        Files.isExecutable(Path.of("/usr/bin/setpriv"))
            && Files.isExecutable(Path.of("/usr/bin/nc")),
        "needs setpriv and nc");
    Process p =
        new ProcessBuilder(
                "setpriv", "--reuid", uid, "--clear-groups", "nc", "-N", "-U", socket.toString())
            .redirectErrorStream(true)
            .start();
    try (var out = p.getOutputStream()) {
      out.write("{\"command\":\"status\"}\n".getBytes(StandardCharsets.UTF_8));
    } catch (IOException e) {
      assertThat(e).as("closed before it was asked").hasMessageMatching(".*([Pp]ipe|[Cc]losed).*");
    }
    String reply = new String(p.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(p.waitFor(20, TimeUnit.SECONDS)).isTrue();
    assertThat(reply).doesNotContainIgnoringCase("denied");
    return reply;
  }

  @Test
  void shouldReplaceTheSocketOfADeadDaemonButNothingElse() throws Exception {
    Path socket = serve(Transport.EPOLL);
    assertThatThrownBy(() -> ControlServer.open(group.next(), socket, service))
        .hasMessageContaining("another daemon answers");

    Path dead = dir.resolve("dead.sock");
    try (var channel = java.nio.channels.ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      channel.bind(UnixDomainSocketAddress.of(dead));
    }
    assertThat(ControlClient.isAnswering(dead)).isFalse();
    ControlServer second = ControlServer.open(group.next(), dead, service);
    assertThat(ControlClient.isAnswering(dead)).isTrue();
    second.close().syncUninterruptibly();

    Path file = Files.writeString(dir.resolve("precious"), "data");
    assertThatThrownBy(() -> ControlServer.open(group.next(), file, service))
        .hasMessageContaining("not a socket");
    assertThat(file).hasContent("data");

    Path tooLong = dir.resolve("x".repeat(108));
    assertThatThrownBy(() -> ControlServer.open(group.next(), tooLong, service))
        .hasMessageContaining("longer than 107");
  }

  @Test
  void shouldSayHowToStartADaemonWhenNoneAnswers() {
    UserError e =
        catchThrowableOfType(
            UserError.class, () -> ControlClient.connect(dir.resolve("none.sock")));

    assertThat(e.lines())
        .containsExactly(
            "no daemon answers at "
                + dir.resolve("none.sock")
                + "; start one with: ilnp daemon --config FILE; or choose another with --socket");
  }

  @Test
  void shouldFindTheOnlyDaemonAndAskWhichOfSeveral() throws Exception {
    assertThatThrownBy(() -> ControlClient.find(dir)).hasMessageContaining("no daemon answers");
    Path first = serve(Transport.EPOLL);
    assertThat(ControlClient.find(dir)).isEqualTo(first);

    ControlServer second = ControlServer.open(group.next(), dir.resolve("b.sock"), service);
    UserError e = catchThrowableOfType(UserError.class, () -> ControlClient.find(dir));
    assertThat(e.kind()).isEqualTo(UserError.Kind.USAGE);
    assertThat(e.getMessage()).contains(first.toString()).contains("b.sock").contains("--socket");
    second.close().syncUninterruptibly();
  }

  private Path serve(Transport transport) throws IOException {
    assumeTrue(transport == Transport.NIO || Epoll.isAvailable(), "no epoll on this platform");
    IoHandlerFactory factory =
        transport == Transport.EPOLL ? EpollIoHandler.newFactory() : NioIoHandler.newFactory();
    group = new MultiThreadIoEventLoopGroup(1, factory);
    EventLoop loop = group.next();
    server = ControlServer.open(loop, dir.resolve("a.sock"), service);
    return server.socket();
  }

  private <T> T onLoop(java.util.concurrent.Callable<T> what) throws Exception {
    return group.next().submit(what).get(20, TimeUnit.SECONDS);
  }

  /** Sends raw octets, then collects lines until the server closes. */
  private static List<String> exchange(Path socket, String text) throws IOException {
    try (SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
      channel.connect(UnixDomainSocketAddress.of(socket));
      channel.write(ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8)));
      channel.shutdownOutput();
      ByteBuffer in = ByteBuffer.allocate(1 << 16);
      while (channel.read(in) >= 0) {
        assertThat(in.hasRemaining()).isTrue();
      }
      return StandardCharsets.UTF_8.decode(in.flip()).toString().lines().toList();
    }
  }
}

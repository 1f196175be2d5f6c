package org.ilnp4j.demos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.ilnp4j.demos.HostileNetwork.NODE;
import static org.ilnp4j.demos.HostileNetwork.PORT;
import static org.ilnp4j.demos.HostileNetwork.ROUTER;

import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import jdk.net.ExtendedSocketOptions;
import org.ilnp4j.demos.HostileNetwork.Mode;
import org.ilnp4j.demos.lab.Lab;
import org.ilnp4j.tun.NetworkNamespace;
import org.ilnp4j.tun.testing.Eventually;
import org.ilnp4j.tun.testing.Netns;
import org.ilnp4j.tun.testing.RequiresRoot;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * What a session with a Linux kernel must live through, or end from in good time: readers that
 * stop, windows that shrink, ends that vanish and come back (RFC 9293 §3.5.1, §3.8.6).
 *
 * <p>Readers stop for 12 seconds; {@code -Dilnp.reader-stopped-seconds=120} makes it two minutes.
 */
@RequiresRoot(programs = {"radvd", "scapy", "nft"})
class KernelPeerTest {
  private static final int READER_STOPPED_SECONDS =
      Integer.getInteger("ilnp.reader-stopped-seconds", 12);

  /**
   * More than all buffers on the way hold, so that a writer whose reader has stopped stops, too.
   */
  private static final int MUCH = 24_000_000;

  private static final int KERNEL_PORT = 9200;

  /** Which end of the session is the kernel's own; the other is a program behind a daemon. */
  enum Kernel {
    CLIENT,
    SERVER
  }

  private static HostileNetwork net;
  private static ServerSocket kernelServer;

  @BeforeAll
  static void build() throws Exception {
    net = new HostileNetwork();
    kernelServer =
        NetworkNamespace.call(
            core(), () -> new ServerSocket(KERNEL_PORT, 50, InetAddress.getByName(ROUTER)));
    kernelServer.setSoTimeout((int) TimeUnit.SECONDS.toMillis(60));
  }

  @AfterAll
  static void close() throws IOException {
    if (net != null) {
      net.close();
    }
  }

  private static Lab lab() {
    return net.net.lab().lab;
  }

  private static String core() {
    return net.net.lab().core;
  }

  /** A session: its server is the kernel's end, its client the program's, whoever called. */
  private static LiveSession open(Kernel kernel) throws Exception {
    if (kernel == Kernel.CLIENT) {
      Socket k = net.connect(Mode.CLASSIC);
      return new LiveSession(net.accept(), k);
    }
    Socket program = net.connectBySocks(new InetSocketAddress(ROUTER, KERNEL_PORT));
    return new LiveSession(program, kernelServer.accept());
  }

  // ---- a reader stops -------------------------------------------------------------------------

  @Test
  void shouldWaitForReadersThatStopAndAnswerKeepalives() throws Exception {
    long probes = persistProbes();
    List<CompletableFuture<Void>> cases = new ArrayList<>();
    for (Kernel kernel : Kernel.values()) {
      LiveSession toKernel = open(kernel);
      cases.add(inBackground(() -> stopReading(toKernel, true, false)));
      LiveSession toProgram = open(kernel);
      cases.add(inBackground(() -> stopReading(toProgram, false, true)));
      LiveSession both = open(kernel);
      cases.add(inBackground(() -> stopReading(both, true, true)));
      LiveSession idle = open(kernel);
      cases.add(inBackground(() -> keepAlive(idle)));
    }
    for (CompletableFuture<Void> c : cases) {
      c.get(READER_STOPPED_SECONDS + 120, TimeUnit.SECONDS);
    }
    assertThat(persistProbes() - probes).as("probes of the closed windows").isGreaterThan(4);
  }

  private static void stopReading(LiveSession s, boolean toKernel, boolean toProgram)
      throws Exception {
    try (s) {
      s.exchange(1000);
      List<LiveSession.Passing> passings = new ArrayList<>();
      if (toKernel) {
        passings.add(s.write(s.client, s.server, MUCH));
      }
      if (toProgram) {
        passings.add(s.write(s.server, s.client, MUCH));
      }
      TimeUnit.SECONDS.sleep(READER_STOPPED_SECONDS);
      for (LiveSession.Passing p : passings) {
        assertThat(p.isWritten()).as("everything was written though nobody reads").isFalse();
      }
      List<CompletableFuture<Void>> reading = new ArrayList<>();
      for (LiveSession.Passing p : passings) {
        reading.add(inBackground(p::readAll));
      }
      for (CompletableFuture<Void> r : reading) {
        r.get(120, TimeUnit.SECONDS);
      }
      s.exchange(1000);
    }
  }

  /** Beside those: an idle session whose kernel asks each second whether anybody is there. */
  private static void keepAlive(LiveSession s) throws Exception {
    try (s) {
      s.exchange(1000);
      s.server.setOption(ExtendedSocketOptions.TCP_KEEPIDLE, 1);
      s.server.setOption(ExtendedSocketOptions.TCP_KEEPINTERVAL, 1);
      s.server.setOption(ExtendedSocketOptions.TCP_KEEPCOUNT, 5);
      s.server.setKeepAlive(true);
      // Unanswered, the fifth probe would be its end.
      TimeUnit.SECONDS.sleep(READER_STOPPED_SECONDS);
      s.exchange(1000);
    }
  }

  private static long persistProbes() throws IOException {
    String name = "tcp-persist-probes";
    return net.net.mobileCounter(name)
        + net.net.correspondentStatus().counters().getOrDefault(name, 0L);
  }

  private static CompletableFuture<Void> inBackground(Netns.Body body) {
    return CompletableFuture.runAsync(
        () -> {
          try {
            body.run();
          } catch (Exception e) {
            throw new IllegalStateException(e);
          }
        },
        task -> new Thread(task).start());
  }

  // ---- a window shrinks -----------------------------------------------------------------------

  /** A kernel with {@code tcp_shrink_window} draws the right edge back when memory is short. */
  @ParameterizedTest
  @EnumSource(Kernel.class)
  void shouldLiveWithKernelThatShrinksItsWindow(Kernel kernel) throws Exception {
    lab().sysctl(core(), "net/ipv4/tcp_shrink_window", "1");
    try (LiveSession s = open(kernel)) {
      s.exchange(1_000_000);
      LiveSession.Passing p = s.write(s.client, s.server, MUCH);
      for (int i = 0; i < 8; i++) {
        p.read(500_000);
        s.server.setReceiveBufferSize(i % 2 == 0 ? 4096 : 1 << 20);
        TimeUnit.MILLISECONDS.sleep(200);
      }
      s.server.setReceiveBufferSize(1 << 20);
      p.readAll();
      s.exchange(1000);
    } finally {
      lab().sysctl(core(), "net/ipv4/tcp_shrink_window", "0");
    }
  }

  @Test
  void shouldResendWithinWindowThatAPeerTakesBack() throws Exception {
    Number next =
        (Number)
            net.raw.eval(
                ("connect(%d, 4900, '', '2001:db8:bad:77:0:1:7:7', window=20000,"
                        + " options=[('MSS', 1440)])['next']")
                    .formatted(PORT));
    long first = next.longValue();
    int bytes = 100_000;
    try (Socket service = net.accept()) {
      byte[] data = LiveSession.pattern(bytes);
      service.getOutputStream().write(data);
      net.raw.eval("await_(lambda: sum(sizes(%d)) > 10000)".formatted(PORT));
      // Ten segments are on their way; room for one, for none, for a little.
      for (int window : new int[] {1440, 0, 100, 0, 3000}) {
        net.raw.eval(
            "send(segment(%d, 'A', 1001, %d, window=%d)) and ping()"
                .formatted(PORT, first + 1440, window));
        TimeUnit.MILLISECONDS.sleep(300);
      }
      assertThat(net.raw.eval("acknowledge(%d, %d, %d)".formatted(PORT, first, first + bytes)))
          .isEqualTo(LiveSession.sha256(data));
    }
  }

  // ---- half open ------------------------------------------------------------------------------

  /** Nothing passes between the kernel's end and the daemons. */
  private static void cut() throws IOException {
    lab().exec(core(), "nft", "add table ip6 cut");
    for (String hook : new String[] {"input", "output"}) {
      lab()
          .exec(
              core(),
              "nft",
              "add chain ip6 cut %s { type filter hook %s priority 0; }".formatted(hook, hook));
      lab().exec(core(), "nft", "add rule ip6 cut %s meta l4proto tcp drop".formatted(hook));
    }
  }

  private static void mend() throws IOException {
    lab().exec(core(), "nft", "delete table ip6 cut");
  }

  /** The kernel's end is gone as after a reboot: nobody heard of it. */
  private static void vanish(Socket kernelEnd) throws IOException {
    cut();
    kernelEnd.setSoLinger(true, 0);
    kernelEnd.close();
    mend();
  }

  @ParameterizedTest
  @EnumSource(Kernel.class)
  void shouldEndWhenThePeerHasForgotten(Kernel kernel) throws Exception {
    try (LiveSession s = open(kernel)) {
      s.exchange(1000);
      vanish(s.server);
      assertReset(s.client);
    }
  }

  /** Figure 9 of RFC 9293: the old incarnation is challenged, reset, and makes room. */
  @Test
  void shouldTakeANewCallFromThePortsOfOneThatThePeerHasForgotten() throws Exception {
    try (LiveSession s = open(Kernel.CLIENT)) {
      s.exchange(1000);
      int port = s.server.getLocalPort();
      vanish(s.server);
      Socket again =
          NetworkNamespace.call(
              core(),
              () -> {
                Socket k = new Socket();
                k.setReuseAddress(true);
                k.bind(new InetSocketAddress(ROUTER, port));
                k.connect(new InetSocketAddress(NODE, PORT), 60_000);
                return k;
              });
      try (LiveSession fresh = new LiveSession(net.accept(), again)) {
        fresh.exchange(20_000);
      }
      assertReset(s.client);
    }
  }

  /** The same ports again and again, whoever closes first (B7). */
  @Test
  void shouldTakeTheSamePortsAgainAtOnce() throws Exception {
    int port = 0;
    for (int i = 0; i < 10; i++) {
      int from = port;
      // The last one has left the kernel's table when its FIN is acknowledged.
      Eventually.await(
          "the kernel's end of port " + from + " is closed",
          () -> from == 0 || lab().exec(core(), "ss", "-Htan", "sport = :" + from).isBlank());
      Socket k =
          NetworkNamespace.call(
              core(),
              () -> {
                Socket fresh = new Socket();
                fresh.setReuseAddress(true);
                fresh.bind(new InetSocketAddress(ROUTER, from));
                fresh.connect(new InetSocketAddress(NODE, PORT), 60_000);
                return fresh;
              });
      port = k.getLocalPort();
      try (LiveSession s = new LiveSession(net.accept(), k)) {
        s.exchange(20_000);
        // The program's end closes first, and the daemon keeps TIME-WAIT.
        s.client.shutdownOutput();
        assertThat(s.server.getInputStream().read()).isEqualTo(-1);
        s.server.shutdownOutput();
        assertThat(s.client.getInputStream().read()).isEqualTo(-1);
      }
    }
  }

  /** The kernel still has its end when the daemon has lost everything. */
  @Test
  void shouldResetWhatACrashedDaemonHasForgotten() throws Exception {
    try (LiveSession s = open(Kernel.CLIENT)) {
      s.exchange(1000);
      net.net.crashCorrespondent();
      assertReset(s.server);
    }
    try (LiveSession fresh = open(Kernel.CLIENT)) {
      fresh.exchange(20_000);
    }
  }

  private static void assertReset(Socket end) {
    assertThatThrownBy(
            () -> {
              while (true) {
                end.getOutputStream().write(1);
                TimeUnit.MILLISECONDS.sleep(50);
              }
            })
        .isInstanceOf(SocketException.class);
  }

  // ---- half-close and resets through the proxy ----------------------------------------

  @ParameterizedTest
  @EnumSource(Kernel.class)
  void shouldPassOnHalfCloseWithDataBehindIt(Kernel kernel) throws Exception {
    for (boolean programFirst : new boolean[] {true, false}) {
      try (LiveSession s = open(kernel)) {
        Socket first = programFirst ? s.client : s.server;
        Socket second = programFirst ? s.server : s.client;
        s.pass(first, second, 100_000);
        first.shutdownOutput();
        assertThat(second.getInputStream().read()).isEqualTo(-1);
        s.pass(second, first, 3_000_000);
        second.shutdownOutput();
        assertThat(first.getInputStream().read()).isEqualTo(-1);
      }
    }
  }

  @ParameterizedTest
  @EnumSource(Kernel.class)
  void shouldPassOnResets(Kernel kernel) throws Exception {
    for (boolean byProgram : new boolean[] {true, false}) {
      try (LiveSession s = open(kernel)) {
        s.exchange(1000);
        Socket one = byProgram ? s.client : s.server;
        Socket other = byProgram ? s.server : s.client;
        one.setSoLinger(true, 0);
        one.close();
        assertThatThrownBy(() -> other.getInputStream().read())
            .isInstanceOf(SocketException.class)
            .hasMessageContaining("reset");
      }
    }
  }

  @Test
  void shouldRefuseAsTheServerDoes() {
    assertThatThrownBy(() -> net.connectBySocks(new InetSocketAddress(ROUTER, KERNEL_PORT + 1)))
        .isInstanceOf(SocketException.class)
        .hasMessageContaining("refused");
    assertThatThrownBy(() -> net.connectByKernel(new InetSocketAddress(NODE, PORT + 5)))
        .isInstanceOf(ConnectException.class)
        .hasMessageContaining("refused");
  }

  // ---- thousands of sessions ------------------------------------------------------------------

  @Test
  void shouldKeepNothingOfThousandsOfSessions() throws Exception {
    long[] daemons = {net.net.mobileStatus().pid(), net.net.correspondentStatus().pid()};
    comeAndGo(300);
    long memory = Resident.bytes(daemons[0]) + Resident.bytes(daemons[1]);
    int descriptors = Resident.descriptors(daemons[0]) + Resident.descriptors(daemons[1]);
    comeAndGo(2000);
    Eventually.await(
        "the descriptors of both daemons are closed again",
        () ->
            Resident.descriptors(daemons[0]) + Resident.descriptors(daemons[1]) <= descriptors + 4);
    // A read buffer kept of each session would be 130 MB; the heaps may go up and down by a little.
    assertThat(Resident.bytes(daemons[0]) + Resident.bytes(daemons[1]) - memory)
        .isLessThan(100_000_000);
  }

  /** Sessions in both modes that end in every way, one after the other. */
  private static void comeAndGo(int sessions) throws Exception {
    for (int i = 0; i < sessions; i++) {
      Socket client = net.connect(i % 2 == 0 ? Mode.CLASSIC : Mode.ILNP);
      Socket server = net.accept();
      try (LiveSession s = new LiveSession(client, server)) {
        s.exchange(100);
        if (i % 4 < 2) {
          (i % 8 < 4 ? client : server).setSoLinger(true, 0);
        }
        if (i % 16 < 8) {
          server.close();
        }
      }
    }
  }
}

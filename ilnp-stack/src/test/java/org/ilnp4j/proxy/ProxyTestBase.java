package org.ilnp4j.proxy;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.net.httpserver.HttpServer;
import io.netty.channel.EventLoop;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.nio.NioIoHandler;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import org.ilnp4j.naming.Destination;
import org.ilnp4j.naming.Literals;
import org.ilnp4j.naming.Resolver;
import org.ilnp4j.netty.HostRunner;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;

/**
 * Real programs on real loopback sockets, through SOCKS or a forwarded port, over some network, to
 * a published service. Time limits are for failures only.
 */
@Timeout(60)
abstract class ProxyTestBase {
  static final int PORT = 80;
  static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(30);
  static final ProxyLimits LIMITS = new ProxyLimits(100, 50, 30_000, 30_000);

  /**
   * Two relays with a high-water mark and a read buffer each, and the session's two buffers, make 1
   * MiB; read buffers that are filled in part only make it more, but nothing like what is sent.
   */
  static final int MAX_HELD_BYTES = 4 << 20;

  /** More than the kernel's own socket buffers take, two on each side of the proxies. */
  private static final int FLOOD_BYTES = 48 << 20;

  @Parameter String kind;

  @TempDir Path dir;

  final PeakAllocator allocator = new PeakAllocator();
  final RelayOptions options = new RelayOptions(allocator, 64 << 10, 256 << 10);
  final ExecutorService threads = Executors.newCachedThreadPool();
  final List<AutoCloseable> open = new CopyOnWriteArrayList<>();
  final ConcurrentLinkedQueue<Throwable> failures = new ConcurrentLinkedQueue<>();

  private CountingIoHandlers loops;
  MultiThreadIoEventLoopGroup group;
  LocalTransport transport;
  Dialer dialer;
  InetSocketAddress socks;

  @BeforeEach
  void setUp() throws Exception {
    IoHandlerFactory handlers = NioIoHandler.newFactory();
    if (kind.equals("epoll")) {
      assumeTrue(Epoll.isAvailable(), "epoll is not available");
      handlers = LocalTransport.ioHandlers();
    }
    loops = new CountingIoHandlers(handlers);
    group = new MultiThreadIoEventLoopGroup(1, loops);
    group.next().submit(() -> openNetwork(group.next())).get();
    transport = new LocalTransport(group.next(), options);
    startSocks(LIMITS);
  }

  @AfterEach
  void shouldLeaveNothingBehind() throws Exception {
    for (AutoCloseable c : open) {
      c.close();
    }
    threads.shutdown();
    assertThat(threads.awaitTermination(20, TimeUnit.SECONDS)).isTrue();
    if (group != null) {
      await(() -> onLoop(() -> dialer.inFlight() == 0));
      closeNetwork();
      await(() -> onLoop(() -> allocator.usedBytes() == 0));
      group.shutdownGracefully(0, 5, TimeUnit.SECONDS).get();
    }
    assertThat(failures).isEmpty();
  }

  // The network between

  /** Enough data to go through every buffer many times. */
  abstract int bulkBytes();

  /** Called on the loop, as the other methods about the network are. */
  abstract void openNetwork(EventLoop loop);

  /** Not called on the loop. */
  abstract void closeNetwork() throws Exception;

  abstract HostRunner mobile();

  abstract HostRunner correspondent();

  /** The node that publishes. */
  abstract Destination serverDestination();

  /** Takes all Locators from the mobile node. */
  abstract void detachMobile();

  /** SYNs get lost from now on. */
  abstract void silenceCorrespondent();

  /** Connections of the mobile node that are not over. */
  abstract int sessions();

  // Set-up

  void startSocks(ProxyLimits limits) throws Exception {
    Map<String, Destination> names = Map.of("server", serverDestination());
    Resolver hosts =
        (name, executor) -> {
          Destination d = names.get(name);
          return d != null
              ? executor.newSucceededFuture(d)
              : executor.newFailedFuture(new UnknownHostException("unknown name " + name));
        };
    startSocks(limits, new Literals().orElse(hosts));
  }

  void startSocks(ProxyLimits limits, Resolver resolver) throws Exception {
    dialer = new Dialer(mobile(), resolver, limits, options);
    Socks5Proxy proxy = new Socks5Proxy(transport, dialer, loopback(0));
    socks = proxy.start().get();
    open.add(() -> proxy.close().sync());
  }

  InetSocketAddress forward(String host, int port) throws Exception {
    Forward forward = new Forward(transport, dialer, loopback(0), host, port);
    open.add(() -> forward.close().sync());
    return forward.start().get();
  }

  Publish publish(InetSocketAddress service) throws Exception {
    Publish publish = new Publish(correspondent(), transport, PORT, service, LIMITS, options);
    publish.start().sync();
    open.add(() -> publish.close().sync());
    return publish;
  }

  static InetSocketAddress loopback(int port) {
    return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
  }

  interface Conversation {
    void with(Socket s) throws Exception;
  }

  /** A local service that holds the same conversation with every client. */
  InetSocketAddress service(Conversation conversation) throws IOException {
    ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    open.add(server);
    threads.execute(
        () -> {
          while (!server.isClosed()) {
            try {
              Socket s = server.accept();
              open.add(s);
              threads.execute(() -> hold(conversation, s));
            } catch (IOException e) {
              return;
            }
          }
        });
    return (InetSocketAddress) server.getLocalSocketAddress();
  }

  void hold(Conversation conversation, Socket s) {
    try (s) {
      conversation.with(s);
    } catch (SocketException e) {
      // Clients that go, or the end of the test, may reset a conversation; what matters is looked
      // at in it.
    } catch (Throwable e) {
      failures.add(e);
    }
  }

  static void echo(Socket s) throws IOException {
    s.getInputStream().transferTo(s.getOutputStream());
  }

  boolean onLoop(Callable<Boolean> question) {
    try {
      return group.next().submit(question).get();
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  static void await(BooleanSupplier condition) throws InterruptedException {
    long limit = System.nanoTime() + PATIENCE_NANOS;
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - limit > 0) {
        throw new AssertionError("it did not come about");
      }
      Thread.sleep(2);
    }
  }

  // A SOCKS client, octet by octet

  Socket greet() throws IOException {
    Socket s = new Socket(socks.getAddress(), socks.getPort());
    open.add(s);
    greet(s);
    return s;
  }

  static void greet(Socket s) throws IOException {
    send(s, 5, 1, 0);
    assertThat(receive(s, 2)).containsExactly(5, 0);
  }

  static void request(Socket s, String host, int port) throws IOException {
    byte[] name = host.getBytes(US_ASCII);
    ByteBuffer b = ByteBuffer.allocate(7 + name.length);
    b.put(new byte[] {5, 1, 0, 3, (byte) name.length}).put(name).putShort((short) port);
    s.getOutputStream().write(b.array());
  }

  /** The reply code. */
  static int reply(Socket s) throws IOException {
    byte[] r = receive(s, 10);
    assertThat(r[0]).isEqualTo((byte) 5);
    return r[1];
  }

  static void send(Socket s, int... octets) throws IOException {
    byte[] b = new byte[octets.length];
    for (int i = 0; i < b.length; i++) {
      b[i] = (byte) octets[i];
    }
    s.getOutputStream().write(b);
  }

  static byte[] receive(Socket s, int n) throws IOException {
    byte[] b = s.getInputStream().readNBytes(n);
    if (b.length < n) {
      throw new EOFException("only " + b.length + " of " + n + " octets");
    }
    return b;
  }

  static String text(Socket s, int n) throws IOException {
    return new String(receive(s, n), US_ASCII);
  }

  Socket connected() throws IOException {
    Socket s = greet();
    request(s, "server", PORT);
    assertThat(reply(s)).isZero();
    return s;
  }

  static void assertReset(Socket s) {
    assertThatThrownBy(() -> s.getInputStream().read())
        .isInstanceOf(SocketException.class)
        .hasMessageContaining("reset");
  }

  static void writeNoise(OutputStream out, long seed, int bytes) throws IOException {
    Random random = new Random(seed);
    byte[] chunk = new byte[50_000];
    for (int left = bytes; left > 0; left -= chunk.length) {
      random.nextBytes(chunk);
      out.write(chunk, 0, Math.min(left, chunk.length));
    }
  }

  static byte[] digest(InputStream in) throws Exception {
    MessageDigest sha = MessageDigest.getInstance("SHA-256");
    byte[] buffer = new byte[65_536];
    for (int n; (n = in.read(buffer)) > 0; ) {
      sha.update(buffer, 0, n);
    }
    return sha.digest();
  }

  static String noiseDigest(long seed, int bytes) throws Exception {
    MessageDigest sha = MessageDigest.getInstance("SHA-256");
    writeNoise(
        new OutputStream() {
          @Override
          public void write(int b) {
            sha.update((byte) b);
          }

          @Override
          public void write(byte[] b, int offset, int length) {
            sha.update(b, offset, length);
          }
        },
        seed,
        bytes);
    return HexFormat.of().formatHex(sha.digest());
  }

  @Test
  void shouldPassResetOfClientOnThatDoesNotRead() throws Exception {
    AtomicLong written = new AtomicLong();
    CompletableFuture<Throwable> heard = new CompletableFuture<>();
    publish(service(s -> heard.complete(flood(s, written))));
    Socket s = connected();
    awaitStandstill(written);

    s.setSoLinger(true, 0);
    s.close();

    assertThat(heard.get()).isInstanceOf(SocketException.class);
    await(() -> onLoop(() -> sessions() == 0));
  }

  @Test
  void shouldPassResetOfServiceOnThatDoesNotRead() throws Exception {
    AtomicLong written = new AtomicLong();
    CompletableFuture<Void> enough = new CompletableFuture<>();
    publish(
        service(
            s -> {
              enough.get();
              s.setSoLinger(true, 0);
            }));
    Socket s = connected();
    java.util.concurrent.Future<Throwable> heard = threads.submit(() -> flood(s, written));
    awaitStandstill(written);

    enough.complete(null);

    assertThat(heard.get()).isInstanceOf(SocketException.class);
    await(() -> onLoop(() -> sessions() == 0));
  }

  @Test
  void shouldNotKeepLoopBusyWhileHalfClosedClientDoesNotRead() throws Exception {
    AtomicLong written = new AtomicLong();
    publish(service(s -> flood(s, written)));
    Socket s = connected();
    s.shutdownOutput();
    awaitStandstill(written);

    assertLoopSleeps();
  }

  @Test
  void shouldNotKeepLoopBusyWhileDataWaitsBehindTwoFins() throws Exception {
    CompletableFuture<Void> goOn = new CompletableFuture<>();
    CompletableFuture<Long> received = new CompletableFuture<>();
    publish(
        service(
            s -> {
              s.shutdownOutput();
              goOn.get();
              received.complete((long) s.getInputStream().readAllBytes().length);
            }));
    try (SocketChannel client = SocketChannel.open(socks)) {
      Socket s = client.socket();
      greet(s);
      request(s, "server", PORT);
      assertThat(reply(s)).isZero();
      assertThat(s.getInputStream().read()).isEqualTo(-1);
      client.configureBlocking(false);
      long written = writeUntilStandstill(client);
      client.shutdownOutput();

      assertLoopSleeps();

      goOn.complete(null);
      assertThat(received.get()).isEqualTo(written);
    }
  }

  private static long writeUntilStandstill(SocketChannel client) throws Exception {
    ByteBuffer chunk = ByteBuffer.allocate(64 << 10);
    long written = 0;
    for (int quiet = 0; quiet < 10; ) {
      int n = client.write(chunk.clear());
      written += n;
      if (n > 0) {
        quiet = 0;
      } else {
        quiet++;
        Thread.sleep(20);
      }
    }
    return written;
  }

  private void assertLoopSleeps() throws Exception {
    long before = loops.wakeUps();
    group.next().schedule(() -> {}, 200, TimeUnit.MILLISECONDS).get();
    assertThat(loops.wakeUps() - before).as("times the loop woke up in 200 ms").isLessThan(100);
  }

  /** Sends until the other side breaks off. */
  private static Throwable flood(Socket s, AtomicLong written) {
    byte[] chunk = new byte[64 << 10];
    try {
      while (true) {
        s.getOutputStream().write(chunk);
        written.addAndGet(chunk.length);
      }
    } catch (IOException e) {
      return e;
    }
  }

  /** Were it called too early, the test would only be weaker. */
  static void awaitStandstill(AtomicLong counter) throws InterruptedException {
    long before = -1;
    for (int quiet = 0; quiet < 10; ) {
      Thread.sleep(20);
      long now = counter.get();
      quiet = now == before && now > 0 ? quiet + 1 : 0;
      before = now;
    }
  }

  // The whole way

  @Test
  void shouldCarryDataByteForByteInBothDirectionsAtOnce() throws Exception {
    int bytes = bulkBytes();
    CompletableFuture<byte[]> atService = new CompletableFuture<>();
    publish(
        service(
            s -> {
              java.util.concurrent.Future<?> answer =
                  threads.submit(
                      () -> {
                        writeNoise(s.getOutputStream(), 2, bytes);
                        s.shutdownOutput();
                        return null;
                      });
              atService.complete(digest(s.getInputStream()));
              answer.get();
            }));

    try (Socket s = connected()) {
      java.util.concurrent.Future<byte[]> answer = threads.submit(() -> digest(s.getInputStream()));
      writeNoise(s.getOutputStream(), 1, bytes);
      s.shutdownOutput();

      assertThat(HexFormat.of().formatHex(answer.get())).isEqualTo(noiseDigest(2, bytes));
      assertThat(HexFormat.of().formatHex(atService.get())).isEqualTo(noiseDigest(1, bytes));
    }
  }

  @Test
  void shouldServeCurlByName() throws Exception {
    assumeTrue(Files.isExecutable(Path.of("/usr/bin/curl")), "curl is not installed");
    byte[] page = new byte[3 << 20];
    new Random(3).nextBytes(page);
    HttpServer http = HttpServer.create(loopback(0), 0);
    http.setExecutor(threads);
    http.createContext(
        "/page",
        exchange -> {
          exchange.sendResponseHeaders(200, page.length);
          try (OutputStream body = exchange.getResponseBody()) {
            body.write(page);
          }
        });
    http.start();
    open.add(() -> http.stop(0));
    publish(http.getAddress());
    Path got = dir.resolve("page");

    Process curl =
        new ProcessBuilder(
                "/usr/bin/curl",
                "-sS",
                "--max-time",
                "50",
                "--socks5-hostname",
                LocalListener.text(socks),
                "-o",
                got.toString(),
                "http://server:" + PORT + "/page")
            .inheritIO()
            .start();

    assertThat(curl.waitFor()).isZero();
    assertThat(Files.readAllBytes(got)).isEqualTo(page);
  }

  @Test
  void shouldPassOnDataThatClientSendsWithoutWaitingForTheReply() throws Exception {
    publish(service(ProxyTestBase::echo));
    Socket s = new Socket(socks.getAddress(), socks.getPort());
    open.add(s);

    ByteBuffer all = ByteBuffer.allocate(64);
    all.put(new byte[] {5, 1, 0, 5, 1, 0, 3, 6}).put("server".getBytes(US_ASCII));
    all.putShort((short) PORT).put("early".getBytes(US_ASCII));
    s.getOutputStream().write(Arrays.copyOf(all.array(), all.position()));
    s.shutdownOutput();

    assertThat(receive(s, 2)).containsExactly(5, 0);
    assertThat(reply(s)).isZero();
    assertThat(text(s, 5)).isEqualTo("early");
    assertThat(s.getInputStream().read()).isEqualTo(-1);
  }

  @Test
  void shouldReplyRefusedWhenNobodyListens() throws Exception {
    Socket s = greet();
    request(s, "server", PORT);

    assertThat(reply(s)).isEqualTo(5);
    assertThat(s.getInputStream().read()).isEqualTo(-1);
  }

  @Test
  void shouldReplyRefusedWhenPublishedServiceIsDown() throws Exception {
    InetSocketAddress gone;
    try (ServerSocket closed = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      gone = (InetSocketAddress) closed.getLocalSocketAddress();
    }
    publish(gone);
    Socket s = greet();
    request(s, "server", PORT);

    assertThat(reply(s)).isEqualTo(5);
  }

  @Test
  void shouldReplyNetworkUnreachableWithoutLocator() throws Exception {
    group.next().submit(this::detachMobile).get();
    Socket s = greet();
    request(s, "server", PORT);

    assertThat(reply(s)).isEqualTo(3);
  }

  @Test
  void shouldTakeDialBackWhenClientGoes() throws Exception {
    group.next().submit(this::silenceCorrespondent).get();
    Socket s = greet();
    request(s, "server", PORT);
    await(() -> onLoop(() -> sessions() == 1));

    s.close();

    await(() -> onLoop(() -> sessions() == 0 && dialer.inFlight() == 0));
  }

  @Test
  void shouldCloseServiceConnectionWhenCallerGoesDuringDial() throws Exception {
    Publish publish = publish(service(s -> assertThat(s.getInputStream().read()).isEqualTo(-1)));
    for (int i = 0; i < 20; i++) {
      Socket s = greet();
      request(s, "server", PORT);
      s.close();
    }

    await(() -> publish.callers() == 0);
    await(() -> onLoop(() -> dialer.inFlight() == 0));
  }

  @Test
  void shouldPassHalfCloseOfClientOnWithDataAfter() throws Exception {
    publish(
        service(
            s -> {
              byte[] request = s.getInputStream().readAllBytes();
              s.getOutputStream().write("answer to ".getBytes(US_ASCII));
              s.getOutputStream().write(request);
            }));
    Socket s = connected();

    s.getOutputStream().write("request".getBytes(US_ASCII));
    s.shutdownOutput();

    assertThat(new String(s.getInputStream().readAllBytes(), US_ASCII))
        .isEqualTo("answer to request");
  }

  @Test
  void shouldPassHalfCloseOfServiceOnWithDataAfter() throws Exception {
    CompletableFuture<String> heard = new CompletableFuture<>();
    publish(
        service(
            s -> {
              s.getOutputStream().write("greeting".getBytes(US_ASCII));
              s.shutdownOutput();
              heard.complete(new String(s.getInputStream().readAllBytes(), US_ASCII));
            }));
    Socket s = connected();

    assertThat(new String(s.getInputStream().readAllBytes(), US_ASCII)).isEqualTo("greeting");
    s.getOutputStream().write("thanks".getBytes(US_ASCII));
    s.shutdownOutput();

    assertThat(heard.get()).isEqualTo("thanks");
  }

  @Test
  void shouldDeliverAllOfServiceThatSpeaksFirstAndCloses() throws Exception {
    publish(service(s -> s.getOutputStream().write("12:34:56".getBytes(US_ASCII))));

    for (int i = 0; i < 20; i++) {
      try (Socket s = connected()) {
        assertThat(new String(s.getInputStream().readAllBytes(), US_ASCII)).isEqualTo("12:34:56");
      }
    }
  }

  @Test
  void shouldPassResetOfServiceOn() throws Exception {
    publish(
        service(
            s -> {
              s.getInputStream().read();
              s.setSoLinger(true, 0);
            }));
    Socket s = connected();
    send(s, 'x');

    assertReset(s);
  }

  @Test
  void shouldPassResetOfClientOn() throws Exception {
    CompletableFuture<Throwable> heard = new CompletableFuture<>();
    publish(
        service(
            s -> {
              s.getOutputStream().write('x');
              try {
                s.getInputStream().read();
                heard.complete(null);
              } catch (SocketException e) {
                heard.complete(e);
              }
            }));
    Socket s = connected();
    receive(s, 1);

    s.setSoLinger(true, 0);
    s.close();

    assertThat(heard.get()).hasMessageContaining("reset");
  }

  @Test
  void shouldStopServiceInsteadOfFillingMemoryWhenClientReadsSlowly() throws Exception {
    int bytes = FLOOD_BYTES;
    AtomicLong written = new AtomicLong();
    publish(
        service(
            s -> {
              byte[] chunk = new byte[64 << 10];
              for (int left = bytes; left > 0; left -= chunk.length) {
                s.getOutputStream().write(chunk);
                written.addAndGet(chunk.length);
              }
            }));
    Socket s = greet();
    s.setReceiveBufferSize(64 << 10);
    request(s, "server", PORT);
    assertThat(reply(s)).isZero();

    awaitStandstill(written);
    assertThat(written.get()).as("octets the service could send").isLessThan(bytes);
    assertThat(s.getInputStream().readAllBytes()).hasSize(bytes);

    assertThat(allocator.peakBytes()).isLessThan(MAX_HELD_BYTES);
  }

  @Test
  void shouldStopClientInsteadOfFillingMemoryWhenServiceReadsSlowly() throws Exception {
    int bytes = FLOOD_BYTES;
    CompletableFuture<Void> goOn = new CompletableFuture<>();
    CompletableFuture<Integer> received = new CompletableFuture<>();
    publish(
        service(
            s -> {
              goOn.get();
              received.complete(s.getInputStream().readAllBytes().length);
            }));
    Socket s = connected();
    AtomicLong written = new AtomicLong();
    java.util.concurrent.Future<?> sending =
        threads.submit(
            () -> {
              byte[] chunk = new byte[64 << 10];
              for (int left = bytes; left > 0; left -= chunk.length) {
                s.getOutputStream().write(chunk);
                written.addAndGet(chunk.length);
              }
              s.shutdownOutput();
              return null;
            });

    awaitStandstill(written);
    assertThat(written.get()).as("octets the client could send").isLessThan(bytes);
    goOn.complete(null);
    sending.get();

    assertThat(received.get()).isEqualTo(bytes);
    assertThat(allocator.peakBytes()).isLessThan(MAX_HELD_BYTES);
  }

  @Test
  void shouldForwardLocalPort() throws Exception {
    publish(service(ProxyTestBase::echo));
    InetSocketAddress local = forward("server", PORT);

    try (Socket s = new Socket(local.getAddress(), local.getPort())) {
      // All said before the session is open, as "echo hello | nc" does it.
      s.getOutputStream().write("hello".getBytes(US_ASCII));
      s.shutdownOutput();

      assertThat(new String(s.getInputStream().readAllBytes(), US_ASCII)).isEqualTo("hello");
    }
  }

  @Test
  void shouldResetProgramsOfForwardedPortWhenRemoteRefuses() throws Exception {
    InetSocketAddress local = forward("server", PORT);

    try (Socket s = new Socket(local.getAddress(), local.getPort())) {
      assertReset(s);
    }
  }

  @Test
  void shouldEndRelaysWhenStopped() throws Exception {
    Publish publish = publish(service(s -> s.getInputStream().readAllBytes()));
    Socks5Proxy other = new Socks5Proxy(transport, dialer, loopback(0));
    socks = other.start().get();
    Socket s = connected();
    assertThat(other.clients()).isOne();

    other.close().sync();

    assertThat(s.getInputStream().read()).isEqualTo(-1);
    assertThat(other.clients()).isZero();
    await(() -> publish.callers() == 0);
  }
}

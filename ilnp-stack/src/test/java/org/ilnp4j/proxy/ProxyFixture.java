package org.ilnp4j.proxy;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

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
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.ilnp4j.naming.Destination;
import org.ilnp4j.naming.Literals;
import org.ilnp4j.naming.Resolver;
import org.ilnp4j.netty.HostRunner;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;

/**
 * Real programs on real loopback sockets, through SOCKS or a forwarded port, over some network, to
 * a published service. Time limits are for failures only.
 */
@Timeout(60)
abstract class ProxyFixture {
  static final int PORT = 80;
  static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(30);
  static final ProxyLimits LIMITS = new ProxyLimits(100, 50, 30_000, 30_000);

  /**
   * Two relays with a high-water mark and a read buffer each, and the session's two buffers, make 1
   * MiB; read buffers that are filled in part only make it more, but nothing like what is sent.
   */
  static final int MAX_HELD_BYTES = 4 << 20;

  /** More than the kernel's own socket buffers take, two on each side of the proxies. */
  static final int FLOOD_BYTES = 48 << 20;

  @Parameter String kind;

  @TempDir Path dir;

  final PeakAllocator allocator = new PeakAllocator();
  final RelayOptions options = new RelayOptions(allocator, 64 << 10, 256 << 10);
  final ExecutorService threads = Executors.newCachedThreadPool();
  final List<AutoCloseable> open = new CopyOnWriteArrayList<>();
  final ConcurrentLinkedQueue<Throwable> failures = new ConcurrentLinkedQueue<>();

  CountingIoHandlers loops;
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
}

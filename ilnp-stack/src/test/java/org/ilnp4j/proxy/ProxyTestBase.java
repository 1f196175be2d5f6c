package org.ilnp4j.proxy;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** What proxies owe programs, over whatever network lies between. */
abstract class ProxyTestBase extends ProxyFixture {
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

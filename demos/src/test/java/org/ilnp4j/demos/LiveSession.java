package org.ilnp4j.demos;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.Socket;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** Both ends of one session: a program at the client and a service at the server. */
final class LiveSession implements AutoCloseable {
  private static final int LIMIT_SECONDS = 60;

  final Socket client;
  final Socket server;
  private final SplittableRandom random = new SplittableRandom(11);

  LiveSession(Socket client, Socket server) throws IOException {
    this.client = client;
    this.server = server;
    client.setSoTimeout((int) TimeUnit.SECONDS.toMillis(LIMIT_SECONDS));
    server.setSoTimeout((int) TimeUnit.SECONDS.toMillis(LIMIT_SECONDS));
    // A short last segment waits for nothing, on neither way.
    client.setTcpNoDelay(true);
    server.setTcpNoDelay(true);
  }

  /** Sends random octets to the server, then others back, and checks each. */
  void exchange(int bytes) throws Exception {
    pass(client, server, bytes);
    pass(server, client, bytes);
  }

  /** Sends random octets from one end to the other and checks each. */
  void pass(Socket from, Socket to, int bytes) throws Exception {
    byte[] data = new byte[bytes];
    random.nextBytes(data);
    CompletableFuture<Void> writing =
        CompletableFuture.runAsync(
            () -> {
              try {
                from.getOutputStream().write(data);
              } catch (IOException e) {
                throw new java.io.UncheckedIOException(e);
              }
            });
    assertThat(to.getInputStream().readNBytes(bytes)).isEqualTo(data);
    writing.get(LIMIT_SECONDS, TimeUnit.SECONDS);
  }

  @Override
  public void close() throws IOException {
    client.close();
    server.close();
  }
}

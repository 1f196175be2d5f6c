package org.ilnp4j.demos;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** Both ends of one session: a program at the client and a service at the server. */
final class LiveSession implements AutoCloseable {
  private static final int LIMIT_SECONDS = 60;
  private static final long SEED = 11;

  final Socket client;
  final Socket server;

  LiveSession(Socket client, Socket server) throws IOException {
    this.client = client;
    this.server = server;
    client.setSoTimeout((int) TimeUnit.SECONDS.toMillis(LIMIT_SECONDS));
    server.setSoTimeout((int) TimeUnit.SECONDS.toMillis(LIMIT_SECONDS));
    // A short last segment waits for nothing, on neither way.
    client.setTcpNoDelay(true);
    server.setTcpNoDelay(true);
  }

  /** Random octets, the same each time. */
  static byte[] pattern(int bytes) {
    byte[] data = new byte[bytes];
    new SplittableRandom(SEED).nextBytes(data);
    return data;
  }

  static String sha256(byte[] data) {
    return HexFormat.of().formatHex(ContentServer.newDigest().digest(data));
  }

  /** Data on its way from one end to the other. */
  static final class Passing {
    private final Socket to;
    private final byte[] data;
    private final CompletableFuture<Void> writing;
    private int read;

    private Passing(Socket from, Socket to, byte[] data) {
      this.to = to;
      this.data = data;
      writing =
          CompletableFuture.runAsync(
              () -> {
                try {
                  from.getOutputStream().write(data);
                } catch (IOException e) {
                  throw new UncheckedIOException(e);
                }
              },
              task -> new Thread(task, "writer").start());
    }

    boolean isWritten() {
      return writing.isDone();
    }

    /** Reads so many octets more and checks each. */
    void read(int bytes) throws IOException {
      byte[] in = to.getInputStream().readNBytes(bytes);
      assertThat(in.length).as("octets before the end").isEqualTo(bytes);
      assertThat(Arrays.equals(in, 0, bytes, data, read, read + bytes)).as("as sent").isTrue();
      read += bytes;
    }

    void readAll() throws Exception {
      read(data.length - read);
      writing.get(LIMIT_SECONDS, TimeUnit.SECONDS);
    }
  }

  /** Begins to send octets from one end to the other. */
  static Passing write(Socket from, Socket to, int bytes) {
    return new Passing(from, to, pattern(bytes));
  }

  /** Sends octets from one end to the other and checks each. */
  void pass(Socket from, Socket to, int bytes) throws Exception {
    write(from, to, bytes).readAll();
  }

  /** Sends octets to the server, then as many back, and checks each. */
  void exchange(int bytes) throws Exception {
    pass(client, server, bytes);
    pass(server, client, bytes);
  }

  @Override
  public void close() throws IOException {
    client.close();
    server.close();
  }
}

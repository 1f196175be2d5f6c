package org.ilnp4j.demos;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.SplittableRandom;

/**
 * A plain HTTP server for demonstrations: {@code GET /BYTES} answers with that many octets of a
 * stream that both sides can compute, so that every octet can be checked.
 */
public final class ContentServer implements AutoCloseable {
  private static final int BLOCK_BYTES = 64 * 1024;
  private static final long SEED = 0x696c6e70;

  private final HttpServer server;

  /** Serves on a loopback port; 0 lets the system choose. */
  public ContentServer(int port) throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 16);
    server.createContext("/", ContentServer::serve);
    server.setExecutor(
        java.util.concurrent.Executors.newCachedThreadPool(
            r -> {
              Thread t = new Thread(r, "content");
              t.setDaemon(true);
              return t;
            }));
    server.start();
  }

  public int port() {
    return server.getAddress().getPort();
  }

  private static void serve(HttpExchange exchange) throws IOException {
    try (exchange) {
      String path = exchange.getRequestURI().getPath().substring(1);
      if (!path.matches("[1-9][0-9]{0,12}")) {
        exchange.sendResponseHeaders(404, -1);
        return;
      }
      long bytes = Long.parseLong(path);
      exchange.sendResponseHeaders(200, bytes);
      try (OutputStream out = exchange.getResponseBody()) {
        Content content = new Content();
        for (long left = bytes; left > 0; left -= BLOCK_BYTES) {
          out.write(content.next(), 0, (int) Math.min(left, BLOCK_BYTES));
        }
      }
    }
  }

  /** SHA-256 of the first {@code bytes} octets of the stream. */
  public static byte[] sha256(long bytes) {
    MessageDigest digest = newDigest();
    Content content = new Content();
    for (long left = bytes; left > 0; left -= BLOCK_BYTES) {
      digest.update(content.next(), 0, (int) Math.min(left, BLOCK_BYTES));
    }
    return digest.digest();
  }

  static MessageDigest newDigest() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }

  @Override
  public void close() {
    server.stop(0);
  }

  /** The stream, block by block. */
  private static final class Content {
    private final SplittableRandom random = new SplittableRandom(SEED);
    private final byte[] block = new byte[BLOCK_BYTES];

    byte[] next() {
      random.nextBytes(block);
      return block;
    }
  }

  /** Serves on the given port until the process is ended. */
  public static void main(String[] args) throws IOException {
    int port = Integer.parseInt(args[0]);
    @SuppressWarnings("resource")
    ContentServer server = new ContentServer(port);
    System.out.println("serving on port " + server.port());
  }
}

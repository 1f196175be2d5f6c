package org.ilnp4j.demos.lab;

import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicLong;

/** Octets on their way from a program in one namespace to a program in the other. */
public abstract class Flow implements AutoCloseable {
  /** As many octets as there is time for. */
  public static final long ENDLESS = Long.MAX_VALUE;

  /** Octets a program writes or reads at once. */
  static final int CHUNK_BYTES = 64 << 10;

  final long bytes;
  private final AtomicLong received = new AtomicLong();
  private final CompletableFuture<Long> arrived = new CompletableFuture<>();
  private volatile long startNanos;

  protected Flow(long bytes) {
    this.bytes = bytes;
  }

  /** Begins to connect and then to send. */
  public final void start() throws IOException {
    startNanos = System.nanoTime();
    connect();
  }

  protected abstract void connect() throws IOException;

  /** Octets that the receiving program has read so far. */
  public final long receivedBytes() {
    return received.get();
  }

  /** Seconds from the call of connect until all had been read; fails with the flow. */
  public final CompletableFuture<Double> seconds() {
    return arrived.thenApply(end -> (end - startNanos) / 1e9);
  }

  /** Throws when the flow has failed. */
  public final void requireAlive() throws IOException {
    if (arrived.isCompletedExceptionally()) {
      try {
        arrived.join();
      } catch (CompletionException e) {
        throw new IOException("the flow broke: " + e.getCause().getMessage(), e);
      }
    }
  }

  /** What a thread of a flow does. */
  protected interface Work {
    void run() throws IOException;
  }

  /** Starts a thread whose failure is that of the flow. */
  protected final Thread startThread(String name, Work work) {
    Thread t =
        new Thread(
            () -> {
              try {
                work.run();
              } catch (IOException e) {
                onFailure(e);
              }
            },
            name);
    t.setDaemon(true);
    t.start();
    return t;
  }

  protected final void onRead(long n) {
    received.addAndGet(n);
  }

  /** The receiving program has read the end of the stream. */
  final void onEndOfStream(long nowNanos) {
    if (received.get() == bytes) {
      arrived.complete(nowNanos);
    } else {
      onFailure(new IOException("the stream ended after " + received + " of " + bytes + " octets"));
    }
  }

  protected final void onFailure(Throwable cause) {
    arrived.completeExceptionally(cause);
  }

  /** Breaks the connection off where it still lives. Idempotent. */
  @Override
  public abstract void close();
}

package org.ilnp4j.demos;

import java.io.IOException;
import java.io.InputStream;
import java.security.MessageDigest;
import java.util.Arrays;

/**
 * Reads a download to its end on a thread of its own and remembers when each piece came, so that
 * the longest silence in any stretch of time can be told afterwards. Times are {@link
 * System#nanoTime}.
 */
final class DownloadMeter {
  private static final int READ_BYTES = 64 * 1024;

  private final MessageDigest digest = ContentServer.newDigest();
  private final Thread reader;
  private long[] arrivalNanos = new long[1 << 14];
  private int pieces;
  private volatile long bytes;
  private volatile boolean ended;
  private volatile IOException failure;

  DownloadMeter(InputStream in) {
    reader = new Thread(() -> read(in), "download-meter");
    reader.setDaemon(true);
    reader.start();
  }

  private void read(InputStream in) {
    byte[] buffer = new byte[READ_BYTES];
    try (in) {
      for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
        note(System.nanoTime());
        digest.update(buffer, 0, n);
        bytes += n;
      }
    } catch (IOException e) {
      failure = e;
    } finally {
      ended = true;
    }
  }

  private synchronized void note(long nowNanos) {
    if (pieces == arrivalNanos.length) {
      arrivalNanos = Arrays.copyOf(arrivalNanos, pieces * 2);
    }
    arrivalNanos[pieces++] = nowNanos;
  }

  long bytes() {
    return bytes;
  }

  boolean hasEnded() {
    return ended;
  }

  IOException failure() {
    return failure;
  }

  /** SHA-256 of all that came; to be called after the end. */
  byte[] sha256() throws InterruptedException {
    reader.join();
    return digest.digest();
  }

  synchronized long firstNanos() {
    return pieces == 0 ? 0 : arrivalNanos[0];
  }

  synchronized long lastNanos() {
    return pieces == 0 ? 0 : arrivalNanos[pieces - 1];
  }

  /** The longest time between two arrivals of which some part lies in the stretch given. */
  synchronized long longestGapTouching(long fromNanos, long toNanos) {
    return longestGap(fromNanos, toNanos, 1, 0);
  }

  /** The longest time between two arrivals that both lie in the stretch given. */
  synchronized long longestGapWithin(long fromNanos, long toNanos) {
    return longestGap(fromNanos, toNanos, 0, 1);
  }

  /** The gap's {@code startEnd}th arrival is held against the start, the other against the end. */
  private long longestGap(long fromNanos, long toNanos, int startEnd, int endEnd) {
    long longest = 0;
    for (int i = 1; i < pieces; i++) {
      if (arrivalNanos[i - 1 + startEnd] >= fromNanos && arrivalNanos[i - 1 + endEnd] <= toNanos) {
        longest = Math.max(longest, arrivalNanos[i] - arrivalNanos[i - 1]);
      }
    }
    return longest;
  }
}

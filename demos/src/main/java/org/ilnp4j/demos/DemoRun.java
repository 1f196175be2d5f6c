package org.ilnp4j.demos;

import java.io.IOException;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/**
 * The main job: a download by an unmodified program, a soft handoff at one third of it and a hard
 * one at two thirds. The same course over a real or a simulated network.
 */
final class DemoRun {
  private static final long OUTAGE_MILLIS = 500;

  /** A move is judged by what happens from just before it to this long after it. */
  private static final long SETTLE_NANOS = TimeUnit.MILLISECONDS.toNanos(1500);

  /** Slow start and connection set-up are not "the usual". */
  private static final long WARM_UP_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

  private static final long USUAL_STRETCH_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
  private static final long STALL_NANOS = TimeUnit.SECONDS.toNanos(30);
  private static final long TICK_MILLIS = 2;
  private static final long PROGRESS_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

  private final DemoNetwork network;
  private final long totalBytes;
  private final PrintStream log;
  private final boolean livePrint;
  private final long originNanos = System.nanoTime();
  private final List<long[]> moveWindows = new ArrayList<>();
  private final List<DemoReport.HandoffReport> handoffs = new ArrayList<>();
  private DownloadMeter meter;
  private long lastProgressNanos;
  private long lastProgressBytes;
  private long lastByteCount;
  private long lastByteNanos;

  /**
   * Prepares a run.
   *
   * @param log for the timeline
   * @param livePrint rewrite one progress line in place, for a terminal
   */
  DemoRun(DemoNetwork network, long totalBytes, PrintStream log, boolean livePrint) {
    this.network = network;
    this.totalBytes = totalBytes;
    this.log = log;
    this.livePrint = livePrint;
  }

  DemoReport run() throws IOException, InterruptedException {
    say("%s", network.describe());
    network.awaitReady();
    double rttMillis = network.rttMillis();
    say("both nodes are up; round trip %.2f ms", rttMillis);
    byte[] expected = ContentServer.sha256(totalBytes);
    say("%s downloads %,d bytes through the SOCKS proxy", network.program(), totalBytes);
    meter = new DownloadMeter(network.download(totalBytes));
    lastByteNanos = System.nanoTime();
    waitForBytes(totalBytes / 3);
    softMove();
    waitForBytes(totalBytes / 3 * 2);
    hardMove();
    waitForBytes(totalBytes);
    boolean same = Arrays.equals(expected, meter.sha256());
    clearProgress();
    say("download complete");
    double seconds = (meter.lastNanos() - meter.firstNanos()) / 1e9;
    return new DemoReport(
        network.describe(),
        network.program(),
        meter.bytes(),
        same,
        seconds,
        meter.bytes() * 8 / seconds / 1e6,
        rttMillis,
        usualGapNanos() / 1e6,
        handoffs);
  }

  private void softMove() throws IOException, InterruptedException {
    DemoNetwork.Repeats before = network.repeats();
    int moves = network.moveCount();
    long start = System.nanoTime();
    network.secondLinkUp();
    say("second link up");
    requireUnderWay("the soft handoff");
    DemoNetwork.Move move = awaitMove(moves, "soft");
    say("%s handoff from %s to %s", move.kind(), move.from(), move.to());
    settle(start, SETTLE_NANOS);
    network.firstLinkDown();
    say("first link down, long after it was left");
    long end = settle(System.nanoTime(), SETTLE_NANOS / 3);
    record(before, start, end, 0);
  }

  private void hardMove() throws IOException, InterruptedException {
    DemoNetwork.Repeats before = network.repeats();
    int moves = network.moveCount();
    long start = System.nanoTime();
    network.secondLinkDown();
    long down = System.nanoTime();
    requireUnderWay("the hard handoff");
    say("second link down: no link at all for %d ms", OUTAGE_MILLIS);
    settle(down, TimeUnit.MILLISECONDS.toNanos(OUTAGE_MILLIS));
    long up = System.nanoTime();
    network.firstLinkUp();
    say("first link up again");
    DemoNetwork.Move move = awaitMove(moves, "hard");
    say("%s handoff from %s to %s", move.kind(), move.from(), move.to());
    long end = settle(System.nanoTime(), SETTLE_NANOS);
    record(before, start, end, up - down);
  }

  /** A move that nothing was downloaded across shows nothing. */
  private void requireUnderWay(String move) throws IOException {
    if (meter.bytes() >= totalBytes) {
      throw new IOException(
          "the download was over before " + move + "; take more with --megabytes");
    }
  }

  /** Adds the report of the last move, and the stretch of time it took. */
  private void record(DemoNetwork.Repeats before, long startNanos, long endNanos, long outageNanos)
      throws IOException {
    DemoNetwork.Repeats repeats = network.repeats().since(before);
    DemoNetwork.Move m = network.lastMove();
    moveWindows.add(new long[] {startNanos, endNanos});
    handoffs.add(
        new DemoReport.HandoffReport(
            m.kind(),
            m.from(),
            m.to(),
            meter.longestGapTouching(startNanos, endNanos) / 1e6,
            outageNanos / 1e6,
            repeats.lost(),
            repeats.retransmitted(),
            m.luRttMillis()));
  }

  private DemoNetwork.Move awaitMove(int before, String kind)
      throws IOException, InterruptedException {
    long limit = System.nanoTime() + STALL_NANOS;
    while (System.nanoTime() < limit) {
      if (network.moveCount() > before) {
        return network.lastMove();
      }
      tick();
    }
    throw new IOException("the mobile node made no " + kind + " handoff in time");
  }

  private void waitForBytes(long bytes) throws IOException, InterruptedException {
    while (meter.bytes() < bytes) {
      tick();
    }
  }

  private long settle(long fromNanos, long nanos) throws IOException, InterruptedException {
    while (System.nanoTime() - fromNanos < nanos) {
      tick();
    }
    return System.nanoTime();
  }

  /** Waits a moment, shows progress, and notices a download that failed or stands still. */
  private void tick() throws IOException, InterruptedException {
    TimeUnit.MILLISECONDS.sleep(TICK_MILLIS);
    long now = System.nanoTime();
    long bytes = meter.bytes();
    if (bytes != lastByteCount) {
      lastByteCount = bytes;
      lastByteNanos = now;
    }
    if (meter.hasEnded() && bytes < totalBytes) {
      throw new IOException(
          String.format(
              Locale.ROOT,
              "the download ended after %,d of %,d bytes: %s",
              bytes,
              totalBytes,
              meter.failure() != null ? meter.failure() : network.downloadError()));
    }
    if (now - lastByteNanos > STALL_NANOS) {
      throw new IOException(
          String.format(Locale.ROOT, "the download stands still at %,d bytes", bytes));
    }
    if (livePrint && now - lastProgressNanos > PROGRESS_NANOS) {
      double mbit = (bytes - lastProgressBytes) * 8e3 / (now - lastProgressNanos);
      lastProgressNanos = now;
      lastProgressBytes = bytes;
      log.printf(
          Locale.ROOT,
          "\r%8.3f  %3d %%  %,d bytes  %.0f Mbit/s\033[K",
          (now - originNanos) / 1e9,
          bytes * 100 / totalBytes,
          bytes,
          mbit);
      log.flush();
    }
  }

  /**
   * The usual longest gap: of each half second outside every move the longest, and of those the
   * median. One hiccup of the machine does not make hiccups usual.
   */
  private long usualGapNanos() {
    List<Long> longest = new ArrayList<>();
    long from = meter.firstNanos() + WARM_UP_NANOS;
    for (long[] window : moveWindows) {
      addLongestGaps(longest, from, window[0]);
      from = window[1];
    }
    addLongestGaps(longest, from, meter.lastNanos());
    longest.sort(null);
    return longest.isEmpty() ? 0 : longest.get(longest.size() / 2);
  }

  private void addLongestGaps(List<Long> to, long fromNanos, long toNanos) {
    for (long t = fromNanos; t + USUAL_STRETCH_NANOS <= toNanos; t += USUAL_STRETCH_NANOS) {
      to.add(meter.longestGapWithin(t, t + USUAL_STRETCH_NANOS));
    }
  }

  private void clearProgress() {
    if (livePrint) {
      log.print("\r\033[K");
    }
  }

  private void say(String format, Object... args) {
    clearProgress();
    log.printf(
        Locale.ROOT,
        "%8.3f  %s%n",
        (System.nanoTime() - originNanos) / 1e9,
        String.format(Locale.ROOT, format, args));
  }
}

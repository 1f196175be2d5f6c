package org.ilnp4j.tcp;

import org.ilnp4j.time.NanoClock;

/**
 * How much the receiver offers (dynamic right-sizing, as Linux does it): twice what the user reads
 * in a round trip and the one under way. A sender in slow start doubles what it has in flight from
 * one to the next, so a reader that keeps up never holds it back; one that reads nothing is sent no
 * more than the first window.
 *
 * <p>The round trip is that of the data: from the timestamps echoed with it, or else what the
 * handshake measured. An estimate that is too long offers too much rather than too little.
 */
final class ReceiveAutotune {
  /** Offered before anything was read. */
  static final int INITIAL_BYTES = 64 << 10;

  /** Room for a first flight (RFC 6928) and for what is read late. */
  private static final int SPARE_SEGMENTS = 16;

  /** Echoed timestamps say no more than this. */
  private static final long TICK_NANOS = NanoClock.millis(1);

  /** What took longer was idle in between, or echoes no timestamp of ours. */
  private static final int MOST_ELAPSED_MS = 10_000;

  private static final long UNKNOWN_RTT_NANOS = NanoClock.millis(100);

  private final int capacityBytes;
  private int targetBytes;
  private long rttNanos = -1;
  private int lastEcho;
  private long roundStartNanos = -1;
  private long roundBytes;
  private long lastRoundBytes;

  /**
   * @param capacityBytes most that is ever offered
   */
  ReceiveAutotune(int capacityBytes) {
    this.capacityBytes = capacityBytes;
    targetBytes = Math.min(capacityBytes, INITIAL_BYTES);
  }

  /** What may be unread and on offer together; never gets less. */
  int targetBytes() {
    return targetBytes;
  }

  /** -1 before the first estimate. */
  long rttNanos() {
    return rttNanos;
  }

  /** The handshake, or our own data, took this long to and fro. */
  void onPathRtt(long srttNanos) {
    if (rttNanos < 0 && srttNanos > 0) {
      rttNanos = srttNanos;
    }
  }

  /**
   * Data came with the echo of a timestamp of ours.
   *
   * @param echo the timestamp; only the first segment that has it says something
   * @param elapsedMs since we sent it
   */
  void onEcho(int echo, int elapsedMs) {
    if (echo == lastEcho || elapsedMs < 0 || elapsedMs > MOST_ELAPSED_MS) {
      return;
    }
    lastEcho = echo;
    long sample = elapsedMs * TICK_NANOS;
    if (elapsedMs <= 1) {
      sample = rttNanos < 0 ? TICK_NANOS : Math.min(rttNanos, TICK_NANOS);
    }
    rttNanos = rttNanos < 0 ? sample : (7 * rttNanos + sample) / 8;
  }

  /** The user has read. */
  void onRead(long nowNanos, int bytes, int mssBytes) {
    long rtt = rttNanos < 0 ? UNKNOWN_RTT_NANOS : rttNanos;
    if (roundStartNanos < 0 || nowNanos - roundStartNanos >= rtt) {
      lastRoundBytes = roundBytes;
      roundBytes = 0;
      roundStartNanos = nowNanos;
    }
    roundBytes += bytes;
    long wanted = 2 * (lastRoundBytes + roundBytes) + (long) SPARE_SEGMENTS * mssBytes;
    targetBytes = (int) Math.max(targetBytes, Math.min(wanted, capacityBytes));
  }

  /** Another path has another round trip. */
  void onPathChange() {
    rttNanos = -1;
    roundStartNanos = -1;
    roundBytes = 0;
  }
}

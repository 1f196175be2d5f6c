package org.ilnp4j.tcp.recovery;

import org.ilnp4j.util.Seq;

/**
 * What one acknowledgement newly reported as delivered: how much on the current path, and which RTT
 * sample it allows. Reused from acknowledgement to acknowledgement.
 */
public final class Delivery {
  private long nowNanos;
  private PathState current;
  private boolean hasEcho;
  private int echo;
  private long bytes;
  private long currentPathBytes;
  private boolean retransmitted;
  private PathState samplePath;
  private long firstSentNanos;
  private long lastSentNanos;
  private PathState echoPath;
  private int echoTsVal;
  private long firstOriginal;
  private boolean hasDsack;
  private int dsackLeft;
  private int dsackRight;

  /**
   * Starts over for the next acknowledgement.
   *
   * @param echoes true when it carries a timestamp echo, {@code tsEcr}
   */
  public void reset(long now, PathState currentPath, boolean echoes, int tsEcr) {
    nowNanos = now;
    current = currentPath;
    hasEcho = echoes;
    echo = tsEcr;
    bytes = 0;
    currentPathBytes = 0;
    retransmitted = false;
    samplePath = null;
    firstSentNanos = 0;
    lastSentNanos = 0;
    echoPath = null;
    firstOriginal = Long.MAX_VALUE;
    hasDsack = false;
  }

  /** It says that {@code [left, right)} came twice. */
  void dsack(int left, int right) {
    hasDsack = true;
    dsackLeft = left;
    dsackRight = right;
  }

  public boolean hasDsack() {
    return hasDsack;
  }

  public int dsackLeft() {
    return dsackLeft;
  }

  public int dsackRight() {
    return dsackRight;
  }

  /**
   * Serial number of the first transmission newly delivered among those that were never repeated;
   * {@link Long#MAX_VALUE} when there is none.
   */
  public long firstOriginal() {
    return firstOriginal;
  }

  /** True when it echoes a timestamp from before {@code tsVal} (RFC 3522 §3.2). */
  public boolean echoesBefore(int tsVal) {
    return hasEcho && Seq.lt(echo, tsVal);
  }

  /** {@code s}, out of order at the other side, is reported for the first time. */
  public void addSacked(SentSegment s) {
    // The echo is that of a segment in order (RFC 7323 §4.3): it says nothing about this one. On a
    // path of which nothing is known yet, the news may be about what was sent on the one before.
    boolean last = s.path.rtt.hasSample() && isPossible(s);
    add(s, s.length, !s.isRetransmitted() || last);
  }

  /**
   * {@code s}, or {@code length} octets of it, is acknowledged and had not been reported before.
   */
  public void add(SentSegment s, int length) {
    boolean echoesEarlier = hasEcho && Seq.lt(echo, s.tsVal);
    add(s, length, !s.isRetransmitted() || (isPossible(s) && !echoesEarlier));
  }

  /**
   * @param last false when an earlier transmission than the last must be what arrived (RFC 8985
   *     §6.2)
   */
  private void add(SentSegment s, int length, boolean last) {
    bytes += length;
    if (s.path == current) {
      currentPathBytes += length;
    }
    s.path.onDelivered(nowNanos, s, length, last);
    if (!s.isRetransmitted()) {
      firstOriginal = Math.min(firstOriginal, s.order);
    }
    if (s.isRetransmitted()) {
      if (!retransmitted || Seq.gt(s.tsVal, echoTsVal)) {
        echoPath = s.path;
        echoTsVal = s.tsVal;
      }
      retransmitted = true;
    } else if (samplePath != s.path) {
      samplePath = s.path;
      firstSentNanos = s.sentNanos;
      lastSentNanos = s.sentNanos;
    } else {
      firstSentNanos = Math.min(firstSentNanos, s.sentNanos);
      lastSentNanos = Math.max(lastSentNanos, s.sentNanos);
    }
  }

  /** False when the last transmission is too recent to have arrived. */
  private boolean isPossible(SentSegment s) {
    return nowNanos - s.sentNanos >= Math.max(0, s.path.rtt.minRttNanos());
  }

  /** Octets newly delivered. */
  public long bytes() {
    return bytes;
  }

  /** Octets of those that had been sent on the current path. */
  public long currentPathBytes() {
    return currentPathBytes;
  }

  /**
   * The path an RTT sample by sending time belongs to, or null: by Karn's rule there is none when a
   * segment that was sent twice is among the delivered ones.
   */
  public PathState samplePath() {
    return retransmitted ? null : samplePath;
  }

  /** Sending time of the oldest segment newly delivered on the sample path. */
  public long firstSentNanos() {
    return firstSentNanos;
  }

  /** RTT of the segment sent last among the delivered ones, or -1. */
  public long latestRttNanos() {
    return samplePath() == current && current != null ? nowNanos - lastSentNanos : -1;
  }

  /**
   * The path and timestamp value of the latest repetition among the delivered segments; null when
   * none was sent twice. An echo from before it says how long ago an earlier one was sent, not how
   * long the way takes: the first acknowledgement may have been lost.
   */
  public PathState echoPath() {
    return echoPath;
  }

  public int echoTsVal() {
    return echoTsVal;
  }
}

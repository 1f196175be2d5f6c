package org.ilnp4j.tcp.congestion;

/**
 * What the window-based algorithms share: the initial window of RFC 6928, slow start by octets
 * acknowledged (RFC 3465), the loss window and the restart window (RFC 5681 §3.1, §4.1).
 */
abstract class SlowStart implements CongestionControl {
  static final int INITIAL_SEGMENTS = 10;

  /** RFC 9406 §4.2: an acknowledgement of many segments opens the window by at most this many. */
  static final int LIMIT_SEGMENTS = 8;

  int mss;
  long cwnd;
  long ssthresh = Long.MAX_VALUE;

  /** RFC 3465 §2.3: one segment per acknowledgement while a time-out's losses are repaired. */
  private boolean afterTimeout;

  private long savedCwnd;
  private long savedSsthresh;

  SlowStart(int mssBytes) {
    mss = mssBytes;
    cwnd = initialWindow();
  }

  /** RFC 6928 §2. */
  private long initialWindow() {
    return Math.min((long) INITIAL_SEGMENTS * mss, Math.max(2L * mss, 14600));
  }

  @Override
  public final long cwndBytes() {
    return cwnd;
  }

  @Override
  public final long ssthreshBytes() {
    return ssthresh;
  }

  /** A window counted in segments keeps its count, for the path carries packets, not octets. */
  @Override
  public final void mss(int mssBytes) {
    if (mssBytes < mss) {
      cwnd = Math.max(2L * mssBytes, cwnd / mss * mssBytes);
    }
    mss = mssBytes;
  }

  @Override
  public final void onAck(long nowNanos, long ackedBytes, long rttNanos) {
    long left = ackedBytes;
    if (inSlowStart()) {
      long grow = Math.min(left, (long) (afterTimeout ? 1 : LIMIT_SEGMENTS) * mss);
      long room = ssthresh - cwnd;
      if (grow <= room) {
        cwnd += grow;
        return;
      }
      cwnd += room;
      left = Math.max(0, grow - room);
    }
    afterTimeout = false;
    avoidCongestion(nowNanos, left, rttNanos);
  }

  abstract void avoidCongestion(long nowNanos, long ackedBytes, long rttNanos);

  /** What ssthresh becomes when the window of {@code flightBytes} met congestion. */
  abstract long reduced(long nowNanos, long flightBytes);

  @Override
  public final void onCongestionEvent(long nowNanos, long flightBytes) {
    ssthresh = Math.max(reduced(nowNanos, flightBytes), 2L * mss);
    cwnd = ssthresh;
  }

  @Override
  public final void onTimeout(long nowNanos, long flightBytes, boolean first) {
    if (first) {
      ssthresh = Math.max(reduced(nowNanos, flightBytes), 2L * mss);
    }
    cwnd = mss;
    afterTimeout = true;
  }

  @Override
  public final void saveForUndo() {
    savedCwnd = cwnd;
    savedSsthresh = ssthresh;
  }

  @Override
  public final void undo() {
    cwnd = Math.max(cwnd, savedCwnd);
    ssthresh = Math.max(ssthresh, savedSsthresh);
  }

  @Override
  public void onIdleRestart(long nowNanos) {
    // RFC 5681 §4.1 restarts from the initial window; ssthresh remembers where to slow down.
    if (cwnd > initialWindow()) {
      ssthresh = Math.max(ssthresh, cwnd * 3 / 4);
      cwnd = initialWindow();
    }
  }
}

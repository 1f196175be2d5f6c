package org.ilnp4j.tcp.congestion;

/**
 * What the algorithms driven by loss share: the initial window of RFC 6928, slow start by octets
 * delivered (RFC 5681 §3.1, RFC 3465) with HyStart++ where it is wanted, the loss window,
 * validation of the window, the rate of pacing, and the way back from losses that were none.
 */
abstract class WindowBased implements CongestionControl {
  static final int INITIAL_SEGMENTS = 10;

  /**
   * RFC 3465's L. Elsewhere there is none, as in Linux: receivers that take segments in batches, as
   * this one, acknowledge many at once, and a limit would keep a window from doubling.
   *
   * <p>RFC 3465 §2.3 asks for one while the losses of a time-out are repaired, for a cumulative
   * acknowledgement may then cover what arrived long ago. Only a peer without SACK leaves that in
   * doubt; two is what its delayed acknowledgements stand for.
   */
  static final int TIMEOUT_LIMIT_SEGMENTS = 2;

  private static final double NANOS = 1e9;

  int mss;
  long cwnd;
  long ssthresh = Long.MAX_VALUE;

  private final boolean paced;
  private final HyStart hyStart;
  private final WindowValidation validation = new WindowValidation();
  private boolean afterTimeout;

  /** -1 when there is nothing to undo. */
  private long savedCwnd = -1;

  private long savedSsthresh;

  WindowBased(int mssBytes, boolean paced, boolean useHyStart) {
    mss = mssBytes;
    this.paced = paced;
    hyStart = useHyStart ? new HyStart(paced) : null;
    cwnd = initialWindow();
  }

  /** RFC 6928 §2. */
  static long initialWindow(int mssBytes) {
    return Math.min((long) INITIAL_SEGMENTS * mssBytes, Math.max(2L * mssBytes, 14600));
  }

  private long initialWindow() {
    return initialWindow(mss);
  }

  @Override
  public final long cwndBytes() {
    return cwnd;
  }

  @Override
  public final long ssthreshBytes() {
    return ssthresh;
  }

  /**
   * Faster than the window leaves by itself, so that pacing spreads it and does not limit it: twice
   * in slow start, where the window is to double in a round trip, 1.2 times behind it.
   */
  @Override
  public final long pacingRate(long srttNanos) {
    if (!paced || srttNanos <= 0) {
      return Pacer.UNLIMITED;
    }
    return (long) ((inSlowStart() ? 2 : 1.2) * cwnd * NANOS / srttNanos);
  }

  /** A window counted in segments keeps its count, for the path carries packets, not octets. */
  @Override
  public final void mss(int mssBytes) {
    if (mssBytes < mss) {
      cwnd = scaled(cwnd, mssBytes);
      savedCwnd = savedCwnd < 0 ? -1 : scaled(savedCwnd, mssBytes);
    }
    mss = mssBytes;
  }

  private long scaled(long bytes, int newMss) {
    return Math.max(2L * newMss, bytes / mss * newMss);
  }

  // ---- growth ---------------------------------------------------------------------------------

  @Override
  public final void onAck(AckSample ack) {
    boolean grows =
        !ack.held && validation.isLimited(cwnd, inSlowStart()); // as it was before this one
    validation.onDelivered(ack);
    if (ack.held) {
      return;
    }
    boolean searching = hyStart != null && ssthresh == Long.MAX_VALUE;
    if (searching) {
      hyStart.onAck(ack.nowNanos, ack.rttNanos, ack.roundEnded, grows);
    }
    if (!grows) {
      onHeld();
      return;
    }
    long left = ack.deliveredBytes;
    if (inSlowStart()) {
      left = slowStart(left, searching);
    }
    if (left > 0) {
      afterTimeout = false;
      avoidCongestion(ack.nowNanos, left, ack.srttNanos);
    }
  }

  /** Grows by what was delivered, within limits; returns what of it lies beyond slow start. */
  private long slowStart(long deliveredBytes, boolean searching) {
    long grow = Math.min(deliveredBytes, limitBytes());
    if (searching && hyStart.isOver()) {
      // RFC 9406 §4.2: it has found its limit; what comes is congestion avoidance.
      ssthresh = cwnd;
      return grow;
    }
    if (searching) {
      grow = hyStart.slowed(grow);
    }
    long room = ssthresh - cwnd;
    cwnd += Math.min(grow, room);
    return Math.max(0, grow - room);
  }

  private long limitBytes() {
    return afterTimeout ? (long) TIMEOUT_LIMIT_SEGMENTS * mss : Long.MAX_VALUE;
  }

  abstract void avoidCongestion(long nowNanos, long ackedBytes, long srttNanos);

  /** Something arrived, but the window had not been used and stays as it is (RFC 9438 §5.8). */
  void onHeld() {}

  // ---- validation -----------------------------------------------------------------------------

  @Override
  public final void onOutput(
      long nowNanos, long flightBytes, boolean windowLimited, long rtoNanos) {
    validation.onOutput(nowNanos, flightBytes, windowLimited, cwnd, inSlowStart());
    shrinkTo(validation.decayed(nowNanos, cwnd, initialWindow(), rtoNanos));
  }

  @Override
  public final void onIdle(long nowNanos, long idleNanos, long rtoNanos) {
    onHeld();
    shrinkTo(validation.afterIdle(nowNanos, idleNanos, cwnd, initialWindow(), rtoNanos));
  }

  /** The threshold remembers most of a window that was given up unused, not lost. */
  private void shrinkTo(long newCwnd) {
    if (newCwnd < cwnd) {
      ssthresh = Math.max(ssthresh, cwnd / 4 * 3);
      cwnd = newCwnd;
      onShrunk();
    }
  }

  /** The window was given up unused; slow start follows. */
  void onShrunk() {}

  // ---- congestion -----------------------------------------------------------------------------

  /** What of a window {@code usedBytes} large is left after congestion. */
  abstract long reduced(long usedBytes, Cause cause);

  @Override
  public final void onCongestionEvent(long nowNanos, long flightBytes, Cause cause) {
    long target = reduced(validation.usedBytes(cwnd, flightBytes), cause);
    // RFC 9438 §4.6: marks that go on take the window down to one segment, the first not below two.
    boolean least = cause == Cause.MARK && cwnd <= 2L * mss;
    ssthresh = Math.max(target, 2L * mss);
    cwnd = least ? Math.max(target, mss) : ssthresh;
  }

  @Override
  public final void onTimeout(long nowNanos, long flightBytes, boolean first) {
    if (first) {
      long target = reduced(validation.usedBytes(cwnd, flightBytes), Cause.LOSS);
      ssthresh = Math.max(target, 2L * mss);
    }
    cwnd = mss;
    afterTimeout = true;
    onLossWindow();
  }

  /** The window was reset to one segment. */
  void onLossWindow() {}

  @Override
  public final void saveForUndo() {
    savedCwnd = cwnd;
    savedSsthresh = ssthresh;
    save();
  }

  @Override
  public final void undo() {
    if (cwnd < savedCwnd) {
      cwnd = savedCwnd;
      ssthresh = Math.max(ssthresh, savedSsthresh);
      afterTimeout = false;
      restore();
    }
    savedCwnd = -1;
  }

  abstract void save();

  abstract void restore();
}

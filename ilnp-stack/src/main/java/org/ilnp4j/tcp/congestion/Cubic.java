package org.ilnp4j.tcp.congestion;

/**
 * CUBIC (RFC 9438) with fast convergence (§4.7) and the Reno-friendly region (§4.3). Windows are
 * held in segments, as in the RFC's formulas; times in seconds.
 */
public final class Cubic extends SlowStart {
  private static final double BETA = 0.7;
  private static final double C = 0.4;

  /** §4.3: grows as fast as Reno would with this multiplicative decrease. */
  private static final double ALPHA = 3 * (1 - BETA) / (1 + BETA);

  private static final double NANOS = 1e9;

  /** Window before the last reduction, after fast convergence; 0 when there was none. */
  private double wMax;

  /** Window just before the last reduction. */
  private double cwndPrior;

  /** Window a Reno flow would have now. */
  private double wEst;

  /** Seconds the window function takes back to {@link #wMax}. */
  private double k;

  /** Start of the current congestion avoidance stage, -1 before its first acknowledgement. */
  private long epochNanos = -1;

  /** Growth below one octet, carried over. */
  private double fraction;

  public Cubic(int mssBytes) {
    super(mssBytes);
  }

  @Override
  public String name() {
    return "cubic";
  }

  @Override
  void avoidCongestion(long nowNanos, long ackedBytes, long rttNanos) {
    double window = (double) cwnd / mss;
    double acked = (double) ackedBytes / mss;
    if (epochNanos < 0) {
      startEpoch(nowNanos, window);
    }
    double t = (nowNanos - epochNanos) / NANOS;
    double rtt = Math.max(0, rttNanos) / NANOS;
    wEst += (wEst >= cwndPrior ? 1 : ALPHA) * acked / window;
    double next;
    if (cubic(t) < wEst) {
      next = Math.max(window, wEst);
    } else {
      double target = Math.min(Math.max(cubic(t + rtt), window), 1.5 * window);
      next = window + (target - window) / window * acked;
    }
    double grown = (next - window) * mss + fraction;
    fraction = grown - (long) grown;
    cwnd += (long) grown;
  }

  private void startEpoch(long nowNanos, double window) {
    epochNanos = nowNanos;
    wEst = window;
    if (wMax > window) {
      k = Math.cbrt((wMax - window) / C);
    } else {
      // §4.8 and §4.10: slow start ended without a reduction; the plateau is here.
      k = 0;
      wMax = window;
    }
  }

  private double cubic(double t) {
    double d = t - k;
    return C * d * d * d + wMax;
  }

  @Override
  long reduced(long nowNanos, long flightBytes) {
    double window = (double) cwnd / mss;
    cwndPrior = window;
    wMax = window < wMax ? window * (1 + BETA) / 2 : window;
    epochNanos = -1;
    fraction = 0;
    return Math.round(flightBytes * BETA);
  }

  @Override
  public void onIdleRestart(long nowNanos) {
    super.onIdleRestart(nowNanos);
    // §5.8: time in which nothing was sent does not count.
    epochNanos = -1;
  }
}

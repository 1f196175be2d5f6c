package org.ilnp4j.tcp.congestion;

/**
 * CUBIC (RFC 9438) with fast convergence (§4.7), the Reno-friendly region (§4.3), HyStart++ (§4.10)
 * and ABE (RFC 8511 §3). Windows are held in segments, as in the RFC's formulas; times in seconds.
 */
public final class Cubic extends WindowBased {
  private static final double BETA = 0.7;
  private static final double BETA_MARK = 0.85;
  private static final double C = 0.4;

  /** §4.3: grows as fast as Reno would with this multiplicative decrease. */
  private static final double ALPHA = 3 * (1 - BETA) / (1 + BETA);

  private static final double NANOS = 1e9;

  /** What belongs to a congestion avoidance stage; the names are those of §4.1.2. */
  private static final class Stage {
    /** Window before the last reduction, after fast convergence; 0 when it says nothing. */
    double wMax;

    /** Window when ssthresh was last set. */
    double cwndPrior;

    /** Window a Reno flow would have stage. */
    double wEst;

    /** Seconds the window function takes back to {@link #wMax}. */
    double k;

    /** Start of the stage, less what does not count; -1 before its first acknowledgement. */
    long epochNanos = -1;

    void copy(Stage s) {
      wMax = s.wMax;
      cwndPrior = s.cwndPrior;
      wEst = s.wEst;
      k = s.k;
      epochNanos = s.epochNanos;
    }
  }

  private final Stage stage = new Stage();
  private final Stage saved = new Stage();

  /** When the window last followed the function. */
  private long updatedNanos;

  /** Since then, time has passed in which the window was not used. */
  private boolean held;

  /** Growth below one octet, carried over. */
  private double fraction;

  public Cubic(int mssBytes, boolean paced) {
    super(mssBytes, paced, /* useHyStart= */ true);
  }

  @Override
  public String name() {
    return "cubic";
  }

  @Override
  void avoidCongestion(long nowNanos, long ackedBytes, long srttNanos) {
    double window = (double) cwnd / mss;
    double acked = (double) ackedBytes / mss;
    if (stage.epochNanos < 0) {
      startStage(nowNanos, window);
    } else if (held) {
      stage.epochNanos += nowNanos - updatedNanos; // §5.8
    }
    held = false;
    updatedNanos = nowNanos;
    double t = (nowNanos - stage.epochNanos) / NANOS;
    double rtt = Math.max(0, srttNanos) / NANOS;
    stage.wEst += (stage.wEst >= stage.cwndPrior ? 1 : ALPHA) * acked / window;
    double next;
    if (cubic(t) < stage.wEst) {
      next = Math.max(window, stage.wEst);
    } else {
      double target = Math.min(Math.max(cubic(t + rtt), window), 1.5 * window);
      next = window + (target - window) / window * acked;
    }
    double grown = (next - window) * mss + fraction;
    fraction = grown - (long) grown;
    cwnd += (long) grown;
  }

  private void startStage(long nowNanos, double window) {
    stage.epochNanos = nowNanos;
    stage.wEst = window;
    if (stage.wMax > window) {
      stage.k = Math.cbrt((stage.wMax - window) / C);
      return;
    }
    // §4.8 and §4.10: slow start came here without a reduction; the plateau is here.
    stage.k = 0;
    stage.cwndPrior = Math.max(stage.cwndPrior, window);
    stage.wMax = window;
  }

  private double cubic(double t) {
    double d = t - stage.k;
    return C * d * d * d + stage.wMax;
  }

  @Override
  void onHeld() {
    held = true;
  }

  @Override
  void onShrunk() {
    stage.epochNanos = -1; // slow start ends the stage
  }

  @Override
  long reduced(long usedBytes, Cause cause) {
    double window = (double) cwnd / mss;
    stage.cwndPrior = window;
    stage.wMax = window < stage.wMax ? window * (1 + BETA) / 2 : window;
    stage.epochNanos = -1;
    fraction = 0;
    return Math.round(usedBytes * (cause == Cause.MARK ? BETA_MARK : BETA));
  }

  /** §4.8: the next stage has its plateau where it begins. */
  @Override
  void onLossWindow() {
    stage.wMax = 0;
    stage.epochNanos = -1;
  }

  @Override
  void save() {
    saved.copy(stage);
  }

  @Override
  void restore() {
    stage.copy(saved);
  }
}

package org.ilnp4j.tcp.congestion;

/**
 * Standard congestion control (RFC 5681): one segment per window and round trip, half of what was
 * in flight on loss. Octets are counted as RFC 3465 §2.1 has it, so delayed acknowledgements do not
 * slow it down. A mark costs a fifth (RFC 8511 §3). It is not paced, as in the stacks that
 * published results come from.
 */
public final class Reno extends WindowBased {
  private static final double BETA_MARK = 0.8;

  /** Octets acknowledged since the window last grew. */
  private long ackedSinceGrowth;

  public Reno(int mssBytes) {
    super(mssBytes, /* paced= */ false, /* useHyStart= */ false);
  }

  @Override
  public String name() {
    return "reno";
  }

  @Override
  void avoidCongestion(long nowNanos, long ackedBytes, long srttNanos) {
    ackedSinceGrowth += ackedBytes;
    for (long carried = carried(); ackedSinceGrowth >= carried; carried = carried()) {
      ackedSinceGrowth -= carried;
      cwnd += mss;
    }
  }

  /** What a round trip carries is whole segments of the window. */
  private long carried() {
    return Math.max(mss, cwnd - cwnd % mss);
  }

  @Override
  long reduced(long usedBytes, Cause cause) {
    ackedSinceGrowth = 0;
    return cause == Cause.MARK ? Math.round(usedBytes * BETA_MARK) : usedBytes / 2;
  }

  @Override
  void save() {}

  @Override
  void restore() {}
}

package org.ilnp4j.tcp.congestion;

/** Standard congestion avoidance: one segment per window, half the flight on loss (RFC 5681). */
public final class NewRenoCongestion extends SlowStart {
  /** Octets acknowledged since the window last grew (RFC 3465 §2.1). */
  private long ackedSinceGrowth;

  public NewRenoCongestion(int mssBytes) {
    super(mssBytes);
  }

  @Override
  public String name() {
    return "newreno";
  }

  @Override
  void avoidCongestion(long nowNanos, long ackedBytes, long rttNanos) {
    ackedSinceGrowth += ackedBytes;
    while (ackedSinceGrowth >= cwnd) {
      ackedSinceGrowth -= cwnd;
      cwnd += mss;
    }
  }

  @Override
  long reduced(long nowNanos, long flightBytes) {
    ackedSinceGrowth = 0;
    return flightBytes / 2;
  }
}

package org.ilnp4j.tcp.congestion;

/**
 * How much more than the bandwidth explains is acknowledged at a time, as by Wi-Fi and by receivers
 * that gather: a window without that much to spare would run dry between two such batches. The
 * largest of the last rounds counts. Octets.
 */
final class AckAggregation {
  /** Half of the rounds remembered once the bandwidth is known; one round before. */
  private static final int ROUNDS = 5;

  private static final double NANOS = 1e9;

  private long sinceNanos;
  private long delivered;
  private long mostBefore;
  private long mostNow;
  private int firstRound;

  /** Sending begins after a pause: an interval begins as well. */
  void restart(long nowNanos) {
    sinceNanos = nowNanos;
  }

  /**
   * Something was delivered.
   *
   * @param bw octets per second that the path is taken to carry
   * @param cwndBytes that no more than can be acknowledged at once
   * @param round number of the round trip
   * @param isBwKnown false while the bandwidth is still looked for
   */
  void onAck(AckSample a, double bw, long cwndBytes, int round, boolean isBwKnown) {
    double expected = bw * (a.nowNanos - sinceNanos) / NANOS;
    if (delivered <= expected) {
      delivered = 0;
      sinceNanos = a.nowNanos;
      expected = 0;
    }
    delivered += a.deliveredBytes;
    if (round - firstRound >= (isBwKnown ? ROUNDS : 1)) {
      mostBefore = isBwKnown ? mostNow : 0;
      mostNow = 0;
      firstRound = round;
    }
    mostNow = Math.max(mostNow, Math.min(cwndBytes, (long) (delivered - expected)));
  }

  long extraBytes() {
    return Math.max(mostBefore, mostNow);
  }
}

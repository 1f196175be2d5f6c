package org.ilnp4j.tcp.recovery;

import org.ilnp4j.time.NanoClock;
import org.ilnp4j.util.Seq;

/**
 * The tail loss probe (RFC 8985 §7): when the end of a flight is not acknowledged within two round
 * trips, one more segment goes out, whose acknowledgement shows what is missing long before the
 * retransmission timer would.
 */
public final class TailLossProbe {
  /** What the other side's delayed acknowledgement of a lone segment may take. */
  static final long MAX_ACK_DELAY_NANOS = NanoClock.millis(200);

  /** For a machine that is busy at the wrong moment. */
  private static final long SLACK_NANOS = NanoClock.millis(10);

  private boolean outstanding;
  private int endSeq;
  private boolean repeats;

  /** Between the last news and the probe (RFC 8985 §7.2). */
  public static long timeoutNanos(PathState path, boolean lone) {
    if (!path.rtt.hasSample()) {
      return RttEstimator.INITIAL_RTO_NANOS;
    }
    return 2 * path.rtt.srttNanos() + (lone ? MAX_ACK_DELAY_NANOS : SLACK_NANOS);
  }

  /** One probe at a time. */
  public boolean isOutstanding() {
    return outstanding;
  }

  /**
   * A probe left.
   *
   * @param sndNxt behind it
   * @param repeatsData false when it carries new data
   */
  public void onSent(int sndNxt, boolean repeatsData) {
    outstanding = true;
    endSeq = sndNxt;
    repeats = repeatsData;
  }

  /**
   * RFC 8985 §7.4.2.
   *
   * @param bare true when the acknowledgement neither advances nor carries anything
   * @return true when the probe has repaired a loss that nobody else noticed
   */
  public boolean onAck(int ack, Delivery delivery, boolean bare) {
    if (!outstanding || Seq.lt(ack, endSeq)) {
      return false;
    }
    if (!repeats || (delivery.hasDsack() && delivery.dsackRight() == endSeq)) {
      outstanding = false;
      return false;
    }
    if (Seq.gt(ack, endSeq)) {
      outstanding = false;
      return true;
    }
    if (bare && !delivery.hasDsack()) {
      outstanding = false; // the original and the probe both arrived
    }
    return false;
  }

  /** Another recovery takes over, or another path. */
  public void reset() {
    outstanding = false;
  }
}

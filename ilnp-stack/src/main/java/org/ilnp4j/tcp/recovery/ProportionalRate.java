package org.ilnp4j.tcp.recovery;

/**
 * Proportional rate reduction (RFC 9937): during fast recovery, what may be sent follows what is
 * delivered, so that the window reaches its target by the end without a pause before and a burst
 * behind. Octets.
 */
final class ProportionalRate {
  private long flightAtStart;
  private long delivered;
  private long sent;
  private long windowBytes;

  /**
   * Fast recovery begins.
   *
   * @param flightBytes {@code RecoverFS} of RFC 9937 §6: what was in flight just before the
   *     acknowledgement that begins it; what had been selectively acknowledged earlier is not
   */
  void start(long flightBytes) {
    flightAtStart = Math.max(1, flightBytes);
    delivered = 0;
    sent = 0;
    windowBytes = 0;
  }

  /**
   * An acknowledgement came.
   *
   * @param newlyDelivered by this acknowledgement
   * @param pipeBytes in flight now
   * @param targetBytes window at the end of the recovery
   * @param mssBytes of the path
   * @param safe true when it advances {@code SND.UNA} and shows no further loss
   */
  void onAck(long newlyDelivered, long pipeBytes, long targetBytes, int mssBytes, boolean safe) {
    if (newlyDelivered == 0) {
      return;
    }
    delivered += newlyDelivered;
    long allowed;
    if (pipeBytes > targetBytes) {
      long share = (delivered * targetBytes + flightAtStart - 1) / flightAtStart;
      allowed = share - sent;
    } else {
      long limit = Math.max(delivered - sent, newlyDelivered) + (safe ? mssBytes : 0);
      allowed = Math.min(targetBytes - pipeBytes, limit);
    }
    windowBytes = pipeBytes + Math.max(0, allowed);
  }

  void onSent(int bytes) {
    sent += bytes;
  }

  /** What takes the place of the congestion window until the recovery ends. */
  long windowBytes() {
    return windowBytes;
  }
}

package org.ilnp4j.tcp.recovery;

import org.ilnp4j.tcp.congestion.AckSample;

/**
 * How fast a path delivers (draft-ietf-ccwg-bbr §4.1). Each segment carries what had been delivered
 * when it was sent; when it arrives, what was delivered since then, by the time that took to send
 * or to acknowledge, whichever was longer, is a sample. One instance per path whose congestion
 * control asks for it.
 */
final class DeliveryRate {
  private static final double NANOS = 1e9;

  /** What a segment carries. */
  static final class Stamp {
    private long deliveredBytes;
    private long deliveredNanos;
    private long firstSentNanos;
    private long flightBytes;
    private long lostBytes;
    private boolean appLimited;

    /** Copies to {@code spare}, or to a new one if that is null. */
    Stamp copyTo(Stamp spare) {
      Stamp copy = spare == null ? new Stamp() : spare;
      copy.deliveredBytes = deliveredBytes;
      copy.deliveredNanos = deliveredNanos;
      copy.firstSentNanos = firstSentNanos;
      copy.flightBytes = flightBytes;
      copy.lostBytes = lostBytes;
      copy.appLimited = appLimited;
      return copy;
    }

    /** In flight when it was sent, itself included. */
    long flightBytes() {
      return flightBytes;
    }

    boolean isAppLimited() {
      return appLimited;
    }
  }

  private long deliveredBytes;
  private long deliveredNanos;
  private long firstSentNanos;
  private long lostBytes;

  /** Samples are of a sender with little to send until this is delivered; 0 for none. */
  private long appLimitedUntil;

  // The sample of the acknowledgement that is being taken in.
  private boolean hasSample;
  private long newestOrder = -1;
  private long priorBytes;
  private long sendNanos;
  private long ackNanos;
  private long flightBytes;
  private long lostBefore;
  private boolean appLimited;

  /** {@code s} leaves; {@code inFlightBytes} has it included. */
  void onSent(long nowNanos, SentSegment s, long inFlightBytes) {
    if (inFlightBytes == s.length) {
      firstSentNanos = nowNanos;
      deliveredNanos = nowNanos;
    }
    if (s.stamp == null) {
      s.stamp = new Stamp();
    }
    s.stamp.deliveredBytes = deliveredBytes;
    s.stamp.deliveredNanos = deliveredNanos;
    s.stamp.firstSentNanos = firstSentNanos;
    s.stamp.flightBytes = inFlightBytes;
    s.stamp.lostBytes = lostBytes;
    s.stamp.appLimited = appLimitedUntil > 0;
  }

  /**
   * {@code s}, or {@code bytes} of it, arrived.
   *
   * @param last false when an earlier transmission than the last must be what arrived
   */
  void onDelivered(long nowNanos, SentSegment s, int bytes, boolean last) {
    deliveredBytes += bytes;
    deliveredNanos = nowNanos;
    if (!last || s.stamp == null || (hasSample && s.order < newestOrder)) {
      return;
    }
    hasSample = true;
    newestOrder = s.order;
    priorBytes = s.stamp.deliveredBytes;
    sendNanos = s.sentNanos - s.stamp.firstSentNanos;
    ackNanos = nowNanos - s.stamp.deliveredNanos;
    flightBytes = s.stamp.flightBytes;
    lostBefore = s.stamp.lostBytes;
    appLimited = s.stamp.appLimited;
    firstSentNanos = s.sentNanos;
  }

  /** {@code s} is lost; returns what was lost since it was sent, itself included. */
  long onLost(SentSegment s) {
    lostBytes += s.length;
    return s.stamp == null ? s.length : lostBytes - s.stamp.lostBytes;
  }

  /** There is nothing to send, and the window is not why. */
  void onAppLimited(long inFlightBytes) {
    appLimitedUntil = Math.max(1, deliveredBytes + inFlightBytes);
  }

  /** Completes the sample and starts the next one. */
  void fill(AckSample ack, long minRttNanos) {
    if (appLimitedUntil > 0 && deliveredBytes > appLimitedUntil) {
      appLimitedUntil = 0;
    }
    ack.totalDelivered = deliveredBytes;
    ack.rate = 0;
    if (hasSample) {
      long interval = Math.max(sendNanos, ackNanos);
      ack.priorDelivered = priorBytes;
      ack.sampleDelivered = deliveredBytes - priorBytes;
      ack.appLimited = appLimited;
      ack.txInFlight = flightBytes;
      ack.lostSinceSent = lostBytes - lostBefore;
      // A shorter interval than any RTT is that of a segment whose repetition was not needed.
      if (interval > 0 && interval >= minRttNanos) {
        ack.rate = ack.sampleDelivered * NANOS / interval;
      }
    } else {
      ack.priorDelivered = -1;
      ack.sampleDelivered = 0;
    }
    hasSample = false;
  }
}

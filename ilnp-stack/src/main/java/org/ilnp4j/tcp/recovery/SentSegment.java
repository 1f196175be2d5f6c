package org.ilnp4j.tcp.recovery;

/**
 * Record of what was sent at once and is not acknowledged cumulatively: one segment, or several
 * full ones that left as one super-segment. It is split when their fates part. Holds no Locator and
 * no bytes: those are looked up again when it is sent again. Reused by its {@link RetransmitQueue}.
 */
public final class SentSegment {
  /** Where the segment is, as far as the sender knows. */
  public enum Fate {
    /** Sent and not heard of; counts as in flight on its path. */
    IN_FLIGHT,
    /** The other side has it, out of order. */
    SACKED,
    /** Taken for lost; waits for its retransmission. */
    LOST
  }

  int seq;
  int length;

  /** Payload of each segment but the last, which may be shorter. */
  int segmentBytes;

  /** By how much it counted when it was reported as arrived out of order. */
  int sackedSegments;

  boolean fin;
  boolean probe;
  boolean sizeProbe;
  boolean lostByMove;
  Fate fate;
  int transmissions;
  long sentNanos;
  long order;
  int tsVal;
  PathState path;

  /** Null unless the congestion control of the path asks for delivery rates. */
  DeliveryRate.Stamp stamp;

  /** Neighbours among the segments in flight on {@link #path}, in the order of transmission. */
  SentSegment earlier;

  SentSegment later;

  public int seq() {
    return seq;
  }

  /** Sequence space it takes, FIN included. */
  public int length() {
    return length;
  }

  public int endSeq() {
    return seq + length;
  }

  public int payloadLength() {
    return fin ? length - 1 : length;
  }

  /** Octets of payload in the largest segment of it, as it was last sent. */
  public int segmentPayload() {
    return Math.min(payloadLength(), segmentBytes);
  }

  /** How many segments it left as, at least 1. */
  public int segments() {
    int payload = payloadLength();
    return payload <= segmentBytes ? 1 : (payload + segmentBytes - 1) / segmentBytes;
  }

  /** It is sent next, in segments of so many octets of payload. */
  public void segmentBytes(int bytes) {
    segmentBytes = bytes;
  }

  public boolean isFin() {
    return fin;
  }

  /** One octet sent into a closed window (RFC 9293 §3.8.6.1). */
  public boolean isProbe() {
    return probe;
  }

  /** Sent once, larger than others to see whether that arrives: its loss means nothing more. */
  public boolean isSizeProbe() {
    return sizeProbe;
  }

  public void sizeProbe() {
    sizeProbe = true;
  }

  /** It was in flight on a path that broke. */
  public boolean isLostByMove() {
    return lostByMove;
  }

  public Fate fate() {
    return fate;
  }

  public boolean isRetransmitted() {
    return transmissions > 1;
  }

  public int transmissions() {
    return transmissions;
  }

  /** When it was last sent. */
  public long sentNanos() {
    return sentNanos;
  }

  /** Serial number of its last transmission among all of the connection. */
  public long order() {
    return order;
  }

  /** Timestamp value it last carried. */
  public int tsVal() {
    return tsVal;
  }

  /** The path it was last sent on. */
  public PathState path() {
    return path;
  }

  /** What was sent next on its path and is in flight there, or null. */
  public SentSegment nextInFlight() {
    return later;
  }

  @Override
  public String toString() {
    return Integer.toUnsignedString(seq) + "+" + length + (fin ? " FIN " : " ") + fate;
  }
}

package org.ilnp4j.tcp.congestion;

import org.ilnp4j.time.NanoClock;

/**
 * Drives a controller in rounds, as a flow that always uses its window. Segments of 1000 octets.
 */
final class Flow {
  static final int MSS = 1000;
  static final long RTO = NanoClock.millis(300);

  final CongestionControl cc;
  long rttNanos = NanoClock.millis(100);
  int segmentsPerAck = 2;
  long now;
  private final AckSample ack = new AckSample();

  Flow(String algorithm) {
    this(CongestionControl.create(algorithm, MSS, /* paced= */ true));
  }

  Flow(CongestionControl cc) {
    this.cc = cc;
  }

  double window() {
    return cc.cwndBytes() / (double) MSS;
  }

  /** One acknowledgement of so much, in the middle of a round. */
  void ack(long bytes) {
    ack(bytes, rttNanos, false);
  }

  void ack(long bytes, long rtt, boolean roundEnded) {
    cc.onAck(filled(bytes, rtt, roundEnded, false));
  }

  private AckSample filled(long bytes, long rtt, boolean roundEnded, boolean inRecovery) {
    ack.nowNanos = now;
    ack.deliveredBytes = bytes;
    ack.rttNanos = rtt;
    ack.srttNanos = rttNanos;
    ack.roundEnded = roundEnded;
    ack.held = inRecovery;
    return ack;
  }

  /** Sends what the window allows. */
  void send() {
    cc.onOutput(now, cc.cwndBytes(), /* windowLimited= */ true, RTO);
  }

  /** Sends so much because there is no more. */
  void sendOnly(long bytes) {
    cc.onOutput(now, Math.min(bytes, cc.cwndBytes()), /* windowLimited= */ false, RTO);
  }

  /** A window leaves and is acknowledged an RTT later. */
  void round() {
    round(cc.cwndBytes(), true);
  }

  /** So much leaves and is acknowledged an RTT later. */
  void round(long bytes, boolean full) {
    cc.onOutput(now, bytes, full, RTO);
    now += rttNanos;
    boolean first = true;
    for (long left = bytes; left > 0; first = false) {
      long n = Math.min((long) segmentsPerAck * MSS, left);
      ack(n, rttNanos, first);
      cc.onOutput(now, bytes, full, RTO);
      left -= n;
    }
  }

  /** Fast recovery for one round, with so much in flight. */
  void lose(long flightBytes) {
    congestion(flightBytes, CongestionControl.Cause.LOSS);
    cc.onAck(filled(MSS, rttNanos, true, true));
  }

  void congestion(long flightBytes, CongestionControl.Cause cause) {
    cc.saveForUndo();
    cc.onCongestionEvent(now, flightBytes, cause);
  }

  /** Slow start up to so many segments, without noticing any queue. */
  void grow(int segments) {
    while (cc.cwndBytes() < (long) segments * MSS) {
      send();
      ack(Math.min(8L * MSS, (long) segments * MSS - cc.cwndBytes()));
    }
  }
}

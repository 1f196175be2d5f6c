package org.ilnp4j.tcp.congestion;

/**
 * What one acknowledgement says about a path. One object per path, filled anew for each: nothing
 * may keep it.
 */
public final class AckSample {
  public long nowNanos;

  /** Octets newly delivered on the path, cumulatively or selectively; at least 1. */
  public long deliveredBytes;

  /** RTT of the segment among them that was sent last, or -1 when it cannot be known. */
  public long rttNanos;

  /** Smoothed RTT, or -1. */
  public long srttNanos;

  /**
   * A round trip is over: for the first time something has arrived that was sent after the previous
   * one was over.
   */
  public boolean roundEnded;

  /**
   * The window does not grow: fast recovery is under way or ends with this acknowledgement, or it
   * only tells of data that came out of order (RFC 5681 §3.1, RFC 3042).
   */
  public boolean held;

  /** In flight now. */
  public long inFlightBytes;

  // What follows is filled in for algorithms that need delivery rates, and comes from the segment
  // among the newly delivered ones that was sent last.

  /** Delivered on the path so far. */
  public long totalDelivered;

  /** {@link #totalDelivered} when that segment was sent. */
  public long priorDelivered;

  /** Delivered since then. */
  public long sampleDelivered;

  /** Octets per second at which that happened; 0 when it cannot be told. */
  public double rate;

  /** The sender had nothing to send in that time: the path may be faster. */
  public boolean appLimited;

  /** In flight when that segment was sent, itself included. */
  public long txInFlight;

  /** Lost since then. */
  public long lostSinceSent;
}

package org.ilnp4j.tcp.recovery;

import org.ilnp4j.ilnp.LocatorPair;
import org.ilnp4j.tcp.congestion.AckSample;
import org.ilnp4j.tcp.congestion.CongestionControl;
import org.ilnp4j.util.Seq;

/**
 * Everything a connection knows about one path, that is, one pair of Locators: RTT, congestion
 * window, segment size, what is in flight there, and whether losses there are being repaired. A
 * move selects another instance; the connection's sequence space stays.
 */
public final class PathState {
  /** Loss repair on this path. */
  public enum Phase {
    OPEN,
    /** Fast recovery: the window was reduced and does not grow. */
    RECOVERY,
    /** After a time-out: slow start from one segment. */
    LOSS
  }

  private static final int DUP_THRESH = 3;

  public final LocatorPair pair;
  public final RttEstimator rtt;
  public final CongestionControl congestion;

  long inFlightBytes;
  private long lastSentNanos = -1;
  private long lastOrder = -1;

  /** What arrives and was sent later than this ends the round trip. */
  private long roundOrder = -1;

  private boolean roundEnded;
  private final AckSample ack = new AckSample();

  private final long[] latestDelivered = {-1, -1, -1};
  private Phase phase = Phase.OPEN;
  private int recoveryPoint;
  private final ProportionalRate rate = new ProportionalRate();
  private long reducedAtOrder = -1;
  private long assumedDeliveredBytes;
  private long newlyDeliveredBytes;
  private boolean windowLimited;
  private boolean retransmitDue;
  private boolean rescued;
  private int segmentBytes;
  private int mssBytes;

  public PathState(
      LocatorPair pair,
      RttEstimator rtt,
      CongestionControl congestion,
      int segmentBytes,
      int mssBytes) {
    this.pair = pair;
    this.rtt = rtt;
    this.congestion = congestion;
    this.segmentBytes = segmentBytes;
    this.mssBytes = mssBytes;
  }

  /** Octets of payload and TCP options that fit a packet on this path. */
  public int segmentBytes() {
    return segmentBytes;
  }

  /** Most octets of payload in one segment, SACK blocks apart. */
  public int mssBytes() {
    return mssBytes;
  }

  /** Follows the path MTU and what the two sides agreed on; true when less fits than before. */
  public boolean fit(int newSegmentBytes, int newMssBytes) {
    if (segmentBytes == newSegmentBytes && mssBytes == newMssBytes) {
      return false;
    }
    boolean smaller = newMssBytes < mssBytes;
    segmentBytes = newSegmentBytes;
    mssBytes = newMssBytes;
    congestion.mss(newMssBytes);
    return smaller;
  }

  /** Sent on this path and neither acknowledged nor taken for lost. */
  public long inFlightBytes() {
    return inFlightBytes;
  }

  /** {@code pipe} of RFC 6675 §2; without SACK, each duplicate ACK stands for one segment. */
  public long pipeBytes() {
    return Math.max(0, inFlightBytes - assumedDeliveredBytes);
  }

  /** When anything was last sent on it, or -1. */
  public long lastSentNanos() {
    return lastSentNanos;
  }

  public Phase phase() {
    return phase;
  }

  /** The recovery ends when everything before this is acknowledged. */
  public int recoveryPoint() {
    return recoveryPoint;
  }

  /**
   * The window is reduced once per window of data (RFC 6675 §5 (4)).
   *
   * @param flightBytes FlightSize (RFC 5681 §2) on this path
   * @param newlyDelivered by the acknowledgement that showed the loss; 0 when a timer did
   */
  void enterRecovery(long nowNanos, int sndNxt, long flightBytes, long newlyDelivered) {
    congestion.saveForUndo();
    congestion.onCongestionEvent(nowNanos, flightBytes, CongestionControl.Cause.LOSS);
    rate.start(pipeBytes() + newlyDelivered);
    reducedAtOrder = lastOrder;
    phase = Phase.RECOVERY;
    recoveryPoint = sndNxt;
    retransmitDue = true;
    rescued = false;
  }

  /**
   * The retransmission {@code order} is lost as well. When it was sent after the last reduction,
   * that is another sign of congestion (RFC 5681 §4.3), at most one a round trip.
   */
  void onRetransmissionLost(long nowNanos, long order, long flightBytes) {
    if (phase == Phase.RECOVERY && order > reducedAtOrder) {
      congestion.onCongestionEvent(nowNanos, flightBytes, CongestionControl.Cause.LOSS);
      rate.start(pipeBytes() + newlyDeliveredBytes);
      reducedAtOrder = lastOrder;
    }
  }

  /**
   * An acknowledgement came while losses are repaired.
   *
   * @param deliveredBytes newly delivered on this path
   * @param safe true when it advances {@code SND.UNA} and shows no further loss
   */
  public void onRecoveryAck(long deliveredBytes, boolean safe) {
    if (phase == Phase.RECOVERY) {
      rate.onAck(deliveredBytes, pipeBytes(), congestion.ssthreshBytes(), mssBytes, safe);
    }
  }

  /** How much may be in flight now. */
  public long windowBytes() {
    return phase == Phase.RECOVERY ? rate.windowBytes() : congestion.cwndBytes();
  }

  void onSent(int bytes, long nowNanos, long order) {
    inFlightBytes += bytes;
    lastSentNanos = nowNanos;
    lastOrder = order;
    rate.onSent(bytes);
  }

  /** The retransmission timer of this path expired (RFC 6298 (5.4) to (5.6)). */
  public void onTimeout(long nowNanos, int sndNxt, long flightBytes) {
    if (phase == Phase.OPEN) {
      congestion.saveForUndo();
    }
    congestion.onTimeout(nowNanos, flightBytes, !rtt.isBackedOff());
    rtt.backOff();
    phase = Phase.LOSS;
    recoveryPoint = sndNxt;
    assumedDeliveredBytes = 0;
    retransmitDue = true;
    rescued = false;
  }

  /** The timer expired while the other side takes nothing: the head goes out as a probe. */
  public void onClosedWindowTimeout() {
    rtt.backOff();
    retransmitDue = true;
  }

  /** Ends the recovery when {@code sndUna} has reached its end. */
  public void onCumulativeAck(int sndUna) {
    if (phase != Phase.OPEN && Seq.geq(sndUna, recoveryPoint)) {
      phase = Phase.OPEN;
      assumedDeliveredBytes = 0;
      retransmitDue = false;
    }
  }

  /** The path is entered again after it had been left: nothing of the past is pending. */
  public void reenter(long nowNanos) {
    phase = Phase.OPEN;
    assumedDeliveredBytes = 0;
    retransmitDue = false;
    windowLimited = false;
    rtt.clearBackOff();
    onSendingStarts(nowNanos);
  }

  /** Something is about to be sent, and nothing is in flight. */
  public void onSendingStarts(long nowNanos) {
    if (lastSentNanos >= 0) {
      congestion.onIdle(nowNanos, nowNanos - lastSentNanos, rtt.rtoNanos());
    }
  }

  /** All that may be sent now was sent. */
  public void onOutput(long nowNanos) {
    congestion.onOutput(nowNanos, pipeBytes(), windowLimited, rtt.rtoNanos());
  }

  /**
   * An acknowledgement was taken in.
   *
   * @param deliveredBytes newly delivered on this path, at least 1
   * @param rttNanos round-trip time of what was sent last of it, or -1
   * @param inRecovery true when fast recovery was under way before it or is after it
   */
  public void onAck(long nowNanos, long deliveredBytes, long rttNanos, boolean inRecovery) {
    ack.nowNanos = nowNanos;
    ack.deliveredBytes = deliveredBytes;
    ack.rttNanos = rttNanos;
    ack.srttNanos = rtt.srttNanos();
    ack.roundEnded = roundEnded;
    ack.inRecovery = inRecovery;
    roundEnded = false;
    newlyDeliveredBytes = 0;
    congestion.onAck(ack);
  }

  /** Notes that so much arrived, of whichever transmission. */
  void delivered(int bytes) {
    newlyDeliveredBytes += bytes;
  }

  /** Delivered by the acknowledgement that is being taken in. */
  long newlyDeliveredBytes() {
    return newlyDeliveredBytes;
  }

  /** Notes that the transmission {@code order} arrived. */
  void delivered(long order, int segments) {
    if (order > roundOrder) {
      roundOrder = lastOrder;
      roundEnded = true;
    }
    for (int n = 0; n < Math.min(segments, DUP_THRESH); n++) {
      int i = 0;
      while (i < DUP_THRESH && latestDelivered[i] >= order) {
        i++;
      }
      for (int j = DUP_THRESH - 1; j > i; j--) {
        latestDelivered[j] = latestDelivered[j - 1];
      }
      if (i < DUP_THRESH) {
        latestDelivered[i] = order;
      }
    }
  }

  /** Transmissions before this one have been overtaken by at least three on this path. */
  long overtakenBefore() {
    return latestDelivered[DUP_THRESH - 1];
  }

  long assumedDeliveredBytes() {
    return assumedDeliveredBytes;
  }

  void assumedDeliveredBytes(long bytes) {
    assumedDeliveredBytes = Math.max(0, bytes);
  }

  /** True when the congestion window, not the user or the peer, last held the sender back. */
  public boolean isWindowLimited() {
    return windowLimited;
  }

  public void windowLimited(boolean limited) {
    windowLimited = limited;
  }

  void demandRetransmit() {
    retransmitDue = true;
  }

  /** One retransmission goes out whatever the window says (RFC 6675 §5 (4.3)); asks once. */
  public boolean takeRetransmitDue() {
    boolean due = retransmitDue;
    retransmitDue = false;
    return due;
  }

  public boolean isRetransmitDue() {
    return retransmitDue;
  }

  /** RFC 6675 §4 NextSeg (4): one rescue retransmission per recovery; asks once. */
  public boolean takeRescue() {
    if (phase != Phase.RECOVERY || rescued) {
      return false;
    }
    rescued = true;
    return true;
  }

  @Override
  public String toString() {
    return pair + " cwnd " + congestion.cwndBytes() + " in flight " + inFlightBytes;
  }
}

package org.ilnp4j.tcp.recovery;

import org.ilnp4j.ilnp.LocatorPair;
import org.ilnp4j.tcp.congestion.AckSample;
import org.ilnp4j.tcp.congestion.CongestionControl;
import org.ilnp4j.tcp.congestion.Pacer;
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

  /** A window leaves in so many batches at least: bursts fit short queues, and keep it in use. */
  private static final int WINDOW_BATCHES = 16;

  public final LocatorPair pair;
  public final RttEstimator rtt;
  public final CongestionControl congestion;

  private final Pacer pacer = new Pacer();

  /** Null when the congestion control does not ask for it. */
  private final DeliveryRate deliveryRate;

  long inFlightBytes;
  private long lastSentNanos = -1;
  private long lastOrder = -1;

  /** All in flight here, by the time of transmission. */
  private SentSegment oldest;

  private SentSegment newest;
  private int sackedSegments;
  private long sackedBytes;
  final Rack rack = new Rack(this);
  final Undo undo = new Undo(this);

  /** What arrives and was sent later than this ends the round trip. */
  private long roundOrder = -1;

  private boolean roundEnded;
  private final AckSample ack = new AckSample();
  private Phase phase = Phase.OPEN;
  private int recoveryPoint;

  /** The window comes down after a mark, until everything before {@link #markPoint} is heard of. */
  private boolean reducing;

  private int markPoint;
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
    deliveryRate = congestion.needsDeliveryRate() ? new DeliveryRate() : null;
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

  /** Looks for losses; see {@link Rack#detect}. */
  public long detectLosses(long nowNanos, RetransmitQueue queue, int sndNxt) {
    return rack.detect(nowNanos, queue, sndNxt);
  }

  /** A D-SACK came for something sent here. */
  public void onDsack(int sndUna, int sndNxt) {
    rack.onDsack(sndUna, sndNxt);
  }

  /**
   * True when an acknowledgement shows that the last reduction had no reason. Call once for each.
   *
   * @param advanced it advances {@code SND.UNA}
   */
  public boolean isReductionSpurious(Delivery delivery, boolean advanced) {
    return (advanced && undo.isShownByEcho(delivery)) || undo.isShownByDsack(delivery);
  }

  /** True when a time-out now takes {@code s} for lost (RFC 8985 §6.3). */
  public boolean isOverdue(long nowNanos, SentSegment s) {
    return rack.isOverdue(nowNanos, s);
  }

  /** True once an original overtook another on this path. */
  public boolean isReorderingSeen() {
    return rack.isReorderingSeen();
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
    undo.onReduction();
    if (!reducing) { // else it has been reduced for this window of data
      congestion.onCongestionEvent(nowNanos, flightBytes, CongestionControl.Cause.LOSS);
      rate.start(pipeBytes() + newlyDelivered);
    }
    reducing = false;
    reducedAtOrder = lastOrder;
    phase = Phase.RECOVERY;
    recoveryPoint = sndNxt;
    retransmitDue = true;
    rescued = false;
  }

  /**
   * {@code s}, in flight till now, is lost. The first loss of a window of data begins the recovery.
   * A lost retransmission that was sent after the last reduction is another sign of congestion (RFC
   * 5681 §4.3), at most one a round trip.
   */
  void onLoss(long nowNanos, SentSegment s, int sndNxt) {
    if (s.isSizeProbe()) {
      return; // it was too large, most likely (RFC 8899 §3)
    }
    noteLost(nowNanos, s);
    if (phase == Phase.OPEN) {
      enterRecovery(nowNanos, sndNxt, flightBytes(), newlyDeliveredBytes);
    } else if (phase == Phase.RECOVERY && s.isRetransmitted() && s.order > reducedAtOrder) {
      undo.forget();
      congestion.onCongestionEvent(nowNanos, inFlightBytes, CongestionControl.Cause.LOSS);
      rate.start(pipeBytes() + newlyDeliveredBytes);
      reducedAtOrder = lastOrder;
    }
  }

  private void noteLost(long nowNanos, SentSegment s) {
    if (deliveryRate != null && s.stamp != null) {
      long since = deliveryRate.onLost(s);
      congestion.onLost(nowNanos, s.length, s.stamp.flightBytes(), since, s.stamp.isAppLimited());
    }
  }

  /** FlightSize of RFC 5681 §2: what is not acknowledged, but for what is lost. */
  private long flightBytes() {
    return inFlightBytes + sackedBytes;
  }

  /**
   * Something sent here was marked (RFC 3168 §6.1.2). The window is reduced as for a loss, and what
   * leaves follows what is delivered, but nothing is to be repaired.
   */
  public void onMark(long nowNanos, int sndNxt) {
    undo.forget();
    congestion.onCongestionEvent(nowNanos, flightBytes(), CongestionControl.Cause.MARK);
    rate.start(pipeBytes() + newlyDeliveredBytes);
    reducing = true;
    markPoint = sndNxt;
  }

  /** The window was reduced for a mark and does not grow in this round trip. */
  public boolean isReducing() {
    return reducing;
  }

  /**
   * An acknowledgement came while losses are repaired, or after a mark.
   *
   * @param deliveredBytes newly delivered on this path
   * @param safe true when it advances {@code SND.UNA} and shows no further loss
   */
  public void onRecoveryAck(long deliveredBytes, boolean safe) {
    if (phase == Phase.RECOVERY || reducing) {
      rate.onAck(deliveredBytes, pipeBytes(), congestion.ssthreshBytes(), mssBytes, safe);
    }
  }

  /** How much may be in flight now. */
  public long windowBytes() {
    boolean proportional = phase == Phase.RECOVERY || reducing;
    return proportional && congestion.reducesRateInRecovery()
        ? rate.windowBytes()
        : congestion.cwndBytes();
  }

  /** Output begins: fits the pace to what is known now. */
  public void startOutput(long nowNanos) {
    long srtt = rtt.srttNanos();
    pacer.rate(nowNanos, congestion.pacingRate(srtt), srtt, mssBytes);
  }

  /**
   * When the next segment may leave as far as pacing is concerned: {@code nowNanos}, or a later
   * time.
   */
  public long nextSendNanos(long nowNanos) {
    return pacer.budgetBytes(nowNanos) > 0
        ? nowNanos
        : Math.max(nowNanos + 1, pacer.nextSendNanos(nowNanos));
  }

  /**
   * Octets that may leave together now as far as window and pacing are concerned; the last segment
   * may be larger than what is left of the pace.
   */
  public long batchBytes(long nowNanos) {
    return Math.min(windowBytes() - pipeBytes(), pacer.budgetBytes(nowNanos));
  }

  /**
   * Whether new data had better wait for the next acknowledgement, and leave with what that lets go
   * as one batch: fewer and larger packets cost both hosts less. It waits only while most of the
   * window is under way and some of that is due to be acknowledged.
   *
   * @param roomBytes what both windows let go now
   * @param windowBytes the smaller of both
   * @param unsentBytes what there is to send
   * @param deviceBytes most the device takes at once; 0 when it takes single segments
   */
  public boolean isBatchAwaited(
      long nowNanos, long roomBytes, long windowBytes, long unsentBytes, long deviceBytes) {
    if (phase != Phase.OPEN
        || reducing
        || oldest == null
        || nowNanos - oldest.sentNanos() < rtt.srttNanos() / 2) {
      return false;
    }
    long batch = Math.min(pacer.batchBytes(deviceBytes), windowBytes / WINDOW_BATCHES);
    return roomBytes + mssBytes <= Math.min(unsentBytes, batch);
  }

  void onSent(SentSegment s, long nowNanos) {
    pacer.onSent(nowNanos, s.length);
    undo.onSent(s);
    inFlightBytes += s.length;
    if (deliveryRate != null) {
      deliveryRate.onSent(nowNanos, s, inFlightBytes);
    }
    lastSentNanos = nowNanos;
    lastOrder = s.order;
    rate.onSent(s.length);
    link(s, newest);
  }

  /** Files {@code s} behind {@code before}, which is null for the head. */
  void link(SentSegment s, SentSegment before) {
    s.earlier = before;
    s.later = before == null ? oldest : before.later;
    if (s.earlier == null) {
      oldest = s;
    } else {
      s.earlier.later = s;
    }
    if (s.later == null) {
      newest = s;
    } else {
      s.later.earlier = s;
    }
  }

  void onLeftFlight(SentSegment s) {
    inFlightBytes -= s.length;
    if (s.earlier == null) {
      oldest = s.later;
    } else {
      s.earlier.later = s.later;
    }
    if (s.later == null) {
      newest = s.earlier;
    } else {
      s.later.earlier = s.earlier;
    }
    s.earlier = null;
    s.later = null;
  }

  void onBackInFlight(SentSegment s) {
    inFlightBytes += s.length;
    SentSegment before = newest;
    while (before != null && before.order > s.order) {
      before = before.earlier;
    }
    link(s, before);
  }

  /** What was sent first of all that is in flight here, or null. */
  public SentSegment oldestInFlight() {
    return oldest;
  }

  void onSacked(SentSegment s) {
    sackedSegments += s.sackedSegments;
    sackedBytes += s.length;
  }

  void onSackForgotten(SentSegment s) {
    sackedSegments -= s.sackedSegments;
    sackedBytes -= s.length;
  }

  void onSackTrimmed(int bytes) {
    sackedBytes -= bytes;
  }

  /** Segments last sent here that the other side has out of order. */
  public int sackedSegments() {
    return sackedSegments;
  }

  /** The retransmission timer of this path expired (RFC 6298 (5.4) to (5.6)). */
  public void onTimeout(long nowNanos, int sndNxt, long flightBytes) {
    if (phase == Phase.OPEN) {
      undo.onReduction();
    } else if (phase == Phase.LOSS) {
      undo.forget();
    }
    // During fast recovery the window has been reduced for these losses already.
    boolean first = phase == Phase.OPEN || (phase == Phase.LOSS && !rtt.isBackedOff());
    congestion.onTimeout(nowNanos, flightBytes, first);
    rtt.backOff();
    reducing = false;
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
    if (reducing && Seq.geq(sndUna, markPoint)) {
      reducing = false;
    }
    if (phase != Phase.OPEN && Seq.geq(sndUna, recoveryPoint)) {
      endRecovery();
    }
  }

  private void endRecovery() {
    phase = Phase.OPEN;
    assumedDeliveredBytes = 0;
    retransmitDue = false;
    congestion.onRecoveryEnd();
    rack.onRecoveryEnd();
  }

  /** Nothing had been lost: window and phase are what they were. */
  public void undoRecovery() {
    undo.run();
    rtt.clearBackOff();
    if (phase != Phase.OPEN) {
      endRecovery();
    }
  }

  /**
   * Originals arrive after a time-out (RFC 5682): what seemed to be the repetition's arrival was
   * its original's, and shows nothing of what was sent before it.
   */
  public void forgetArrivals() {
    rack.forgetArrivals();
  }

  /**
   * A loss was repaired before anybody noticed (RFC 8985 §7.4.2): the window is reduced, and there
   * is nothing to repair.
   */
  public void onRepairedLoss(long nowNanos) {
    congestion.onCongestionEvent(nowNanos, congestion.cwndBytes(), CongestionControl.Cause.LOSS);
  }

  /** The path is entered again after it had been left: nothing of the past is pending. */
  public void reenter(long nowNanos) {
    undo.onEntered();
    phase = Phase.OPEN;
    reducing = false;
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
    if (deliveryRate != null && !windowLimited && nextSendNanos(nowNanos) <= nowNanos) {
      deliveryRate.onAppLimited(pipeBytes());
    }
  }

  /**
   * An acknowledgement was taken in.
   *
   * @param deliveredBytes newly delivered on this path, at least 1
   * @param rttNanos round-trip time of what was sent last of it, or -1
   * @param held see {@link AckSample#held}
   */
  public void onAck(long nowNanos, long deliveredBytes, long rttNanos, boolean held) {
    ack.nowNanos = nowNanos;
    ack.deliveredBytes = deliveredBytes;
    ack.rttNanos = rttNanos;
    ack.srttNanos = rtt.srttNanos();
    ack.roundEnded = roundEnded;
    ack.held = held;
    ack.inFlightBytes = pipeBytes();
    if (deliveryRate != null) {
      deliveryRate.fill(ack, rtt.minRttNanos());
    }
    roundEnded = false;
    newlyDeliveredBytes = 0;
    congestion.onAck(ack);
  }

  /**
   * {@code s}, or the first {@code bytes} of it, arrived.
   *
   * @param last false when an earlier transmission than the last must be what arrived
   */
  void onDelivered(long nowNanos, SentSegment s, int bytes, boolean last) {
    newlyDeliveredBytes += bytes;
    if (deliveryRate != null) {
      deliveryRate.onDelivered(nowNanos, s, bytes, last);
    }
    if (last && s.order > roundOrder) {
      roundOrder = lastOrder;
      roundEnded = true;
    }
    rack.onDelivered(nowNanos, s, s.seq + bytes, last);
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

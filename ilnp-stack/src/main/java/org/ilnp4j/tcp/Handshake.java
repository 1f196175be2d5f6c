package org.ilnp4j.tcp;

import org.ilnp4j.ilnp.LocatorPair;
import org.ilnp4j.tcp.recovery.PathState;
import org.ilnp4j.tcp.recovery.RttEstimator;
import org.ilnp4j.time.NanoClock;
import org.ilnp4j.util.Seq;
import org.ilnp4j.wire.TcpHeader;

/**
 * A connection's first exchange: SYN and its repetition, what the two SYNs agree on, and the choice
 * between ILNP and classic mode. Gone once the connection is established.
 */
final class Handshake {
  /** RFC 9293 §3.8.3: a SYN is tried for three minutes at least; 183 s with this many repeats. */
  static final int SYN_REPEATS = 7;

  static final int SYN_ACK_REPEATS = 5;

  /** Silence after which a peer with a proven entry may have lost its memory. */
  static final int SHARED_REPEATS = 2;

  /** Silence after which a peer not proven is tried without nonce (RFC 6744 §6). */
  static final long CLASSIC_FALLBACK_NANOS = NanoClock.seconds(3);

  /** "No way there" this often in answer to SYN: nothing to wait for. */
  private static final int SOFT_ERRORS = 3;

  final boolean passive;

  /** Where the other side's SYN came in (passive open): the answer leaves from there. */
  private final long synLocalL64;

  boolean synDue = true;

  /** What our SYN may carry: what the configuration allows, and the other side's SYN had. */
  boolean offerScale;

  boolean offerSack;
  boolean offerTimestamps;
  boolean offerEcn;

  /** Each SYN of ours so far had what {@link #offerEcn} says. */
  private boolean ecnOffered = true;

  private int transmissions;

  /** Time-outs in a row on this path. */
  private int timeouts;

  private long sentNanos;
  private int sentTsVal;
  private PathState sentOn;
  private int softErrors;

  private Handshake(TcpConfig config, boolean passive, long synLocalL64, boolean offerEcn) {
    this.passive = passive;
    this.synLocalL64 = synLocalL64;
    this.offerEcn = offerEcn;
    offerScale = config.windowScaling();
    offerSack = config.sack();
    offerTimestamps = config.timestamps();
  }

  static Handshake active(TcpConfig config) {
    return new Handshake(config, false, 0, config.ecn() == EcnMode.ON);
  }

  static Handshake passive(TcpConfig config, long synLocalL64) {
    return new Handshake(config, true, synLocalL64, config.ecn() != EcnMode.OFF);
  }

  /**
   * The pair to answer on: the other side may know us by the Locator it wrote to and no other, and
   * has no nonce of ours yet to learn another one by.
   */
  LocatorPair pair(Tcb tcb, LocatorPair chosen) {
    if (!passive || chosen.localL64() == synLocalL64) {
      return chosen;
    }
    LocatorPair answered = new LocatorPair(synLocalL64, chosen.remoteL64());
    return tcb.route.isUsable(answered) ? answered : chosen;
  }

  /**
   * The ECN flags of our SYN or, {@code answer}, SYN-ACK. Some middleboxes drop SYNs that have any:
   * the first one that is not answered is the last one (RFC 3168 §6.1.1.1).
   */
  int takeEcnFlags(boolean answer) {
    if (!offerEcn || timeouts > 0) {
      ecnOffered = false;
      return 0;
    }
    return answer ? TcpHeader.ECE : TcpHeader.ECE | TcpHeader.CWR;
  }

  /** Null when the two SYNs did not agree on ECN. */
  Ecn ecn(Tcb tcb) {
    return offerEcn ? new Ecn(tcb, ecnOffered) : null;
  }

  int transmissions() {
    return transmissions;
  }

  /** SYN or SYN-ACK left. */
  void onSent(long nowNanos, Tcb tcb, PathState path, int tsVal) {
    synDue = false;
    transmissions++;
    sentNanos = nowNanos;
    sentTsVal = tsVal;
    sentOn = path;
    long rto =
        Math.min(
            RttEstimator.MAX_RTO_NANOS, RttEstimator.INITIAL_RTO_NANOS << Math.min(timeouts, 6));
    tcb.timers.arm(TimerKind.RETRANSMIT, nowNanos + rto);
  }

  /** No answer in time; true when there is no point in trying on. */
  boolean onTimeout() {
    synDue = true;
    return ++timeouts > (passive ? SYN_ACK_REPEATS : SYN_REPEATS);
  }

  /** On another path the SYN goes out at once, and patiently again. */
  void onPathChange() {
    synDue = true;
    timeouts = 0;
  }

  int timeouts() {
    return timeouts;
  }

  /** True when the error came often enough. */
  boolean noteSoftError() {
    return ++softErrors >= SOFT_ERRORS;
  }

  boolean hasSoftError() {
    return softErrors > 0;
  }

  /** Our SYN was acknowledged: the first RTT sample (RFC 6298 §2, (5.7)). */
  void sample(long nowNanos, Tcb tcb, TcpHeader h) {
    if (sentOn == null) {
      return;
    }
    if (transmissions == 1) {
      sentOn.rtt.onSample(nowNanos - sentNanos);
    } else if (h.hasTimestamps && tcb.snd.timestamps && Seq.geq(h.tsEcr, sentTsVal)) {
      sentOn.rtt.onSample(nowNanos - sentNanos);
    } else {
      sentOn.rtt.onSynRetransmitted();
    }
  }
}

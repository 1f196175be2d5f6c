package org.ilnp4j.tcp.congestion;

import org.ilnp4j.time.NanoClock;

/**
 * BBR version 3 (draft-ietf-ccwg-bbr): a model of the path, made of the bandwidth it delivers and
 * the RTT it has without a queue, decides rate and volume; loss bounds the model and does not
 * replace it. The methods follow the draft's pseudo-code step by step; where it calls for chance,
 * the bits of the clock serve, so that a run repeats exactly. Bandwidths in octets per second.
 *
 * <p>It needs pacing, delivery rate samples, and a peer with SACK. The draft leaves open what a
 * mark does; here it counts as more loss than is borne.
 */
public final class Bbr implements CongestionControl {
  private enum State {
    STARTUP,
    DRAIN,
    PROBE_DOWN,
    PROBE_CRUISE,
    PROBE_REFILL,
    PROBE_UP,
    PROBE_RTT
  }

  private enum AckPhase {
    INIT,
    REFILLING,
    PROBE_STARTING,
    PROBE_FEEDBACK,
    PROBE_STOPPING
  }

  private static final double STARTUP_PACING_GAIN = 2.77;
  private static final double DRAIN_PACING_GAIN = 0.5;
  private static final double DOWN_PACING_GAIN = 0.9;
  private static final double UP_PACING_GAIN = 1.25;
  private static final double CWND_GAIN = 2;
  private static final double UP_CWND_GAIN = 2.25;
  private static final double PROBE_RTT_CWND_GAIN = 0.5;

  /** The rate stays this much below the bandwidth, so that no queue stands. */
  private static final double PACING_MARGIN = 0.99;

  private static final double LOSS_THRESH = 0.02;
  private static final double BETA = 0.7;
  private static final double HEADROOM = 0.15;
  private static final int MIN_PIPE_SEGMENTS = 4;
  private static final int FULL_BW_ROUNDS = 3;
  private static final int FULL_LOSS_EVENTS = 6;
  private static final int DRAIN_ROUNDS = 3;
  private static final int MOST_RENO_ROUNDS = 63;
  private static final long MIN_RTT_FILTER_NANOS = NanoClock.seconds(10);
  private static final long PROBE_RTT_INTERVAL_NANOS = NanoClock.seconds(5);
  private static final long PROBE_RTT_NANOS = NanoClock.millis(200);
  private static final long NONE = Long.MAX_VALUE;
  private static final double NANOS = 1e9;

  private int mss;
  private long cwnd;
  private double rate;
  private State state = State.STARTUP;
  private double pacingGain = STARTUP_PACING_GAIN;
  private double cwndGain = CWND_GAIN;
  private boolean windowLimited;
  private boolean inRecovery;
  private long priorCwnd;

  // Rounds.
  private long delivered;
  private long nextRoundDelivered;
  private boolean roundStart;
  private int roundCount;
  private int drainStartRound;
  private int roundsSinceProbeUp;

  // Bandwidth: of the last cycle and of this one; then what losses allow of it.
  private double maxBwBefore;
  private double maxBwNow;
  private double bwShortTerm = Double.MAX_VALUE;
  private double bw;

  // Volume that losses allow.
  private long inFlightShortTerm = NONE;
  private long inFlightLongTerm = NONE;

  // Full pipe.
  private double fullBw;
  private int fullBwCount;
  private boolean fullBwNow;
  private boolean fullBwReached;

  // Probing.
  private AckPhase ackPhase = AckPhase.INIT;
  private long cycleNanos;
  private long probeWaitNanos;
  private long probeUpAckedPerInc = NONE;
  private long probeUpAcked;
  private int probeUpRounds;
  private boolean probeSample;
  private boolean probeTooHigh;
  private boolean probePrecautionary;

  // Congestion of the last round.
  private boolean lossInRound;
  private int lossEvents;
  private long lastLossNanos = -1;
  private long lossRoundDelivered;
  private boolean lossRoundStart;
  private double bwLatest;
  private long inFlightLatest;

  private final AckAggregation aggregation = new AckAggregation();

  // RTT.
  private long minRttNanos = NONE;
  private long minRttAtNanos;
  private long probeRttMinNanos = NONE;
  private long probeRttMinAtNanos;
  private boolean probeRttExpired;
  private long probeRttDoneNanos = -1;
  private boolean probeRttRoundDone;
  private long discountedUntilDelivered;
  private boolean idleRestart;

  // What a spurious recovery brings back.
  private State undoState;
  private double undoBwShortTerm;
  private long undoInFlightShortTerm;
  private long undoInFlightLongTerm;

  public Bbr(int mssBytes) {
    mss = mssBytes;
    cwnd = initialWindow();
  }

  private long initialWindow() {
    return WindowBased.initialWindow(mss);
  }

  @Override
  public String name() {
    return "bbr";
  }

  @Override
  public long cwndBytes() {
    return cwnd;
  }

  /** There is none: the model bounds the window. */
  @Override
  public long ssthreshBytes() {
    return Long.MAX_VALUE;
  }

  @Override
  public boolean inSlowStart() {
    return state == State.STARTUP;
  }

  @Override
  public boolean needsDeliveryRate() {
    return true;
  }

  @Override
  public boolean reducesRateInRecovery() {
    return false;
  }

  @Override
  public long pacingRate(long srttNanos) {
    if (rate > 0) {
      return (long) rate;
    }
    return srttNanos <= 0
        ? Pacer.UNLIMITED
        : (long) (STARTUP_PACING_GAIN * initialWindow() * NANOS / srttNanos);
  }

  @Override
  public void mss(int mssBytes) {
    if (mssBytes < mss) {
      cwnd = Math.max((long) MIN_PIPE_SEGMENTS * mssBytes, cwnd / mss * mssBytes);
    }
    mss = mssBytes;
  }

  @Override
  public void onOutput(long nowNanos, long flightBytes, boolean limited, long rtoNanos) {
    windowLimited = limited;
  }

  @Override
  public void onIdle(long nowNanos, long idleNanos, long rtoNanos) {
    idleRestart = true;
    aggregation.restart(nowNanos);
    if (isProbingBw()) {
      setRate(1);
    } else if (state == State.PROBE_RTT) {
      checkProbeRttDone(nowNanos);
    }
  }

  // ---- acknowledgements -----------------------------------------------------------------------

  @Override
  public void onAck(AckSample a) {
    delivered = a.totalDelivered;
    boolean appLimited = a.appLimited || a.priorDelivered < discountedUntilDelivered;
    updateLatestSignals(a);
    updateCongestionSignals(a, appLimited);
    aggregation.onAck(a, bw, cwnd, roundCount, fullBwReached);
    checkFullBw(a, appLimited);
    checkStartupDone();
    checkDrainDone(a);
    updateCycle(a, appLimited);
    updateMinRtt(a);
    checkProbeRtt(a);
    if (lossRoundStart) {
      bwLatest = a.rate;
      inFlightLatest = a.sampleDelivered;
    }
    bw = Math.min(maxBw(), bwShortTerm);
    setRate(pacingGain);
    setCwnd(a);
  }

  private double maxBw() {
    return Math.max(maxBwBefore, maxBwNow);
  }

  private void updateLatestSignals(AckSample a) {
    lossRoundStart = false;
    bwLatest = Math.max(bwLatest, a.rate);
    inFlightLatest = Math.max(inFlightLatest, a.sampleDelivered);
    if (a.priorDelivered >= lossRoundDelivered) {
      lossRoundDelivered = delivered;
      lossRoundStart = true;
    }
  }

  private void updateCongestionSignals(AckSample a, boolean appLimited) {
    roundStart = a.priorDelivered >= nextRoundDelivered;
    if (roundStart) {
      nextRoundDelivered = delivered;
      roundCount++;
      roundsSinceProbeUp++;
    }
    if (a.rate > 0 && (a.rate >= maxBw() || !appLimited)) {
      maxBwNow = Math.max(maxBwNow, a.rate);
    }
    if (!lossRoundStart) {
      return;
    }
    boolean accelerating =
        state == State.STARTUP || state == State.PROBE_REFILL || state == State.PROBE_UP;
    if (lossInRound && !accelerating) {
      double bwBound = bwShortTerm == Double.MAX_VALUE ? maxBw() : bwShortTerm;
      long volume = inFlightShortTerm == NONE ? cwnd : inFlightShortTerm;
      bwShortTerm = Math.max(bwLatest, BETA * bwBound);
      inFlightShortTerm = Math.max(inFlightLatest, (long) (BETA * volume));
    }
    if (state == State.STARTUP && lossInRound) {
      checkStartupLoss(a);
    }
    lossInRound = false;
    lossEvents = 0;
  }

  private void resetFullBw(double baseline) {
    fullBw = baseline;
    fullBwCount = 0;
    fullBwNow = false;
  }

  private void checkFullBw(AckSample a, boolean appLimited) {
    if (fullBwNow || !roundStart || appLimited) {
      return;
    }
    if (a.rate >= fullBw * 1.25) {
      resetFullBw(a.rate);
      return;
    }
    fullBwCount++;
    fullBwNow = fullBwCount >= FULL_BW_ROUNDS;
    fullBwReached |= fullBwNow;
  }

  // ---- startup and drain ----------------------------------------------------------------------

  /** A round of recovery with many losses says as much as a plateau. */
  private void checkStartupLoss(AckSample a) {
    if (inRecovery && lossEvents >= FULL_LOSS_EVENTS && isTooHigh(a.lostSinceSent, a.txInFlight)) {
      undoState = State.STARTUP;
      fullBwReached = true;
      inFlightLongTerm = Math.max(bdp(1), inFlightLatest);
    }
  }

  private void checkStartupDone() {
    if (state == State.STARTUP && fullBwReached) {
      enter(State.DRAIN, DRAIN_PACING_GAIN, CWND_GAIN);
      drainStartRound = roundCount;
    }
  }

  private void checkDrainDone(AckSample a) {
    if (state == State.DRAIN
        && (a.inFlightBytes <= budgeted(bdp(1)) || roundCount > drainStartRound + DRAIN_ROUNDS)) {
      startDown(a.nowNanos);
    }
  }

  private void enter(State next, double pacing, double window) {
    state = next;
    pacingGain = pacing;
    cwndGain = window;
  }

  // ---- probing for bandwidth ------------------------------------------------------------------

  private boolean isProbingBw() {
    return state == State.PROBE_DOWN
        || state == State.PROBE_CRUISE
        || state == State.PROBE_REFILL
        || state == State.PROBE_UP;
  }

  private void startDown(long nowNanos) {
    lossInRound = false;
    lossEvents = 0;
    bwLatest = 0;
    inFlightLatest = 0;
    probeUpAckedPerInc = NONE;
    pickProbeWait(nowNanos);
    cycleNanos = nowNanos;
    ackPhase = AckPhase.PROBE_STOPPING;
    nextRoundDelivered = delivered;
    enter(State.PROBE_DOWN, DOWN_PACING_GAIN, CWND_GAIN);
  }

  /** Two to three seconds, so that flows do not probe together. */
  private void pickProbeWait(long nowNanos) {
    long mixed = nowNanos * 0x9e3779b97f4a7c15L;
    roundsSinceProbeUp = (int) (mixed >>> 63);
    probeWaitNanos = NanoClock.seconds(2) + (mixed >>> 20) % NanoClock.seconds(1);
  }

  private void startRefill() {
    bwShortTerm = Double.MAX_VALUE;
    inFlightShortTerm = NONE;
    probeUpRounds = 0;
    probeUpAcked = 0;
    probePrecautionary = false;
    ackPhase = AckPhase.REFILLING;
    nextRoundDelivered = delivered;
    enter(State.PROBE_REFILL, 1, CWND_GAIN);
  }

  private void startUp(AckSample a) {
    ackPhase = AckPhase.PROBE_STARTING;
    nextRoundDelivered = delivered;
    resetFullBw(a.rate);
    enter(State.PROBE_UP, UP_PACING_GAIN, UP_CWND_GAIN);
    raiseSlope();
  }

  private void updateCycle(AckSample a, boolean appLimited) {
    if (!fullBwReached || adaptLongTerm(a, appLimited)) {
      return;
    }
    switch (state) {
      case PROBE_DOWN -> {
        if (isTimeToProbe(a.nowNanos)) {
          startRefill();
        } else if (a.inFlightBytes <= withHeadroom() && a.inFlightBytes <= budgeted(bdp(1))) {
          enter(State.PROBE_CRUISE, 1, CWND_GAIN);
        }
      }
      case PROBE_CRUISE -> {
        if (isTimeToProbe(a.nowNanos)) {
          startRefill();
        }
      }
      case PROBE_REFILL -> {
        if (roundStart) {
          probeSample = true;
          startUp(a);
        }
      }
      case PROBE_UP -> {
        if (isTimeToGoDown(a)) {
          probeTooHigh = false;
          startDown(a.nowNanos);
        }
      }
      default -> {}
    }
  }

  private boolean isTimeToProbe(long nowNanos) {
    long renoRounds = Math.min(bdp(1), cwnd) / mss;
    return nowNanos > cycleNanos + probeWaitNanos
        || roundsSinceProbeUp >= Math.min(MOST_RENO_ROUNDS, renoRounds);
  }

  private boolean isTimeToGoDown(AckSample a) {
    if (probeTooHigh && a.inFlightBytes >= inFlightLongTerm) {
      probePrecautionary = true;
      return true;
    }
    if (windowLimited && cwnd >= inFlightLongTerm) {
      resetFullBw(a.rate);
      return false;
    }
    return fullBwNow;
  }

  private long withHeadroom() {
    if (inFlightLongTerm == NONE) {
      return NONE;
    }
    long headroom = Math.max(mss, (long) (HEADROOM * inFlightLongTerm));
    return Math.max(inFlightLongTerm - headroom, minPipe());
  }

  private void raiseSlope() {
    long growth = 1L << probeUpRounds;
    probeUpRounds = Math.min(probeUpRounds + 1, 30);
    probeUpAckedPerInc = Math.max(cwnd / growth, mss);
  }

  /** Follows what acknowledgements of a probe say; true when that decided the next state. */
  private boolean adaptLongTerm(AckSample a, boolean appLimited) {
    if (ackPhase == AckPhase.PROBE_STARTING && roundStart) {
      ackPhase = AckPhase.PROBE_FEEDBACK;
    }
    if (ackPhase == AckPhase.PROBE_STOPPING && roundStart) {
      probeSample = false;
      ackPhase = AckPhase.INIT;
      if (isProbingBw() && !appLimited) {
        maxBwBefore = maxBwNow;
        maxBwNow = 0;
      }
      if (isProbingBw() && probePrecautionary && !probeTooHigh) {
        startRefill();
        return true;
      }
    }
    if (!isTooHigh(a.lostSinceSent, a.txInFlight) && inFlightLongTerm != NONE) {
      inFlightLongTerm = Math.max(inFlightLongTerm, a.txInFlight);
      if (state == State.PROBE_UP) {
        probeUpward(a);
      }
    }
    return false;
  }

  private void probeUpward(AckSample a) {
    if (!windowLimited || cwnd < inFlightLongTerm) {
      return;
    }
    probeUpAcked += a.deliveredBytes;
    long steps = probeUpAcked / probeUpAckedPerInc;
    probeUpAcked -= steps * probeUpAckedPerInc;
    inFlightLongTerm += steps * mss;
    if (roundStart) {
      raiseSlope();
    }
  }

  // ---- probing for the RTT --------------------------------------------------------------------

  private void updateMinRtt(AckSample a) {
    probeRttExpired =
        probeRttMinNanos != NONE && a.nowNanos > probeRttMinAtNanos + PROBE_RTT_INTERVAL_NANOS;
    if (a.rttNanos >= 0 && (a.rttNanos < probeRttMinNanos || probeRttExpired)) {
      probeRttMinNanos = a.rttNanos;
      probeRttMinAtNanos = a.nowNanos;
    }
    if (probeRttMinNanos < minRttNanos || a.nowNanos > minRttAtNanos + MIN_RTT_FILTER_NANOS) {
      minRttNanos = probeRttMinNanos;
      minRttAtNanos = probeRttMinAtNanos;
    }
  }

  private void checkProbeRtt(AckSample a) {
    if (state != State.PROBE_RTT && probeRttExpired && !idleRestart) {
      saveCwnd();
      enter(State.PROBE_RTT, 1, PROBE_RTT_CWND_GAIN);
      probeRttDoneNanos = -1;
      ackPhase = AckPhase.PROBE_STOPPING;
      nextRoundDelivered = delivered;
    }
    if (state == State.PROBE_RTT) {
      discountedUntilDelivered = delivered + a.inFlightBytes;
      if (probeRttDoneNanos < 0 && a.inFlightBytes <= probeRttCwnd()) {
        probeRttDoneNanos = a.nowNanos + PROBE_RTT_NANOS;
        probeRttRoundDone = false;
        nextRoundDelivered = delivered;
      } else if (probeRttDoneNanos >= 0) {
        probeRttRoundDone |= roundStart;
        if (probeRttRoundDone) {
          checkProbeRttDone(a.nowNanos);
        }
      }
    }
    idleRestart = false;
  }

  private void checkProbeRttDone(long nowNanos) {
    if (probeRttDoneNanos < 0 || nowNanos <= probeRttDoneNanos) {
      return;
    }
    probeRttMinAtNanos = nowNanos;
    restoreCwnd();
    bwShortTerm = Double.MAX_VALUE;
    inFlightShortTerm = NONE;
    if (fullBwReached) {
      startDown(nowNanos);
      enter(State.PROBE_CRUISE, 1, CWND_GAIN);
    } else {
      enter(State.STARTUP, STARTUP_PACING_GAIN, CWND_GAIN);
    }
  }

  private long probeRttCwnd() {
    return Math.max(bdp(PROBE_RTT_CWND_GAIN), minPipe());
  }

  // ---- rate and volume ------------------------------------------------------------------------

  private long minPipe() {
    return (long) MIN_PIPE_SEGMENTS * mss;
  }

  private long bdp(double gain) {
    return minRttNanos == NONE ? initialWindow() : (long) (gain * bw * minRttNanos / NANOS);
  }

  /** Room for what sender and receiver handle at once. */
  private long budgeted(long volume) {
    long quantum = Math.max(2L * mss, Math.min(64 << 10, (long) (rate / 1000)));
    long v = Math.max(Math.max(volume, 3 * quantum), minPipe());
    return state == State.PROBE_UP ? v + 2L * mss : v;
  }

  private void setRate(double gain) {
    double next = gain * bw * PACING_MARGIN;
    if (next > 0 && (fullBwReached || next > rate)) {
      rate = next;
    }
  }

  private void setCwnd(AckSample a) {
    long most = budgeted(bdp(cwndGain) + aggregation.extraBytes());
    if (fullBwReached) {
      cwnd = Math.min(cwnd + a.deliveredBytes, most);
    } else if (cwnd < most || delivered < initialWindow()) {
      cwnd += a.deliveredBytes;
    }
    cwnd = Math.max(cwnd, minPipe());
    if (state == State.PROBE_RTT) {
      cwnd = Math.min(cwnd, probeRttCwnd());
    }
    long cap = NONE;
    if (state == State.PROBE_RTT || state == State.PROBE_CRUISE) {
      cap = withHeadroom();
    } else if (isProbingBw()) {
      cap = inFlightLongTerm;
    }
    cwnd = Math.min(cwnd, Math.max(minPipe(), Math.min(cap, inFlightShortTerm)));
  }

  private void saveCwnd() {
    priorCwnd = inRecovery || state == State.PROBE_RTT ? Math.max(priorCwnd, cwnd) : cwnd;
  }

  private void restoreCwnd() {
    cwnd = Math.max(cwnd, priorCwnd);
  }

  // ---- losses ---------------------------------------------------------------------------------

  private static boolean isTooHigh(long lost, long txInFlight) {
    return lost > txInFlight * LOSS_THRESH;
  }

  @Override
  public void onLost(
      long nowNanos, int bytes, long txInFlight, long lostSinceSent, boolean appLimited) {
    noteCongestion();
    if (nowNanos != lastLossNanos) {
      lastLossNanos = nowNanos;
      lossEvents++;
    }
    if (probeSample && isTooHigh(lostSinceSent, txInFlight)) {
      // At which volume did losses cross the threshold?
      double before = (double) txInFlight - bytes;
      double lostBefore = (double) lostSinceSent - bytes;
      double prefix = (LOSS_THRESH * before - lostBefore) / (1 - LOSS_THRESH);
      giveProbeUp(nowNanos, (long) (before + prefix), appLimited);
    }
  }

  private void noteCongestion() {
    if (!lossInRound) {
      lossRoundDelivered = delivered;
    }
    lossInRound = true;
  }

  /** The probe put more in flight than the path takes. */
  private void giveProbeUp(long nowNanos, long volume, boolean appLimited) {
    probeTooHigh = true;
    probeSample = false;
    if (!appLimited) {
      long target = Math.min(bdp(1), cwnd);
      inFlightLongTerm = Math.max(volume, (long) (BETA * target));
    }
    if (state == State.PROBE_UP) {
      undoState = State.PROBE_UP;
      startDown(nowNanos);
    }
  }

  @Override
  public void onCongestionEvent(long nowNanos, long flightBytes, Cause cause) {
    if (cause == Cause.LOSS) {
      saveCwnd();
      inRecovery = true;
      return;
    }
    noteCongestion();
    if (state == State.STARTUP) {
      fullBwReached = true;
      inFlightLongTerm = Math.max(bdp(1), inFlightLatest);
    } else if (probeSample) {
      giveProbeUp(nowNanos, flightBytes, /* appLimited= */ false);
    }
  }

  @Override
  public void onTimeout(long nowNanos, long flightBytes, boolean first) {
    saveCwnd();
    inRecovery = true;
    cwnd = mss;
  }

  @Override
  public void onRecoveryEnd() {
    if (inRecovery) {
      restoreCwnd();
      inRecovery = false;
    }
  }

  @Override
  public void saveForUndo() {
    undoState = null;
    undoBwShortTerm = bwShortTerm;
    undoInFlightShortTerm = inFlightShortTerm;
    undoInFlightLongTerm = inFlightLongTerm;
  }

  @Override
  public void undo() {
    restoreCwnd();
    lossInRound = false;
    resetFullBw(0);
    bwShortTerm = Math.max(bwShortTerm, undoBwShortTerm);
    inFlightShortTerm = Math.max(inFlightShortTerm, undoInFlightShortTerm);
    inFlightLongTerm = Math.max(inFlightLongTerm, undoInFlightLongTerm);
    if (undoState == State.STARTUP && state != State.STARTUP) {
      fullBwReached = false;
      if (state != State.PROBE_RTT) {
        enter(State.STARTUP, STARTUP_PACING_GAIN, CWND_GAIN);
      }
    } else if (undoState == State.PROBE_UP && state != State.PROBE_UP && state != State.PROBE_RTT) {
      startRefill();
    }
    undoState = null;
  }

  @Override
  public String toString() {
    return "bbr " + state + " bw " + (long) bw + " min RTT " + minRttNanos + " cwnd " + cwnd;
  }
}

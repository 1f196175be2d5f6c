package org.ilnp4j.tcp;

import io.netty.buffer.ByteBuf;
import org.ilnp4j.ilnp.Correspondent;
import org.ilnp4j.ilnp.LocatorPair;
import org.ilnp4j.tcp.recovery.PathState;
import org.ilnp4j.time.NanoClock;
import org.ilnp4j.util.Counter;
import org.ilnp4j.util.Seq;
import org.ilnp4j.wire.TcpHeader;

/**
 * One connection (RFC 9293 §3.3.1): its identity, its state, and the order in which its parts act.
 * The sequence spaces are in {@link Sender} and {@link Receiver}, what depends on the path in
 * {@link Paths}. Nothing here holds a Locator.
 *
 * <p>Input only marks what is due; {@link #turn} then calls the user back and sends.
 */
final class Tcb implements TcpConnection {
  /** FIN-WAIT-2 lasts no longer once the user has gone (RFC 9293 §3.6). */
  static final long ORPHAN_NANOS = NanoClock.seconds(60);

  final TcpEngine engine;
  final TcpConfig config;
  final TcpTimers timers;
  final Paths paths;
  final CurrentPath route;
  final KeepAlive keepAlive = new KeepAlive(this);
  final UserTimeout userTimeout;
  final Sender snd;
  final Receiver rcv;

  /** Null once established. */
  Handshake handshake;

  /** Null before the connection is established, and when the other side does not take part. */
  Ecn ecn;

  /** Null for a passive open, and once established. */
  ModeChoice modes;

  /** Whose backlog this counts in, while it is half open; else null. */
  TcpListener listener;

  /** While the server is asked about a connection that has no user yet; else null. */
  ProvenOpen asking;

  /** Neighbours in the list of connections with the same correspondent. */
  Tcb nextOfPeer;

  Tcb previousOfPeer;

  /** In the engine's list for the next turn. */
  boolean scheduled;

  long segmentsOut;
  long segmentsIn;

  private Correspondent correspondent;
  private final int localPort;
  private final int remotePort;
  private final int timestampOffset;
  private int trafficClass;
  private final UserNotices notices;
  private TcpState state;
  private TcpCloseReason closeReason;

  private long heardNanos;
  private long challengedNanos = -1;

  private boolean userClosed;
  private boolean resetDue;
  private boolean detached;

  Tcb(
      TcpEngine engine,
      Correspondent correspondent,
      int localPort,
      int remotePort,
      TcpHandler handler,
      TcpState state,
      Handshake handshake) {
    this.engine = engine;
    this.config = engine.config();
    this.correspondent = correspondent;
    this.localPort = localPort;
    this.remotePort = remotePort;
    this.state = state;
    this.handshake = handshake;
    notices = new UserNotices(this, handler);
    modes = handshake.passive ? null : new ModeChoice(this);
    timestampOffset =
        engine
            .isn()
            .timestampOffset(
                correspondent.localNid, correspondent.remoteNid, localPort, remotePort);
    timers = new TcpTimers(engine.timers(), this);
    userTimeout = new UserTimeout(this);
    paths = new Paths(config);
    route = new CurrentPath(this);
    snd =
        new Sender(
            this, new SendBuffer(engine.allocator(), engine.memory()), config.sendBufferBytes());
    rcv =
        new Receiver(
            this,
            new ReceiveBuffer(engine.allocator(), engine.memory()),
            config.receiveBufferBytes());
  }

  void count(Counter counter) {
    engine.counters().add(counter);
  }

  void count(Counter counter, long n) {
    engine.counters().add(counter, n);
  }

  // ---- states ---------------------------------------------------------------------------------

  /** Our timestamp clock (RFC 7323 §5.4), one tick a millisecond. */
  int timestamp(long nowNanos) {
    return SegmentOutput.milliseconds(nowNanos) + timestampOffset;
  }

  /** What the other side's SYN offers, cut down to what ours did. */
  void negotiate(long nowNanos, int synSeq, SynOptions syn) {
    boolean timestamps = handshake.offerTimestamps && syn.hasTimestamps();
    boolean scaled = handshake.offerScale && syn.windowScale() >= 0;
    handshake.offerTimestamps = timestamps;
    handshake.offerScale = scaled;
    handshake.offerSack &= syn.sackPermitted();
    handshake.offerEcn &= syn.ecnSetup();
    snd.negotiated(syn.mss(), handshake.offerSack, timestamps, scaled ? syn.windowScale() : 0);
    rcv.start(nowNanos, synSeq, timestamps, syn.tsVal(), scaled);
  }

  /** Our SYN is acknowledged and theirs is known. */
  void establish(long nowNanos, TcpHeader h) {
    handshake.sample(nowNanos, this, h);
    if (handshake.timeouts() > 1 && paths.current() != null) {
      paths.current().congestion.onTimeout(nowNanos, 0, false); // RFC 5681 §3.1: SYNs were lost
    }
    releaseModes(nowNanos);
    snd.established(nowNanos, h);
    ecn = handshake.ecn(this);
    userTimeout.onEstablished();
    handshake = null;
    leaveBacklog();
    timers.cancel(TimerKind.RETRANSMIT);
    timers.cancel(TimerKind.CLASSIC_FALLBACK);
    become(TcpState.ESTABLISHED);
    count(Counter.TCP_ESTABLISHED);
    notices.connected();
    if (snd.isFinQueued()) {
      become(TcpState.FIN_WAIT_1);
    }
    keepAlive.arm(nowNanos);
    engine.schedule(this);
  }

  /** Counts in the backlog of a listener. */
  boolean isHalfOpen() {
    return listener != null && state == TcpState.SYN_RECEIVED;
  }

  private void leaveBacklog() {
    if (listener != null) {
      listener.halfOpenOver();
      listener = null;
    }
  }

  void become(TcpState next) {
    if (!isLegal(state, next)) {
      throw new IllegalStateException(this + ": no way from " + state + " to " + next);
    }
    state = next;
  }

  /** The arrows of RFC 9293 figure 5; every state may end. */
  private static boolean isLegal(TcpState from, TcpState to) {
    return switch (to) {
      case SYN_SENT -> false;
      case SYN_RECEIVED -> from == TcpState.SYN_SENT;
      case ESTABLISHED -> from == TcpState.SYN_SENT || from == TcpState.SYN_RECEIVED;
      case FIN_WAIT_1, CLOSE_WAIT -> from == TcpState.ESTABLISHED;
      case FIN_WAIT_2, CLOSING -> from == TcpState.FIN_WAIT_1;
      case LAST_ACK -> from == TcpState.CLOSE_WAIT;
      case TIME_WAIT -> from == TcpState.FIN_WAIT_2 || from == TcpState.CLOSING;
      case CLOSED -> from != TcpState.CLOSED;
    };
  }

  /** Our FIN is acknowledged. */
  void onFinAcked(long nowNanos) {
    if (state == TcpState.FIN_WAIT_1) {
      become(TcpState.FIN_WAIT_2);
      armOrphan(nowNanos);
    } else if (state == TcpState.CLOSING) {
      enterTimeWait(nowNanos);
    } else if (state == TcpState.LAST_ACK) {
      end(nowNanos, TcpCloseReason.NORMAL, false);
    }
  }

  /** Their FIN and everything before it is here. */
  void onFinReached(long nowNanos) {
    if (state == TcpState.ESTABLISHED) {
      become(TcpState.CLOSE_WAIT);
    } else if (state == TcpState.FIN_WAIT_1) {
      become(TcpState.CLOSING);
    } else if (state == TcpState.FIN_WAIT_2) {
      enterTimeWait(nowNanos);
    }
    noteReadable();
  }

  private void enterTimeWait(long nowNanos) {
    become(TcpState.TIME_WAIT);
    closeReason = TcpCloseReason.NORMAL;
    timers.clear();
    snd.clear(nowNanos);
    restartTimeWait(nowNanos);
    engine.enteredTimeWait(this);
    engine.schedule(this);
  }

  void restartTimeWait(long nowNanos) {
    timers.arm(TimerKind.TIME_WAIT, nowNanos + config.timeWaitNanos());
  }

  /** The connection is over; the next turn tells the other side, when asked to, and the user. */
  void end(long nowNanos, TcpCloseReason reason, boolean reset) {
    if (state == TcpState.CLOSED) {
      return;
    }
    resetDue = reset && state != TcpState.SYN_SENT && state != TcpState.TIME_WAIT;
    become(TcpState.CLOSED);
    closeReason = closeReason == null ? reason : closeReason;
    timers.clear();
    engine.schedule(this);
  }

  /** When anything was last heard from the other side. */
  long heardNanos() {
    return heardNanos;
  }

  boolean isUserClosed() {
    return userClosed;
  }

  // ---- input ----------------------------------------------------------------------------------

  void onHeard(long nowNanos) {
    segmentsIn++;
    heardNanos = nowNanos;
    keepAlive.onHeard();
  }

  void noteReadable() {
    notices.readable();
    engine.schedule(this);
  }

  /** An acknowledgement in answer to something that fits nowhere, if the limits allow. */
  boolean challenge(long nowNanos) {
    if (!engine.challenges().allow(nowNanos, challengedNanos)) {
      return false;
    }
    challengedNanos = nowNanos;
    rcv.ackNow();
    engine.schedule(this);
    return true;
  }

  /** A sequence number of ours that somebody on the path may have seen just now (RFC 5927 §4.1). */
  private boolean isQuoted(int seq) {
    return state != TcpState.CLOSED
        && (handshake != null
            ? seq == snd.iss
            : Seq.geq(seq, snd.sndUna) && Seq.lt(seq, snd.sndMax));
  }

  /** A router cannot forward the segment {@code seq}, sent on {@code pair}. */
  void onPacketTooBig(long nowNanos, int seq, LocatorPair pair, int mtu) {
    if (isQuoted(seq)) {
      engine.output().pathMtu().lower(nowNanos, pair, mtu);
      engine.schedule(this); // what is too large is cut and sent again with this turn
    }
  }

  /** Another ICMPv6 error about one of our segments; {@code seq} is the one quoted. */
  void onIcmpError(long nowNanos, int seq, IcmpErrorKind kind) {
    if (!isQuoted(seq)) {
      return;
    }
    switch (kind) {
      case NONCE_REFUSED -> {
        if (state == TcpState.SYN_SENT) {
          modes.fallBack(nowNanos, true);
        }
      }
      case UNREACHABLE_HARD -> {
        if (state == TcpState.SYN_SENT) {
          end(nowNanos, TcpCloseReason.UNREACHABLE, false);
        }
      }
      case UNREACHABLE_SOFT -> {
        if (state == TcpState.SYN_SENT && handshake.noteSoftError()) {
          end(nowNanos, TcpCloseReason.UNREACHABLE, false);
        }
      }
    }
  }

  // ---- timers ---------------------------------------------------------------------------------

  void onTimer(long nowNanos, TimerKind kind) {
    switch (kind) {
      case RETRANSMIT -> onRetransmitTimeout(nowNanos);
      case TAIL_LOSS -> {
        PathState path = route.path(nowNanos);
        if (path != null && !timers.isArmed(TimerKind.RETRANSMIT)) {
          snd.recovery.onTailTimeout(path);
        }
      }
      case PACE -> {} // the turn that follows sends
      case REORDER -> {
        if (paths.current() != null) {
          snd.recovery.detectLosses(nowNanos);
        }
      }
      case PERSIST -> {
        if (route.path(nowNanos) != null) {
          snd.onPersistTimeout();
        }
      }
      case TIME_WAIT -> end(nowNanos, TcpCloseReason.NORMAL, false);
      case DELAYED_ACK -> rcv.onAckDelayOver();
      case KEEP_ALIVE -> keepAlive.onTimer(nowNanos);
      case USER_TIMEOUT -> {
        if (userTimeout.isOver(nowNanos)) {
          end(nowNanos, TcpCloseReason.TIMED_OUT, true);
        }
      }
      case OLD_PATH -> snd.moves.watchOldPaths(nowNanos);
      case AFTER_MOVE -> snd.moves.release();
      case CLASSIC_FALLBACK -> {
        if (state == TcpState.SYN_SENT && !handshake.hasSoftError()) {
          modes.fallBack(nowNanos, false);
        }
      }
      case ORPHAN -> end(nowNanos, TcpCloseReason.TIMED_OUT, false);
    }
    engine.schedule(this);
  }

  private void onRetransmitTimeout(long nowNanos) {
    PathState path = route.path(nowNanos);
    if (handshake != null) {
      onSynTimeout(nowNanos, path);
    } else if (path != null && !timers.isArmed(TimerKind.RETRANSMIT)) {
      snd.recovery.onTimeout(nowNanos, path);
    }
    // Without a path nothing can be lost for want of trying; the next one starts afresh.
  }

  /** The time-out was real: what was sent last is not acknowledged. */
  void onUnanswered() {
    if (userTimeout.onRetransmitTimeout()) {
      notices.stalled();
    }
  }

  private void onSynTimeout(long nowNanos, PathState path) {
    if (path == null) {
      handshake.synDue = true;
      return;
    }
    if (handshake.onTimeout()) {
      boolean soft = handshake.hasSoftError();
      end(nowNanos, soft ? TcpCloseReason.UNREACHABLE : TcpCloseReason.TIMED_OUT, false);
      return;
    }
    if (modes != null) {
      modes.onSilence(nowNanos, handshake.timeouts());
    }
  }

  /** Begins to connect anew, in another mode. */
  void startOver(long nowNanos) {
    timers.cancel(TimerKind.CLASSIC_FALLBACK);
    timers.cancel(TimerKind.RETRANSMIT);
    handshake = Handshake.active(config);
    renumber(nowNanos);
  }

  /** The next SYN has another sequence number. */
  void renumber(long nowNanos) {
    paths.clear();
    snd.start(nowNanos, engine.isn().next(nowNanos, correspondent, localPort, remotePort));
    engine.schedule(this);
  }

  private void releaseModes(long nowNanos) {
    if (modes != null) {
      modes.release(nowNanos);
      modes = null;
    }
  }

  /** To be called by {@link TcpEngine#move} only. */
  void moveTo(Correspondent other) {
    correspondent = other;
  }

  private void armOrphan(long nowNanos) {
    if (userClosed && state == TcpState.FIN_WAIT_2) {
      timers.arm(TimerKind.ORPHAN, nowNanos + ORPHAN_NANOS);
    }
  }

  // ---- turn -----------------------------------------------------------------------------------

  /** Calls the user back, then sends. Called by the engine only. */
  void turn(long nowNanos) {
    notices.tell(nowNanos);
    if (state == TcpState.CLOSED) {
      detach(nowNanos);
    } else {
      engine.output().flush(nowNanos, this);
    }
    if (closeReason != null) {
      notices.tellClosed(nowNanos, closeReason);
    }
  }

  /** Leaves the engine's tables. */
  private void detach(long nowNanos) {
    if (detached) {
      return;
    }
    if (resetDue) {
      engine.output().sendReset(nowNanos, this);
      timers.clear(); // entering another path for it may have armed some
    }
    detached = true;
    if (asking != null) {
      asking.close();
    }
    leaveBacklog();
    releaseModes(nowNanos);
    snd.clear(nowNanos);
    rcv.discardEarly();
    engine.remove(nowNanos, this);
  }

  // ---- the user's calls -----------------------------------------------------------------------

  @Override
  public TcpState state() {
    return state;
  }

  @Override
  public Correspondent correspondent() {
    return correspondent;
  }

  @Override
  public int localPort() {
    return localPort;
  }

  @Override
  public int remotePort() {
    return remotePort;
  }

  @Override
  public int sendSpaceBytes() {
    return state.canSend() ? snd.spaceBytes() : 0;
  }

  @Override
  public void send(long nowNanos, ByteBuf data) {
    int n = data.readableBytes();
    if (!state.canSend() || snd.isFinQueued()) {
      data.release();
      throw new IllegalStateException(this + " takes no data: " + state);
    }
    if (n > snd.spaceBytes()) {
      data.release();
      throw new IllegalArgumentException(
          this + ": " + n + " octets, but room for " + snd.spaceBytes());
    }
    snd.queue(nowNanos, data);
    engine.schedule(this);
  }

  @Override
  public ByteBuf read(long nowNanos, int maxBytes) {
    ByteBuf out = rcv.read(nowNanos, maxBytes);
    if (out != null) {
      boolean more = notices.onRead();
      if (more || rcv.isAckDue() || closeReason != null) {
        engine.schedule(this);
      }
    }
    return out;
  }

  @Override
  public int readableBytes() {
    return rcv.readableBytes();
  }

  @Override
  public boolean isEndOfStream() {
    return rcv.isFinReached() && rcv.readableBytes() == 0;
  }

  @Override
  public void shutdownOutput(long nowNanos) {
    if (snd.isFinQueued() || !state.canSend()) {
      return;
    }
    snd.queueFin(nowNanos);
    if (state == TcpState.ESTABLISHED) {
      become(TcpState.FIN_WAIT_1);
    } else if (state == TcpState.CLOSE_WAIT) {
      become(TcpState.LAST_ACK);
    }
    engine.schedule(this);
  }

  @Override
  public void close(long nowNanos) {
    if (userClosed) {
      return;
    }
    userClosed = true;
    boolean unread = rcv.readableBytes() > 0;
    if (state == TcpState.CLOSED || state == TcpState.TIME_WAIT) {
      rcv.clear();
      engine.schedule(this);
    } else if (unread || (state == TcpState.SYN_SENT && snd.unsentBytes() == 0)) {
      end(nowNanos, TcpCloseReason.ABORTED, true);
    } else {
      shutdownOutput(nowNanos);
      armOrphan(nowNanos);
    }
  }

  @Override
  public void abort(long nowNanos) {
    userClosed = true;
    if (state == TcpState.CLOSED) {
      rcv.clear();
      engine.schedule(this);
    } else {
      end(nowNanos, TcpCloseReason.ABORTED, true);
    }
  }

  @Override
  public void handler(TcpHandler newHandler) {
    notices.handler(newHandler);
  }

  @Override
  public void noDelay(boolean noDelay) {
    snd.noDelay = noDelay;
    engine.schedule(this);
  }

  @Override
  public void trafficClass(int newTrafficClass) {
    trafficClass = newTrafficClass & 0xfc;
  }

  /** Without the ECN field. */
  int trafficClass() {
    return trafficClass;
  }

  @Override
  public void keepAlive(long nowNanos, long idleNanos) {
    keepAlive.enable(nowNanos, idleNanos);
  }

  @Override
  public void userTimeout(long nowNanos, long nanos) {
    userTimeout.choose(nowNanos, nanos);
    if (userTimeout.isTellDue() && handshake == null) {
      rcv.ackNow();
      engine.schedule(this);
    }
  }

  @Override
  public TcpInfo info(long nowNanos) {
    PathState p = paths.current();
    return new TcpInfo(
        state,
        correspondent.mode,
        correspondent.localNid,
        localPort,
        correspondent.remoteNid,
        remotePort,
        correspondent.path(),
        config.congestionControl(),
        p == null ? -1 : p.mssBytes(),
        p == null ? -1 : p.rtt.srttNanos(),
        p == null ? -1 : p.rtt.rttVarNanos(),
        p == null ? -1 : p.rtt.rtoNanos(),
        p == null ? -1 : p.rtt.minRttNanos(),
        p == null ? 0 : p.congestion.cwndBytes(),
        p == null ? 0 : p.congestion.ssthreshBytes(),
        p == null ? 0 : p.inFlightBytes(),
        snd.sndWnd(),
        rcv.windowBytes(),
        snd.buffer.bytes(),
        rcv.readableBytes(),
        snd.buffer.heldBytes() + rcv.heldBytes(),
        snd.bytesSent,
        snd.bytesAcked,
        rcv.bytesReceived,
        segmentsOut,
        segmentsIn,
        snd.recovery.retransmittedSegments,
        snd.queue.lostSegments(),
        snd.recovery.timeouts,
        paths.changes(),
        snd.recovery.tailProbes,
        snd.recovery.spuriousRecoveries,
        ecn != null,
        ecn == null ? 0 : ecn.marks(),
        ecn == null ? 0 : ecn.reductions(),
        userTimeout.nanos(),
        userTimeout.timeoutsInRow());
  }

  @Override
  public String toString() {
    return "tcp " + localPort + " > " + remotePort + " of " + correspondent;
  }
}

package org.ilnp4j.tcp;

import io.netty.buffer.ByteBufAllocator;
import io.netty.util.collection.IntObjectHashMap;
import io.netty.util.collection.LongObjectHashMap;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.ilnp4j.ilnp.Correspondent;
import org.ilnp4j.ilnp.Ilcc;
import org.ilnp4j.ilnp.LocatorPair;
import org.ilnp4j.ilnp.RemoteLocator;
import org.ilnp4j.ip6.Ip6Output;
import org.ilnp4j.time.NanoClock;
import org.ilnp4j.time.Timer;
import org.ilnp4j.time.TimerQueue;
import org.ilnp4j.util.Counter;
import org.ilnp4j.util.Counters;
import org.ilnp4j.util.DropReason;
import org.ilnp4j.util.Seq;
import org.ilnp4j.util.TokenBucket;
import org.ilnp4j.wire.Checksum;
import org.ilnp4j.wire.Ip6;
import org.ilnp4j.wire.PacketView;
import org.ilnp4j.wire.TcpHeader;

/**
 * All TCP of one host: finds the connection a segment belongs to, opens and accepts connections,
 * and runs what is due once per turn. Loop thread only.
 *
 * <p>A connection is known by its correspondent and its two ports (RFC 6741 §4.1): no Locator is in
 * the key.
 */
public final class TcpEngine {
  /**
   * A callback may cause output that causes a callback; after this many rounds the loop goes on.
   */
  private static final int MAX_ROUNDS = 64;

  /** RFC 6191 §3: by then our timestamp clock has ticked beyond what the old connection used. */
  private static final long REUSE_NANOS = NanoClock.seconds(1);

  /** Lifetime of Locators handed on to a fresh entry for a known peer. */
  private static final long FRESH_LIFETIME_NANOS = NanoClock.seconds(300);

  private final TcpConfig config;
  private final Ilcc ilcc;
  private final TimerQueue timers;
  private final Counters counters;
  private final ByteBufAllocator allocator;
  private final MemoryBudget memory;
  private final IsnGenerator isn;
  private final Ports ports;
  private final ChallengeAckLimiter challenges;
  private final TokenBucket resets;
  private final SegmentArrival arrival = new SegmentArrival();
  private final SegmentOutput output;
  private final Listening listening;
  private final TcpHeader in = new TcpHeader();

  private final LongObjectHashMap<Tcb> connections = new LongObjectHashMap<>();
  private final IntObjectHashMap<Tcb> firstOfPeer = new IntObjectHashMap<>();

  /** Those in TIME-WAIT, oldest first: they make room when there is none. */
  private final LinkedHashSet<Tcb> timeWaits = new LinkedHashSet<>();

  private final ArrayDeque<Tcb> ready = new ArrayDeque<>();
  private boolean inTurn;

  /** Brings the driver back at once when a turn ended with work left. */
  private final Timer again =
      new Timer() {
        @Override
        protected void fire(long nowNanos) {}
      };

  /**
   * @param random seeded in simulations, secure otherwise: sequence numbers and ports come from it
   */
  public TcpEngine(
      TcpConfig config,
      Ilcc ilcc,
      Ip6Output out,
      TimerQueue timers,
      RandomGenerator random,
      Counters counters) {
    this.config = config;
    this.ilcc = ilcc;
    this.timers = timers;
    this.counters = counters;
    allocator = out.allocator();
    memory = new MemoryBudget(config.memoryBytes(), counters);
    output = new SegmentOutput(out, counters, config.optionOrder());
    isn = new IsnGenerator(random);
    ports = new Ports(random);
    challenges = new ChallengeAckLimiter(random);
    resets = new TokenBucket(1000, 200, random);
    listening = new Listening(this, new SynCookies(random));
  }

  TcpConfig config() {
    return config;
  }

  Ilcc ilcc() {
    return ilcc;
  }

  TimerQueue timers() {
    return timers;
  }

  Counters counters() {
    return counters;
  }

  ByteBufAllocator allocator() {
    return allocator;
  }

  MemoryBudget memory() {
    return memory;
  }

  IsnGenerator isn() {
    return isn;
  }

  ChallengeAckLimiter challenges() {
    return challenges;
  }

  SegmentOutput output() {
    return output;
  }

  Listening listening() {
    return listening;
  }

  static long key(Correspondent c, int localPort, int remotePort) {
    return (long) c.id << 32 | (long) localPort << 16 | remotePort;
  }

  // ---- input ----------------------------------------------------------------------------------

  /**
   * A TCP packet that {@link Ilcc#admit} let through. Does not own the buffer: what is kept is
   * retained.
   *
   * @param match {@link Ilcc#match()}, null when no entry fits
   * @return why the segment was dropped, to be counted by the caller; null when it was not
   */
  public DropReason onSegment(long nowNanos, PacketView view, Correspondent match) {
    counters.add(Counter.TCP_SEGMENTS_IN);
    DropReason bad = in.parse(view.buf, view.upperIndex, view.upperLength);
    if (bad != null) {
      return bad;
    }
    if (Ip6.isMulticast(view.dstL64)) {
      return DropReason.TCP_NOT_UNICAST;
    }
    Tcb tcb = null;
    PendingOpen pending = null;
    for (Correspondent c = match; c != null && tcb == null; c = ilcc.nextMatch(c, view)) {
      long key = key(c, in.dstPort, in.srcPort);
      tcb = connections.get(key);
      pending = pending == null && tcb == null ? listening.pending(key) : pending;
    }
    boolean ilnp = tcb == null ? view.hasNonce() : tcb.correspondent().isIlnp();
    if (!isChecksumRight(view, ilnp)) {
      return DropReason.TCP_CHECKSUM;
    }
    if (tcb != null) {
      return onConnected(nowNanos, tcb, view, match);
    }
    return pending != null
        ? listening.onPending(nowNanos, pending, view, in, match)
        : listening.onStray(nowNanos, view, in, match);
  }

  private DropReason onConnected(long nowNanos, Tcb tcb, PacketView view, Correspondent match) {
    if (SegmentArrival.reopens(tcb, in) && listening.hasListener(in.dstPort)) {
      return listening.reopen(nowNanos, tcb, view, in);
    }
    if (tcb.isHalfOpen() && listening.answersCookie(nowNanos, tcb, view, in, match)) {
      tcb.end(nowNanos, TcpCloseReason.ABORTED, false);
      unlink(tcb);
      return listening.onStray(nowNanos, view, in, match);
    }
    return arrival.onSegment(nowNanos, tcb, view, in);
  }

  /** A connection made by the cookie its first segment answers. */
  DropReason onFirst(long nowNanos, Tcb tcb, PacketView view) {
    return arrival.onSegment(nowNanos, tcb, view, in);
  }

  /**
   * ILNP sessions: NIDs only (RFC 6741 §4.2), else the ordinary sum that
   * draft-bhatti-ilnp-tcp-udp-checksums asks for. Classic sessions: the ordinary sum only.
   */
  private boolean isChecksumRight(PacketView v, boolean ilnp) {
    if (v.checksumVouched) {
      counters.add(Counter.CHECKSUM_VOUCHED);
      return true;
    }
    long sum = Checksum.sum(v.buf, v.upperIndex, v.upperLength);
    if (ilnp) {
      long nids = Checksum.pseudoHeader(0, v.srcNid, 0, v.dstNid, v.upperLength, v.protocol);
      if (Checksum.isValid(sum + nids)) {
        counters.add(Counter.CHECKSUM_NID_ONLY);
        return true;
      }
    }
    long full =
        Checksum.pseudoHeader(v.srcL64, v.srcNid, v.dstL64, v.dstNid, v.upperLength, v.protocol);
    if (Checksum.isValid(sum + full)) {
      counters.add(Counter.CHECKSUM_IPV6);
      return true;
    }
    return false;
  }

  /** Sends RST to where the segment came from, within limits. */
  void reset(long nowNanos, PacketView view, TcpHeader h) {
    if (resets.tryTake(nowNanos)) {
      output.sendResetTo(view, h);
    }
  }

  /**
   * An ICMPv6 error that quotes one of our segments, Packet Too Big apart.
   *
   * @param c the entry the quoted packet was sent with
   * @param quotedSeq its sequence number
   */
  public void onIcmpError(
      long nowNanos,
      Correspondent c,
      int localPort,
      int remotePort,
      int quotedSeq,
      IcmpErrorKind kind) {
    Tcb tcb = connections.get(key(c, localPort, remotePort));
    if (tcb != null) {
      tcb.onIcmpError(nowNanos, quotedSeq, kind);
    }
  }

  /**
   * A Packet Too Big that quotes one of our segments, sent on {@code pair}. It is believed when
   * that may be in flight (RFC 5927 §4.1).
   *
   * @param mtu 1280 at least
   */
  public void onPacketTooBig(
      long nowNanos,
      Correspondent c,
      int localPort,
      int remotePort,
      int quotedSeq,
      LocatorPair pair,
      int mtu) {
    Tcb tcb = connections.get(key(c, localPort, remotePort));
    if (tcb != null) {
      tcb.onPacketTooBig(nowNanos, quotedSeq, pair, mtu);
    }
  }

  /** To be called by the ILCC's observer. */
  public void onLocatorsChanged(long nowNanos, Correspondent c) {
    for (Tcb t = firstOfPeer.get(c.id); t != null; t = t.nextOfPeer) {
      t.route.onLocatorsChanged(nowNanos);
    }
  }

  // ---- users ----------------------------------------------------------------------------------

  /**
   * Opens a connection from an ephemeral port. When all are taken, from one in TIME-WAIT, if
   * timestamps keep the two connections apart (RFC 6191).
   *
   * @throws IllegalStateException when the table is full or no port is free
   */
  public TcpConnection connect(long nowNanos, Correspondent c, int remotePort, TcpHandler handler) {
    if (!makeRoom(nowNanos)) {
      throw new IllegalStateException(
          "no more than " + config.maxConnections() + " TCP connections are allowed");
    }
    int localPort = ports.choose(p -> isFree(c, p, remotePort));
    Tcb before = null;
    if (localPort < 0) {
      localPort = ports.choose(p -> isReusable(nowNanos, c, p, remotePort));
      before = connections.get(key(c, localPort, remotePort));
    }
    if (localPort < 0) {
      throw new IllegalStateException("no free local port towards port " + remotePort + " of " + c);
    }
    Tcb t =
        new Tcb(
            this, c, localPort, remotePort, handler, TcpState.SYN_SENT, Handshake.active(config));
    int first = isn.next(nowNanos, c, localPort, remotePort);
    if (before != null) {
      first = Seq.max(first, IsnGenerator.after(before));
      giveWay(nowNanos, before);
    }
    t.snd.start(nowNanos, first);
    t.modes.arm(nowNanos);
    counters.add(Counter.TCP_ACTIVE_OPENS);
    c.retain();
    link(t);
    schedule(t);
    return t;
  }

  /**
   * Takes connections to {@code localPort}.
   *
   * @throws IllegalStateException "port N in use"
   */
  public TcpListener listen(int localPort, TcpAcceptor acceptor) {
    return listening.listen(localPort, acceptor);
  }

  private boolean isFree(Correspondent c, int localPort, int remotePort) {
    long key = key(c, localPort, remotePort);
    return !listening.hasListener(localPort)
        && !connections.containsKey(key)
        && listening.pending(key) == null;
  }

  /** The timestamps of the next connection will all be later than those of this one. */
  private boolean isReusable(long nowNanos, Correspondent c, int localPort, int remotePort) {
    Tcb t = connections.get(key(c, localPort, remotePort));
    return t != null
        && t.state() == TcpState.TIME_WAIT
        && t.snd.timestamps
        && nowNanos - t.heardNanos() >= REUSE_NANOS
        && !listening.hasListener(localPort);
  }

  /** No room for another connection. */
  boolean isFull() {
    return connections.size() + listening.pendings() >= config.maxConnections();
  }

  /** There is room for another connection, or can be made. */
  boolean hasRoom() {
    return !isFull() || !timeWaits.isEmpty();
  }

  /** A full table forgets the oldest connection in TIME-WAIT; false when there is none. */
  boolean makeRoom(long nowNanos) {
    if (isFull() && !timeWaits.isEmpty()) {
      giveWay(nowNanos, timeWaits.iterator().next());
      counters.add(Counter.TCP_TIME_WAITS_CUT);
    }
    return !isFull();
  }

  /** Ends a connection in TIME-WAIT before its time. */
  void giveWay(long nowNanos, Tcb t) {
    t.end(nowNanos, TcpCloseReason.NORMAL, false);
    unlink(t);
  }

  void enteredTimeWait(Tcb t) {
    timeWaits.add(t);
  }

  /** Connections in all states, TIME-WAIT included. */
  public int connections() {
    return connections.size();
  }

  public void forEach(Consumer<TcpConnection> action) {
    for (Tcb t : new ArrayList<>(connections.values())) {
      action.accept(t);
    }
  }

  /** Resets everything and closes all listeners, with the next turn. */
  public void abortAll(long nowNanos) {
    listening.closeAll();
    for (Tcb t : new ArrayList<>(connections.values())) {
      t.abort(nowNanos);
    }
  }

  // ---- turn -----------------------------------------------------------------------------------

  void schedule(Tcb t) {
    if (!t.scheduled) {
      t.scheduled = true;
      ready.add(t);
    }
  }

  /**
   * Calls users back and sends what is due. The driver calls it after each batch of input, user
   * calls or timers. What a very busy turn leaves over is due at once again.
   */
  public void endTurn(long nowNanos) {
    if (inTurn) {
      return;
    }
    inTurn = true;
    try {
      for (int round = 0; round < MAX_ROUNDS && hasWork(); round++) {
        listening.turn(nowNanos);
        for (int n = ready.size(); n > 0; n--) {
          Tcb t = ready.poll();
          t.scheduled = false;
          t.turn(nowNanos);
        }
        listening.sendRefusals(nowNanos);
      }
    } finally {
      inTurn = false;
    }
    if (hasWork()) {
      timers.arm(again, nowNanos);
    }
  }

  private boolean hasWork() {
    return !ready.isEmpty() || listening.hasWork();
  }

  // ---- tables ---------------------------------------------------------------------------------

  void link(Tcb t) {
    connections.put(key(t.correspondent(), t.localPort(), t.remotePort()), t);
    Tcb first = firstOfPeer.put(t.correspondent().id, t);
    t.previousOfPeer = null;
    t.nextOfPeer = first;
    if (first != null) {
      first.previousOfPeer = t;
    }
  }

  /** Out of the tables; the hold on the correspondent stays. */
  void unlink(Tcb t) {
    timeWaits.remove(t);
    long key = key(t.correspondent(), t.localPort(), t.remotePort());
    if (connections.get(key) != t) {
      return;
    }
    connections.remove(key);
    if (t.nextOfPeer != null) {
      t.nextOfPeer.previousOfPeer = t.previousOfPeer;
    }
    if (t.previousOfPeer != null) {
      t.previousOfPeer.nextOfPeer = t.nextOfPeer;
    } else if (t.nextOfPeer != null) {
      firstOfPeer.put(t.correspondent().id, t.nextOfPeer);
    } else {
      firstOfPeer.remove(t.correspondent().id);
    }
    t.nextOfPeer = null;
    t.previousOfPeer = null;
  }

  /** The connection has ended. */
  void remove(long nowNanos, Tcb t) {
    unlink(t);
    t.correspondent().release(nowNanos);
  }

  /**
   * Files a connection that is not established under another entry. False when it has one with the
   * same ports already.
   */
  boolean move(long nowNanos, Tcb t, Correspondent to) {
    long key = key(to, t.localPort(), t.remotePort());
    if (connections.containsKey(key) || listening.pending(key) != null) {
      return false;
    }
    unlink(t);
    t.correspondent().release(nowNanos);
    to.retain();
    t.moveTo(to);
    link(t);
    return true;
  }

  /** A new entry with the Locators known of {@code c}; null when there is no room. */
  Correspondent openFreshLike(long nowNanos, Correspondent c) {
    List<Long> l64s = new ArrayList<>();
    for (RemoteLocator r : c.remoteLocators()) {
      if (r.state() == RemoteLocator.State.VALID) {
        l64s.add(r.l64);
      }
    }
    if (l64s.isEmpty()) {
      return null;
    }
    return ilcc.openFresh(nowNanos, c.remoteNid, l64s, FRESH_LIFETIME_NANOS);
  }
}

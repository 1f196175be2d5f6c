package org.ilnp4j.tcp;

import io.netty.buffer.ByteBufAllocator;
import io.netty.util.collection.IntObjectHashMap;
import io.netty.util.collection.LongObjectHashMap;
import java.util.ArrayDeque;
import java.util.ArrayList;
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
  private final TokenBucket resets = new TokenBucket(1000, 200);
  private final SegmentArrival arrival = new SegmentArrival();
  private final SegmentOutput output;
  private final TcpHeader in = new TcpHeader();

  private final LongObjectHashMap<Tcb> connections = new LongObjectHashMap<>();
  private final LongObjectHashMap<PendingOpen> pendings = new LongObjectHashMap<>();
  private final IntObjectHashMap<Tcb> firstOfPeer = new IntObjectHashMap<>();
  private final IntObjectHashMap<TcpListener> listeners = new IntObjectHashMap<>();

  private final ArrayDeque<Tcb> ready = new ArrayDeque<>();
  private final ArrayDeque<PendingOpen> unheard = new ArrayDeque<>();
  private final ArrayDeque<PendingOpen> refused = new ArrayDeque<>();
  private final ArrayDeque<TcpListener> closing = new ArrayDeque<>();
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

  private static long key(Correspondent c, int localPort, int remotePort) {
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
      pending = pending == null && tcb == null ? pendings.get(key) : pending;
    }
    boolean ilnp = tcb == null ? view.hasNonce() : tcb.correspondent().isIlnp();
    if (!isChecksumRight(view, ilnp)) {
      return DropReason.TCP_CHECKSUM;
    }
    if (tcb != null) {
      TcpListener listener = listeners.get(in.dstPort);
      if (listener == null || !SegmentArrival.reopens(tcb, in)) {
        return arrival.onSegment(nowNanos, tcb, view, in);
      }
      return reopen(nowNanos, tcb, view, listener);
    }
    if (pending != null) {
      return pending.onSegment(nowNanos, view, in);
    }
    return onStray(nowNanos, view, match);
  }

  /**
   * ILNP sessions: NIDs only (RFC 6741 §4.2), else the ordinary sum that
   * draft-bhatti-ilnp-tcp-udp-checksums asks for. Classic sessions: the ordinary sum only.
   */
  private boolean isChecksumRight(PacketView v, boolean ilnp) {
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

  /** LISTEN and CLOSED (RFC 9293 §3.10.7.1, §3.10.7.2). */
  private DropReason onStray(long nowNanos, PacketView view, Correspondent match) {
    if (in.has(TcpHeader.RST)) {
      return DropReason.TCP_NO_CONNECTION;
    }
    TcpListener listener = listeners.get(in.dstPort);
    if (listener != null && !in.has(TcpHeader.ACK)) {
      // Without ACK, only a SYN means anything to LISTEN; the rest is not even answered.
      return in.has(TcpHeader.SYN)
          ? openPassively(nowNanos, view, match, listener, null)
          : DropReason.TCP_NO_CONNECTION;
    }
    reset(nowNanos, view, in);
    return DropReason.TCP_NO_CONNECTION;
  }

  /** Sends RST to where the segment came from, within limits. */
  void reset(long nowNanos, PacketView view, TcpHeader h) {
    if (resets.tryTake(nowNanos)) {
      output.sendResetTo(view, h);
    }
  }

  private DropReason reopen(long nowNanos, Tcb old, PacketView view, TcpListener listener) {
    if (listener.halfOpen >= config.backlog()) {
      return DropReason.TCP_BACKLOG_FULL;
    }
    Correspondent c = old.correspondent();
    old.end(nowNanos, TcpCloseReason.NORMAL, false);
    unlink(old);
    return openPassively(nowNanos, view, c, listener, old);
  }

  private DropReason openPassively(
      long nowNanos, PacketView view, Correspondent match, TcpListener listener, Tcb before) {
    if (listener.halfOpen >= config.backlog()) {
      return DropReason.TCP_BACKLOG_FULL;
    }
    if (connections.size() + pendings.size() >= config.maxConnections()) {
      return DropReason.TCP_TABLE_FULL;
    }
    Correspondent c = entryFor(nowNanos, view, match);
    if (c == null) {
      return null; // counted by the ILCC
    }
    PendingOpen pending = new PendingOpen(this, listener, c, view, in, before);
    c.retain();
    listener.halfOpen++;
    pendings.put(key(c, in.dstPort, in.srcPort), pending);
    timers.arm(pending, nowNanos + PendingOpen.LIFETIME_NANOS);
    unheard.add(pending);
    return null;
  }

  /**
   * The entry a new session of the sender belongs to. A nonce proves the one it is known by; an
   * entry of ours that waits for its first answer must not take this one's nonce for it.
   */
  private Correspondent entryFor(long nowNanos, PacketView view, Correspondent match) {
    for (Correspondent c = match; c != null; c = ilcc.nextMatch(c, view)) {
      if (view.hasNonce() ? c.isIlnp() && c.isProven() : !c.isIlnp()) {
        return c;
      }
    }
    return ilcc.openFrom(nowNanos, view);
  }

  /**
   * An ICMPv6 error that quotes one of our segments.
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

  /** To be called by the ILCC's observer. */
  public void onLocatorsChanged(long nowNanos, Correspondent c) {
    for (Tcb t = firstOfPeer.get(c.id); t != null; t = t.nextOfPeer) {
      t.route.onLocatorsChanged(nowNanos);
    }
  }

  // ---- users ----------------------------------------------------------------------------------

  /**
   * Opens a connection from an ephemeral port.
   *
   * @throws IllegalStateException when the table is full or no port is free
   */
  public TcpConnection connect(long nowNanos, Correspondent c, int remotePort, TcpHandler handler) {
    if (connections.size() + pendings.size() >= config.maxConnections()) {
      throw new IllegalStateException(
          "no more than " + config.maxConnections() + " TCP connections are allowed");
    }
    int localPort =
        ports.choose(
            p ->
                !listeners.containsKey(p)
                    && !connections.containsKey(key(c, p, remotePort))
                    && !pendings.containsKey(key(c, p, remotePort)));
    if (localPort < 0) {
      throw new IllegalStateException("no free local port towards port " + remotePort + " of " + c);
    }
    Tcb t =
        new Tcb(
            this, c, localPort, remotePort, handler, TcpState.SYN_SENT, Handshake.active(config));
    t.snd.start(nowNanos, isn.next(nowNanos, c, localPort, remotePort));
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
    if (localPort < 1 || localPort > 65535) {
      throw new IllegalArgumentException("port " + localPort + " is not within 1 to 65535");
    }
    if (listeners.containsKey(localPort)) {
      throw new IllegalStateException("port " + localPort + " in use");
    }
    TcpListener listener = new TcpListener(this, localPort, acceptor);
    listeners.put(localPort, listener);
    return listener;
  }

  void onListenerClosed(TcpListener listener) {
    listeners.remove(listener.localPort());
    closing.add(listener);
  }

  /** Answers a pending SYN with SYN-ACK. */
  TcpConnection accept(long nowNanos, PendingOpen p, TcpHandler handler) {
    Correspondent c = p.correspondent();
    forget(p);
    Tcb t =
        new Tcb(
            this,
            c,
            p.localPort(),
            p.remotePort(),
            handler,
            TcpState.SYN_RECEIVED,
            Handshake.passive(config, p.localL64));
    int first = isn.next(nowNanos, c, p.localPort(), p.remotePort());
    t.snd.start(nowNanos, p.hasLeastIsn ? Seq.max(first, p.leastIsn) : first);
    t.negotiate(nowNanos, p.synSeq, p.syn);
    t.listener = p.listener; // the slot in the backlog and the hold on the entry pass over
    t.onHeard(nowNanos);
    counters.add(Counter.TCP_PASSIVE_OPENS);
    link(t);
    schedule(t);
    return t;
  }

  /** Answers a pending SYN with RST, with the next turn. */
  void refuse(long nowNanos, PendingOpen p) {
    forget(p);
    p.listener.halfOpen--;
    refused.add(p);
  }

  /** The caller is gone. */
  void drop(long nowNanos, PendingOpen p) {
    if (p.isOpen()) {
      forget(p);
      p.listener.halfOpen--;
      p.correspondent().release(nowNanos);
    }
  }

  private void forget(PendingOpen p) {
    p.close();
    timers.remove(p);
    pendings.remove(key(p.correspondent(), p.localPort(), p.remotePort()));
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
    for (TcpListener l : new ArrayList<>(listeners.values())) {
      l.close();
    }
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
        closeListeners(nowNanos);
        for (PendingOpen p = unheard.poll(); p != null; p = unheard.poll()) {
          if (p.isOpen() && !p.listener.isClosed()) {
            p.listener.acceptor.onSyn(nowNanos, p);
          }
        }
        for (int n = ready.size(); n > 0; n--) {
          Tcb t = ready.poll();
          t.scheduled = false;
          t.turn(nowNanos);
        }
        sendRefusals(nowNanos);
      }
    } finally {
      inTurn = false;
    }
    if (hasWork()) {
      timers.arm(again, nowNanos);
    }
  }

  private boolean hasWork() {
    return !ready.isEmpty() || !unheard.isEmpty() || !refused.isEmpty() || !closing.isEmpty();
  }

  private void closeListeners(long nowNanos) {
    for (TcpListener l = closing.poll(); l != null; l = closing.poll()) {
      for (PendingOpen p : new ArrayList<>(pendings.values())) {
        if (p.listener == l) {
          refuse(nowNanos, p);
        }
      }
      for (Tcb t : new ArrayList<>(connections.values())) {
        if (t.listener == l) {
          t.abort(nowNanos);
        }
      }
    }
  }

  private void sendRefusals(long nowNanos) {
    for (PendingOpen p = refused.poll(); p != null; p = refused.poll()) {
      Correspondent c = p.correspondent();
      LocatorPair chosen = c.path();
      if (chosen != null) {
        LocatorPair answer = new LocatorPair(p.localL64, chosen.remoteL64());
        LocatorPair pair = ilcc.isUsable(c, answer) ? answer : chosen;
        output.sendRefusal(c, pair, p.localPort(), p.remotePort(), p.synSeq + 1);
      }
      c.release(nowNanos);
    }
  }

  // ---- tables ---------------------------------------------------------------------------------

  private void link(Tcb t) {
    connections.put(key(t.correspondent(), t.localPort(), t.remotePort()), t);
    Tcb first = firstOfPeer.put(t.correspondent().id, t);
    t.previousOfPeer = null;
    t.nextOfPeer = first;
    if (first != null) {
      first.previousOfPeer = t;
    }
  }

  /** Out of the tables; the hold on the correspondent stays. */
  private void unlink(Tcb t) {
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
    if (connections.containsKey(key) || pendings.containsKey(key)) {
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

package org.ilnp4j.tcp;

import io.netty.util.collection.IntObjectHashMap;
import io.netty.util.collection.LongObjectHashMap;
import java.util.ArrayDeque;
import java.util.ArrayList;
import org.ilnp4j.ilnp.Correspondent;
import org.ilnp4j.ilnp.Ilcc;
import org.ilnp4j.ilnp.LocatorPair;
import org.ilnp4j.ilnp.Nonce;
import org.ilnp4j.util.Counter;
import org.ilnp4j.util.DropReason;
import org.ilnp4j.util.Seq;
import org.ilnp4j.wire.PacketView;
import org.ilnp4j.wire.TcpHeader;

/**
 * State LISTEN of one host (RFC 9293 §3.10.7.2): listeners, callers that wait for an answer, and
 * how many may be half open. Who comes when that many are is answered with a cookie, which costs
 * nothing to remember.
 *
 * <p>A server is asked before the caller is answered, so that "connection refused" of what stands
 * behind it becomes just that. Under pressure it is asked when the caller has acknowledged the
 * cookie: a refusal is a reset then.
 */
final class Listening {
  private final TcpEngine engine;
  private final Ilcc ilcc;
  private final TcpConfig config;
  private final SynCookies cookies;

  private final IntObjectHashMap<TcpListener> listeners = new IntObjectHashMap<>();
  private final LongObjectHashMap<PendingOpen> pendings = new LongObjectHashMap<>();

  /** The server is to be asked about them with the next turn. */
  private final ArrayDeque<OpenRequest> unheard = new ArrayDeque<>();

  private final ArrayDeque<PendingOpen> refused = new ArrayDeque<>();
  private final ArrayDeque<TcpListener> closing = new ArrayDeque<>();

  /** Of all listeners. */
  int halfOpen;

  Listening(TcpEngine engine, SynCookies cookies) {
    this.engine = engine;
    this.cookies = cookies;
    ilcc = engine.ilcc();
    config = engine.config();
  }

  // ---- listeners ------------------------------------------------------------------------------

  TcpListener listen(int localPort, TcpAcceptor acceptor) {
    if (localPort < 1 || localPort > 65535) {
      throw new IllegalArgumentException("port " + localPort + " is not within 1 to 65535");
    }
    if (listeners.containsKey(localPort)) {
      throw new IllegalStateException("port " + localPort + " in use");
    }
    TcpListener listener = new TcpListener(engine, localPort, acceptor);
    listeners.put(localPort, listener);
    return listener;
  }

  boolean hasListener(int localPort) {
    return listeners.containsKey(localPort);
  }

  void onClosed(TcpListener listener) {
    listeners.remove(listener.localPort());
    closing.add(listener);
  }

  void closeAll() {
    for (TcpListener l : new ArrayList<>(listeners.values())) {
      l.close();
    }
  }

  PendingOpen pending(long key) {
    return pendings.get(key);
  }

  /** Callers that have not been answered. */
  int pendings() {
    return pendings.size();
  }

  // ---- segments -------------------------------------------------------------------------------

  /** LISTEN and CLOSED (RFC 9293 §3.10.7.1, §3.10.7.2). */
  DropReason onStray(long nowNanos, PacketView view, TcpHeader h, Correspondent match) {
    if (h.has(TcpHeader.RST)) {
      return DropReason.TCP_NO_CONNECTION;
    }
    TcpListener listener = listeners.get(h.dstPort);
    if (listener != null && !h.has(TcpHeader.ACK)) {
      // Without ACK, only a SYN means anything to LISTEN; the rest is not even answered.
      return h.has(TcpHeader.SYN)
          ? onSyn(nowNanos, listener, view, h, match, null)
          : DropReason.TCP_NO_CONNECTION;
    }
    if (listener != null && isPlainAck(h) && cookies.areOut(nowNanos)) {
      return onCookie(nowNanos, listener, view, h, match);
    }
    engine.reset(nowNanos, view, h);
    return DropReason.TCP_NO_CONNECTION;
  }

  private static boolean isPlainAck(TcpHeader h) {
    return (h.flags & (TcpHeader.SYN | TcpHeader.RST | TcpHeader.ACK)) == TcpHeader.ACK;
  }

  /** Something else came from a caller before it was answered. */
  DropReason onPending(
      long nowNanos, PendingOpen pending, PacketView view, TcpHeader h, Correspondent match) {
    if (isPlainAck(h) && offer(nowNanos, view, h, match) != null) {
      drop(nowNanos, pending); // it was answered before, with a cookie
      return onStray(nowNanos, view, h, match);
    }
    return pending.onSegment(nowNanos, view, h);
  }

  /** A connection in TIME-WAIT gives way to a newer one. */
  DropReason reopen(long nowNanos, Tcb old, PacketView view, TcpHeader h) {
    Correspondent c = old.correspondent();
    engine.giveWay(nowNanos, old);
    return onSyn(nowNanos, listeners.get(h.dstPort), view, h, c, old);
  }

  private DropReason onSyn(
      long nowNanos,
      TcpListener listener,
      PacketView view,
      TcpHeader h,
      Correspondent match,
      Tcb before) {
    if (!engine.hasRoom()) {
      return DropReason.TCP_TABLE_FULL;
    }
    boolean pressed = listener.halfOpen >= config.backlog() || halfOpen >= config.maxHalfOpen();
    // Who has proved nothing does not make others go.
    Correspondent c = pressed || engine.isFull() ? null : entryFor(nowNanos, view, match);
    if (c == null) {
      sendCookie(nowNanos, view, h, match);
      return null;
    }
    PendingOpen pending = new PendingOpen(engine, listener, c, view, h, before);
    c.retain();
    listener.halfOpened();
    pendings.put(TcpEngine.key(c, h.dstPort, h.srcPort), pending);
    engine.timers().arm(pending, nowNanos + OpenRequest.LIFETIME_NANOS);
    unheard.add(pending);
    return null;
  }

  /**
   * The entry a new session of the sender belongs to. A nonce proves the one it is known by; an
   * entry of ours that waits for its first answer must not take this one's nonce for it.
   */
  private Correspondent entryFor(long nowNanos, PacketView view, Correspondent match) {
    Correspondent known = knownSender(view, match);
    return known == null ? ilcc.openFrom(nowNanos, view) : known;
  }

  private Correspondent knownSender(PacketView view, Correspondent match) {
    for (Correspondent c = match; c != null; c = ilcc.nextMatch(c, view)) {
      if (view.hasNonce() ? c.isIlnp() && c.isProven() : !c.isIlnp()) {
        return c;
      }
    }
    return null;
  }

  // ---- cookies --------------------------------------------------------------------------------

  private void sendCookie(long nowNanos, PacketView view, TcpHeader syn, Correspondent match) {
    SynOptions kept = SynCookies.keep(SynOptions.of(view, syn), config);
    Nonce nonce = nonceOut(view, match);
    int isn = cookies.issue(nowNanos, view, syn, kept, nonce);
    int offset = engine.isn().timestampOffset(view.dstNid, view.srcNid, syn.dstPort, syn.srcPort);
    int tsVal = SynCookies.mark(SegmentOutput.milliseconds(nowNanos) + offset, kept);
    ilcc.expectAnswers(nowNanos + 2 * SynCookies.PERIOD_NANOS);
    engine.output().sendCookie(view, syn, kept, isn, nonce, tsVal, config);
  }

  /** What the sender knows us by, or will; null in classic mode. */
  private Nonce nonceOut(PacketView view, Correspondent match) {
    if (!view.hasNonce()) {
      return null;
    }
    Correspondent known = knownSender(view, match);
    return known == null ? ilcc.answer(view) : known.nonceOut();
  }

  private SynOptions offer(long nowNanos, PacketView view, TcpHeader h, Correspondent match) {
    return cookies.areOut(nowNanos)
        ? cookies.check(nowNanos, view, h, nonceOut(view, match))
        : null;
  }

  /** The caller was answered with a cookie, and once more, with state, when there was room. */
  boolean answersCookie(long nowNanos, Tcb tcb, PacketView view, TcpHeader h, Correspondent match) {
    return isPlainAck(h)
        && h.ack != tcb.snd.iss + 1
        && !tcb.listener.isClosed()
        && offer(nowNanos, view, h, match) != null;
  }

  private DropReason onCookie(
      long nowNanos, TcpListener listener, PacketView view, TcpHeader h, Correspondent match) {
    SynOptions offer = offer(nowNanos, view, h, match);
    if (offer == null) {
      boolean strange = view.hasNonce() && match == null && ilcc.knowsSender(view);
      if (h.payloadLength == 0 && !strange) {
        engine.reset(nowNanos, view, h);
      } // else what came before it, and proves it, may still be under way
      return strange ? DropReason.NONCE_WRONG : DropReason.TCP_BAD_COOKIE;
    }
    if (offer.hasTimestamps() && !h.hasTimestamps) {
      return DropReason.TCP_BAD_COOKIE; // its options are lost; the next segment may have them
    }
    if (listener.waiting >= config.backlog()) {
      return DropReason.TCP_BACKLOG_FULL;
    }
    if (!engine.makeRoom(nowNanos)) {
      return DropReason.TCP_TABLE_FULL;
    }
    Correspondent c = entryFor(nowNanos, view, match);
    if (c == null) {
      return null; // counted by the ILCC
    }
    c.retain();
    engine.counters().add(Counter.TCP_SYN_COOKIES_ACCEPTED);
    Tcb t = answered(nowNanos, c, h.dstPort, h.srcPort, view.dstL64, null);
    t.snd.start(nowNanos, h.ack - 1);
    t.negotiate(nowNanos, h.seq - 1, offer);
    t.handshake.synDue = false;
    t.asking = new ProvenOpen(listener, t);
    engine.timers().arm(t.asking, nowNanos + OpenRequest.LIFETIME_NANOS);
    unheard.add(t.asking);
    t.route.path(nowNanos);
    return engine.onFirst(nowNanos, t, view);
  }

  // ---- the server's answers -------------------------------------------------------------------

  private Tcb answered(
      long nowNanos, Correspondent c, int localPort, int remotePort, long localL64, TcpHandler h) {
    Tcb t =
        new Tcb(
            engine,
            c,
            localPort,
            remotePort,
            h,
            TcpState.SYN_RECEIVED,
            Handshake.passive(engine.config(), localL64));
    t.onHeard(nowNanos);
    engine.counters().add(Counter.TCP_PASSIVE_OPENS);
    engine.link(t);
    engine.schedule(t);
    return t;
  }

  /** Answers a pending SYN with SYN-ACK. */
  TcpConnection accept(long nowNanos, PendingOpen p, TcpHandler handler) {
    Correspondent c = p.correspondent();
    forget(p);
    Tcb t = answered(nowNanos, c, p.localPort(), p.remotePort(), p.localL64, handler);
    int first = engine.isn().next(nowNanos, c, p.localPort(), p.remotePort());
    t.snd.start(nowNanos, p.hasLeastIsn ? Seq.max(first, p.leastIsn) : first);
    t.negotiate(nowNanos, p.synSeq, p.syn);
    t.listener = p.listener; // the slot in the backlog and the hold on the entry pass over
    return t;
  }

  /** Answers a pending SYN with RST, with the next turn. */
  void refuse(PendingOpen p) {
    forget(p);
    p.listener.halfOpenOver();
    refused.add(p);
  }

  /** The caller is gone. */
  void drop(long nowNanos, PendingOpen p) {
    if (p.isOpen()) {
      forget(p);
      p.listener.halfOpenOver();
      p.correspondent().release(nowNanos);
    }
  }

  private void forget(PendingOpen p) {
    p.close();
    engine.timers().remove(p);
    pendings.remove(TcpEngine.key(p.correspondent(), p.localPort(), p.remotePort()));
  }

  // ---- turn -----------------------------------------------------------------------------------

  boolean hasWork() {
    return !unheard.isEmpty() || !refused.isEmpty() || !closing.isEmpty();
  }

  /** Ends what closed listeners leave behind, and asks servers. */
  void turn(long nowNanos) {
    for (TcpListener l = closing.poll(); l != null; l = closing.poll()) {
      end(nowNanos, l);
    }
    for (OpenRequest r = unheard.poll(); r != null; r = unheard.poll()) {
      if (r.isOpen() && !r.listener.isClosed()) {
        r.listener.acceptor.onSyn(nowNanos, r);
      }
    }
  }

  private void end(long nowNanos, TcpListener l) {
    for (PendingOpen p : new ArrayList<>(pendings.values())) {
      if (p.listener == l) {
        refuse(p);
      }
    }
    engine.forEach(
        c -> {
          Tcb t = (Tcb) c;
          if (t.listener == l || (t.asking != null && t.asking.listener == l)) {
            t.abort(nowNanos);
          }
        });
  }

  void sendRefusals(long nowNanos) {
    for (PendingOpen p = refused.poll(); p != null; p = refused.poll()) {
      Correspondent c = p.correspondent();
      LocatorPair chosen = c.path();
      if (chosen != null) {
        LocatorPair answer = new LocatorPair(p.localL64, chosen.remoteL64());
        LocatorPair pair = ilcc.isUsable(c, answer) ? answer : chosen;
        engine.output().sendRefusal(c, pair, p.localPort(), p.remotePort(), p.synSeq + 1);
      }
      c.release(nowNanos);
    }
  }
}

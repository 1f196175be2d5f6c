package org.ilnp4j.tcp;

import org.ilnp4j.ilnp.Correspondent;
import org.ilnp4j.tcp.recovery.Delivery;
import org.ilnp4j.util.Counter;
import org.ilnp4j.util.DropReason;
import org.ilnp4j.util.Seq;
import org.ilnp4j.wire.PacketView;
import org.ilnp4j.wire.TcpHeader;

/**
 * A segment arrives at a connection (RFC 9293 §3.10.7), in the order the RFC prescribes: sequence
 * number, RST, SYN, ACK, URG, text, FIN; with the acceptance rules of RFC 5961. Each method answers
 * null, or why the segment went no further. One instance per host.
 */
final class SegmentArrival {
  private final Delivery delivery = new Delivery();

  DropReason onSegment(long nowNanos, Tcb t, PacketView view, TcpHeader h) {
    return switch (t.state()) {
      case CLOSED -> DropReason.TCP_CLOSED_STATE;
      case SYN_SENT -> inSynSent(nowNanos, t, view, h);
      case TIME_WAIT -> inTimeWait(nowNanos, t, h);
      default -> inOther(nowNanos, t, view, h);
    };
  }

  // ---- SYN-SENT (RFC 9293 §3.10.7.3) ----------------------------------------------------------

  private DropReason inSynSent(long nowNanos, Tcb t, PacketView view, TcpHeader h) {
    Sender snd = t.snd;
    if (h.has(TcpHeader.ACK) && h.ack != snd.iss + 1) {
      if (!h.has(TcpHeader.RST)) {
        t.engine.reset(nowNanos, view, h);
      }
      return DropReason.TCP_BAD_ACK;
    }
    if (h.has(TcpHeader.RST)) {
      if (!h.has(TcpHeader.ACK)) {
        return DropReason.TCP_RST_INVALID;
      }
      t.count(Counter.TCP_RESETS_IN);
      t.end(nowNanos, TcpCloseReason.REFUSED, false);
      return null;
    }
    if (!h.has(TcpHeader.SYN)) {
      return DropReason.TCP_BAD_ACK;
    }
    if (t.correspondent().isIlnp() && !t.correspondent().isProven() && !view.hasNonce()) {
      // A node that understood our nonce answers with its own (RFC 6744 §6); whatever its
      // checksum, this answer is not from one.
      return DropReason.TCP_NO_NONCE;
    }
    t.onHeard(nowNanos);
    t.negotiate(nowNanos, h.seq, SynOptions.of(view, h));
    t.rcv.noteTimestamp(nowNanos, view, h);
    t.userTimeout.onSegment(h);
    if (!h.has(TcpHeader.ACK)) {
      t.become(TcpState.SYN_RECEIVED); // both opened at once
      t.timers.cancel(TimerKind.CLASSIC_FALLBACK);
      t.handshake.synDue = true;
      t.engine.schedule(t);
      return null;
    }
    prove(nowNanos, t, view);
    t.establish(nowNanos, h);
    t.rcv.ackNow();
    return text(nowNanos, t, view, h, h.seq + 1);
  }

  /** The number of our SYN came back: it is the node we called, and the nonce is its own. */
  private static void prove(long nowNanos, Tcb t, PacketView view) {
    Correspondent c = t.correspondent();
    if (c.isIlnp() && !c.isProven() && view.hasNonce()) {
      c.proveBy(view);
      t.engine.ilcc().admit(nowNanos, view); // where it was sent from is known now, too
    }
  }

  // ---- TIME-WAIT ------------------------------------------------------------------------------

  /** A SYN that may open the connection anew is dealt with before (RFC 6191). */
  private static DropReason inTimeWait(long nowNanos, Tcb t, TcpHeader h) {
    if (h.has(TcpHeader.RST)) {
      return DropReason.TCP_RST_INVALID; // RFC 1337
    }
    if (!h.has(TcpHeader.SYN)
        && !h.has(TcpHeader.ACK)
        && t.rcv.isAcceptable(h.seq, h.sequenceLength())) {
      return DropReason.TCP_BAD_ACK;
    }
    if (h.has(TcpHeader.FIN) && h.seq + h.sequenceLength() == t.rcv.rcvNxt) {
      t.restartTimeWait(nowNanos);
      t.rcv.ackNow();
      t.engine.schedule(t);
      return null;
    }
    if (h.sequenceLength() > 0 || h.seq != t.rcv.rcvNxt) {
      t.challenge(nowNanos);
      return h.has(TcpHeader.SYN) ? DropReason.TCP_SYN_IN_WINDOW : DropReason.TCP_OUT_OF_WINDOW;
    }
    return null;
  }

  /**
   * True for a SYN that proves to be newer than the connection in TIME-WAIT (RFC 6191 §2): by its
   * timestamp if both have them, by having one at all if the old one had none, else by its sequence
   * number.
   */
  static boolean reopens(Tcb t, TcpHeader h) {
    if (t.state() != TcpState.TIME_WAIT
        || (h.flags & (TcpHeader.SYN | TcpHeader.ACK | TcpHeader.RST)) != TcpHeader.SYN) {
      return false;
    }
    boolean laterNumber = Seq.gt(h.seq, t.rcv.rcvNxt);
    if (!h.hasTimestamps) {
      return laterNumber;
    }
    return !t.snd.timestamps
        || Seq.gt(h.tsVal, t.rcv.tsRecent())
        || (h.tsVal == t.rcv.tsRecent() && laterNumber);
  }

  // ---- other states (RFC 9293 §3.10.7.4) ------------------------------------------------------

  private DropReason inOther(long nowNanos, Tcb t, PacketView view, TcpHeader h) {
    if (t.state() == TcpState.SYN_RECEIVED && h.has(TcpHeader.SYN) && h.seq == t.rcv.irs) {
      if (!h.has(TcpHeader.ACK)) {
        t.handshake.synDue = true; // it has not seen our answer
        t.handshake.offerEcn &= SynOptions.isEcnSetup(view, h);
        t.engine.schedule(t);
        return null;
      }
      // Simultaneous open: the answer to our SYN repeats theirs.
      h.seq += 1;
      h.flags &= ~TcpHeader.SYN;
    }
    if (!h.has(TcpHeader.RST) && t.rcv.isOldDuplicate(nowNanos, view, h)) {
      acknowledgeStray(nowNanos, t, h);
      return DropReason.TCP_PAWS;
    }
    boolean textless = false;
    if (!t.rcv.isAcceptable(h.seq, h.sequenceLength())) {
      // Into a closed window nothing may be sent, but what it acknowledges counts, and its RST.
      textless = h.seq == t.rcv.rcvNxt && t.rcv.windowBytes() == 0;
      if (!textless) {
        hearRepetition(nowNanos, t, view, h);
        return unacceptable(nowNanos, t, h);
      }
    }
    if (h.has(TcpHeader.RST)) {
      return reset(nowNanos, t, h);
    }
    if (h.has(TcpHeader.SYN)) {
      challenge(nowNanos, t);
      return DropReason.TCP_SYN_IN_WINDOW;
    }
    if (!h.has(TcpHeader.ACK)) {
      return DropReason.TCP_BAD_ACK;
    }
    if (t.state() == TcpState.SYN_RECEIVED) {
      if (h.ack != t.snd.iss + 1) {
        t.engine.reset(nowNanos, view, h);
        return DropReason.TCP_BAD_ACK;
      }
      prove(nowNanos, t, view);
      t.onHeard(nowNanos);
      t.establish(nowNanos, h);
    } else if (!t.snd.isAckAcceptable(h.ack, isProved(t, view))) {
      challenge(nowNanos, t);
      return DropReason.TCP_BAD_ACK;
    } else {
      t.onHeard(nowNanos);
    }
    t.rcv.noteTimestamp(nowNanos, view, h);
    if (t.ecn != null) {
      t.ecn.onSegment(view, h);
    }
    t.userTimeout.onSegment(h);
    acknowledged(nowNanos, t, h);
    if (t.state() == TcpState.CLOSED) {
      return null;
    }
    if (textless) {
      return zeroWindow(nowNanos, t, view, h);
    }
    return text(nowNanos, t, view, h, h.seq);
  }

  /** The segment carries the nonce of the session; the ILCC lets no wrong one through. */
  private static boolean isProved(Tcb t, PacketView view) {
    return view.hasNonce() && t.correspondent().isProven();
  }

  /**
   * Text or a FIN that we have: what it acknowledges may still be news. After a move the other
   * side's first segments are just that, repetitions from before, but with its latest word about
   * ours.
   */
  private void hearRepetition(long nowNanos, Tcb t, PacketView view, TcpHeader h) {
    boolean repetition =
        (h.payloadLength > 0 || h.has(TcpHeader.FIN))
            && Seq.leq(h.seq + h.sequenceLength(), t.rcv.rcvNxt)
            && (h.flags & (TcpHeader.SYN | TcpHeader.RST | TcpHeader.ACK)) == TcpHeader.ACK;
    if (repetition
        && t.state() != TcpState.SYN_RECEIVED
        && t.snd.isAckAcceptable(h.ack, isProved(t, view))) {
      t.onHeard(nowNanos);
      acknowledged(nowNanos, t, h);
    }
  }

  private static DropReason unacceptable(long nowNanos, Tcb t, TcpHeader h) {
    if (h.has(TcpHeader.RST)) {
      return DropReason.TCP_RST_INVALID;
    }
    if (h.has(TcpHeader.SYN)) {
      challenge(nowNanos, t); // RFC 5961 §4: wherever it stands
      return DropReason.TCP_SYN_IN_WINDOW;
    }
    acknowledgeStray(nowNanos, t, h);
    return DropReason.TCP_OUT_OF_WINDOW;
  }

  /**
   * Text sent again must be acknowledged again, or the other side never gets on. Without text the
   * answer is limited: two sides that find each other wrong must not answer for ever.
   */
  private static void acknowledgeStray(long nowNanos, Tcb t, TcpHeader h) {
    if (h.payloadLength > 0 || h.has(TcpHeader.FIN)) {
      t.rcv.noteStray(h.seq, h.payloadLength);
      t.rcv.ackNow();
      t.engine.schedule(t);
    } else {
      t.challenge(nowNanos);
    }
  }

  private static void challenge(long nowNanos, Tcb t) {
    if (t.challenge(nowNanos)) {
      t.count(Counter.TCP_CHALLENGE_ACKS);
    }
  }

  /** RFC 5961 §3.2: only the exact next sequence number is believed. */
  private static DropReason reset(long nowNanos, Tcb t, TcpHeader h) {
    if (h.seq != t.rcv.rcvNxt) {
      if (t.rcv.isInWindow(h.seq)) {
        challenge(nowNanos, t);
      }
      return DropReason.TCP_RST_INVALID;
    }
    t.count(Counter.TCP_RESETS_IN);
    boolean opening = t.state() == TcpState.SYN_RECEIVED && !t.handshake.passive;
    t.end(nowNanos, opening ? TcpCloseReason.REFUSED : TcpCloseReason.RESET, false);
    return null;
  }

  private void acknowledged(long nowNanos, Tcb t, TcpHeader h) {
    boolean bare = h.payloadLength == 0 && !h.has(TcpHeader.FIN);
    boolean finWas = t.snd.isFinAcked();
    if (t.paths.current() != null) {
      if (t.ecn != null) {
        t.ecn.onAck(nowNanos, t.paths.current(), h.ack, h.has(TcpHeader.ECE));
      }
      t.snd.onAck(nowNanos, h, bare, delivery);
    }
    if (!finWas && t.snd.isFinAcked()) {
      t.onFinAcked(nowNanos);
    }
    t.engine.schedule(t);
  }

  /** A bare FIN needs no room; text has to wait. */
  private static DropReason zeroWindow(long nowNanos, Tcb t, PacketView view, TcpHeader h) {
    if (h.payloadLength == 0 && h.has(TcpHeader.FIN)) {
      return text(nowNanos, t, view, h, h.seq);
    }
    t.rcv.ackNow();
    return h.payloadLength > 0 ? DropReason.TCP_OUT_OF_WINDOW : null;
  }

  private static DropReason text(long nowNanos, Tcb t, PacketView view, TcpHeader h, int seq) {
    boolean fin = h.has(TcpHeader.FIN);
    if (h.payloadLength == 0 && !fin) {
      return null;
    }
    t.engine.schedule(t);
    if (t.rcv.isFinReached()) {
      t.rcv.ackNow(); // nothing can come behind a FIN
      return DropReason.TCP_OUT_OF_WINDOW;
    }
    if (t.isUserClosed() && h.payloadLength > 0 && Seq.gt(seq + h.payloadLength, t.rcv.rcvNxt)) {
      // Nobody is left to read it: the other side must know (RFC 9293 §3.6, RFC 2525 §2.17).
      t.end(nowNanos, TcpCloseReason.ABORTED, true);
      return DropReason.TCP_CLOSED_STATE;
    }
    int before = t.rcv.rcvNxt;
    DropReason drop = t.rcv.onText(nowNanos, view, seq, h.payloadIndex, h.payloadLength, fin);
    if (t.rcv.isFinReached()) {
      t.onFinReached(nowNanos);
    } else if (t.rcv.rcvNxt != before) {
      t.noteReadable();
    }
    return drop;
  }
}

package org.ilnp4j.tcp;

import org.ilnp4j.ilnp.Correspondent;
import org.ilnp4j.ilnp.LocatorPair;
import org.ilnp4j.util.Counter;

/**
 * Whether a connection we open speaks ILNP or classic IPv6 (RFC 6744 §6). It begins with the entry
 * it was given; while nothing answers, others are tried, each with a SYN and a sequence number of
 * its own, for their checksums and nonces differ. Gone once the connection is established.
 */
final class ModeChoice {
  private final Tcb tcb;

  /** The entry was proven by other sessions when this one began. */
  private boolean shared;

  /**
   * The entry of the other mode, held here, when silence made us try both: they take turns, for
   * what was silent may have been the path. Null when there is no choice.
   */
  private Correspondent other;

  ModeChoice(Tcb tcb) {
    this.tcb = tcb;
    shared = tcb.correspondent().isProven();
  }

  /** Armed while the answer to a SYN with nonce may never come for want of understanding. */
  void arm(long nowNanos) {
    if (tcb.state() == TcpState.SYN_SENT && isUnproven() && other == null) {
      tcb.timers.arm(TimerKind.CLASSIC_FALLBACK, nowNanos + Handshake.CLASSIC_FALLBACK_NANOS);
    }
  }

  private boolean isUnproven() {
    return tcb.correspondent().isIlnp() && !tcb.correspondent().isProven();
  }

  /** Nothing answered the SYN for a time-out. */
  void onSilence(long nowNanos, int timeouts) {
    if (other != null) {
      takeTurns(nowNanos);
    } else if (shared && timeouts > Handshake.SHARED_REPEATS) {
      // The other side may have restarted and forgotten our nonce.
      Correspondent fresh = tcb.engine.openFreshLike(nowNanos, tcb.correspondent());
      if (fresh != null && tcb.engine.move(nowNanos, tcb, fresh)) {
        shared = false;
        arm(nowNanos);
      }
    }
  }

  /**
   * Goes on as ordinary IPv6.
   *
   * @param certain true when the other side has said that it does not know the nonce option
   */
  void fallBack(long nowNanos, boolean certain) {
    Correspondent ilnp = tcb.correspondent();
    LocatorPair pair = ilnp.path();
    if (!isUnproven() || pair == null) {
      arm(nowNanos);
      return;
    }
    Correspondent classic =
        tcb.engine.ilcc().openClassic(nowNanos, pair.localL64(), ilnp.remoteNid, pair.remoteL64());
    if (classic == null || !tcb.engine.move(nowNanos, tcb, classic)) {
      return;
    }
    tcb.count(Counter.TCP_CLASSIC_FALLBACKS);
    release(nowNanos);
    if (!certain) {
      ilnp.retain();
      other = ilnp;
    }
    tcb.startOver(nowNanos);
  }

  private void takeTurns(long nowNanos) {
    Correspondent from = tcb.correspondent();
    Correspondent to = other;
    if (to.path() != null && tcb.engine.move(nowNanos, tcb, to)) {
      from.retain();
      to.release(nowNanos);
      other = from;
      tcb.renumber(nowNanos);
    }
  }

  /** The choice is made. */
  void release(long nowNanos) {
    if (other != null) {
      other.release(nowNanos);
      other = null;
    }
  }
}

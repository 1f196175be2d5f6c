package org.ilnp4j.tcp;

import org.ilnp4j.ilnp.LocatorPair;
import org.ilnp4j.tcp.recovery.PathState;
import org.ilnp4j.time.NanoClock;
import org.ilnp4j.util.Counter;

/**
 * On which path a connection sends, and what it does when that becomes another: the one place where
 * a change of Locators reaches TCP. What the paths know is in {@link Paths}.
 */
final class CurrentPath {
  /** A connection heard of this recently tells the other side at once when it moves. */
  static final long ACTIVE_NANOS = NanoClock.seconds(3);

  private final Tcb tcb;
  private boolean activeAtOutage;

  /** Since when the Locator of a classic session, which has no other, has been gone; or -1. */
  private long goneSinceNanos = -1;

  CurrentPath(Tcb tcb) {
    this.tcb = tcb;
  }

  /** The pair of Locators to send on now, or null. */
  LocatorPair pair() {
    LocatorPair chosen = tcb.correspondent().path();
    Handshake handshake = tcb.handshake;
    return chosen == null || handshake == null ? chosen : handshake.pair(tcb, chosen);
  }

  /**
   * The path to send on now, entering it when it is another than before; null when there is none.
   */
  PathState path(long nowNanos) {
    LocatorPair pair = pair();
    if (pair == null) {
      noteOutage(nowNanos);
      return null;
    }
    return tcb.paths.isCurrent(pair) ? tcb.paths.current() : enter(nowNanos, pair);
  }

  private PathState enter(long nowNanos, LocatorPair pair) {
    PathState before = tcb.paths.current();
    boolean move = before != null;
    long outageNanos = tcb.paths.takeOutage();
    int segment = segmentBytes(nowNanos, pair);
    PathState path = tcb.paths.enter(nowNanos, pair, segment, segment - optionBytes());
    if (move) {
      tcb.count(Counter.TCP_PATH_CHANGES);
      tcb.rcv.onPathChange();
      if (tcb.ecn != null) {
        tcb.ecn.onPathChange();
      }
      if (tcb.handshake != null) {
        tcb.handshake.onPathChange();
        if (tcb.modes != null) {
          tcb.modes.arm(nowNanos);
        }
      } else if (tcb.state() != TcpState.TIME_WAIT) {
        boolean weMoved = outageNanos >= 0 || before.pair.localL64() != pair.localL64();
        tcb.snd.moves.onPathChange(nowNanos, path, weMoved, outageNanos);
        if (isActive(nowNanos) || activeAtOutage) {
          // Tells the other side's sender at once where we are and what we have.
          tcb.rcv.ackNow();
        }
      }
      activeAtOutage = false;
    }
    return path;
  }

  private void noteOutage(long nowNanos) {
    tcb.paths.noteOutage(nowNanos);
    activeAtOutage |= isActive(nowNanos);
  }

  private boolean isActive(long nowNanos) {
    return tcb.handshake != null
        || tcb.snd.hasWork()
        || tcb.rcv.hasEarly()
        || tcb.rcv.isAckDue()
        || tcb.keepAlive.isDue()
        || nowNanos - tcb.heardNanos() < ACTIVE_NANOS;
  }

  /** The Locators of either side changed. An idle connection finds out when it next sends. */
  void onLocatorsChanged(long nowNanos) {
    if (tcb.state() == TcpState.CLOSED || tcb.state() == TcpState.TIME_WAIT) {
      return;
    }
    LocatorPair pair = pair();
    if (pair != null && !tcb.correspondent().isIlnp()) {
      watchOwnLocator(nowNanos, pair);
    } else if (pair == null) {
      noteOutage(nowNanos);
    } else if (!tcb.paths.isCurrent(pair)) {
      if (isActive(nowNanos) || activeAtOutage) {
        if (tcb.paths.current() != null) {
          path(nowNanos);
        }
        tcb.engine.schedule(tcb);
      }
    } else if (tcb.snd.queue.inFlightBytes() > tcb.paths.current().inFlightBytes()) {
      tcb.snd.moves.loseUnusable(false);
      tcb.engine.schedule(tcb);
    }
  }

  /**
   * A classic session goes on trying when its Locator goes, for it has nowhere to go; when the
   * Locator comes back and nothing was heard meanwhile, that was an outage.
   */
  private void watchOwnLocator(long nowNanos, LocatorPair pair) {
    if (tcb.engine.ilcc().local().get(pair.localL64()) == null) {
      if (goneSinceNanos < 0) {
        goneSinceNanos = nowNanos;
        activeAtOutage = isActive(nowNanos);
      }
    } else if (goneSinceNanos >= 0) {
      if (tcb.heardNanos() <= goneSinceNanos) {
        tcb.paths.noteOutage(goneSinceNanos);
        if (isActive(nowNanos) || activeAtOutage) {
          tcb.engine.schedule(tcb);
        }
      }
      goneSinceNanos = -1;
    }
  }

  boolean isUsable(LocatorPair pair) {
    return tcb.engine.ilcc().isUsable(tcb.correspondent(), pair);
  }

  /** Follows the path MTU. */
  void fitSegments(long nowNanos, PathState path) {
    int bytes = segmentBytes(nowNanos, path.pair);
    if (path.fit(bytes, bytes - optionBytes())) {
      tcb.snd.recovery.loseLargerThan(path, path.mssBytes());
    }
  }

  private int segmentBytes(long nowNanos, LocatorPair pair) {
    return tcb.engine.output().segmentBytes(nowNanos, tcb.correspondent(), pair, tcb.snd.peerMss);
  }

  private int optionBytes() {
    return tcb.snd.timestamps ? SegmentOutput.TIMESTAMPS_BYTES : 0;
  }
}

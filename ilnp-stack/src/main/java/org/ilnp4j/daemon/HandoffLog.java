package org.ilnp4j.daemon;

import java.util.Locale;
import java.util.function.IntSupplier;
import org.ilnp4j.daemon.control.HandoffView;
import org.ilnp4j.ilnp.Correspondent;
import org.ilnp4j.ilnp.Locator;
import org.ilnp4j.ilnp.Nid;
import org.ilnp4j.mobility.Handoff;
import org.ilnp4j.mobility.MobilityObserver;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Logs what mobility does, and keeps the record of the last move. Loop thread only. */
final class HandoffLog implements MobilityObserver {
  private static final Logger LOG = LoggerFactory.getLogger(HandoffLog.class);

  private Handoff last;
  private long lastNanos;
  private int told;
  private int acknowledged;
  private double luRttMillis = -1;
  private IntSupplier outstanding = () -> 0;

  /** Where to ask how many updates wait for an answer. */
  void outstanding(IntSupplier supplier) {
    outstanding = supplier;
  }

  @Override
  public void onLocatorAdded(long nowNanos, String uplink, long l64) {
    LOG.info("locator {} on {}", Locator.format(l64), uplink);
  }

  @Override
  public void onLocatorRemoved(long nowNanos, String uplink, long l64, String why) {
    LOG.info("locator {} on {} gone: {}", Locator.format(l64), uplink, why);
  }

  @Override
  public void onHandoff(long nowNanos, Handoff handoff) {
    switch (handoff.kind()) {
      case FIRST:
        LOG.info("sending from {} ({})", Locator.format(handoff.toL64()), handoff.toUplink());
        return;
      case LOST:
        LOG.warn("no locator left: {} was the last", handoff.fromUplink());
        return;
      default:
        LOG.info(
            "{} handoff from {} ({}) to {} ({})",
            label(handoff.kind()),
            Locator.format(handoff.fromL64()),
            handoff.fromUplink(),
            Locator.format(handoff.toL64()),
            handoff.toUplink());
    }
    last = handoff;
    lastNanos = nowNanos;
    told = -1;
    acknowledged = 0;
    luRttMillis = -1;
  }

  @Override
  public void onUpdateAcknowledged(long nowNanos, Correspondent c, long rttNanos) {
    if (told < 0) {
      // Asked here and not at the move: the updates leave just after it.
      told = outstanding.getAsInt() + 1;
    }
    if (acknowledged < told) {
      acknowledged++;
      luRttMillis = Math.max(luRttMillis, rttNanos / 1e6);
    }
    LOG.info(
        "{} acknowledged our locators{}",
        Nid.format(c.remoteNid),
        rttNanos < 0 ? "" : String.format(Locale.ROOT, " after %.2f ms", rttNanos / 1e6));
  }

  @Override
  public void onUpdateGivenUp(long nowNanos, Correspondent c) {
    LOG.warn("{} never acknowledged our locators", Nid.format(c.remoteNid));
  }

  /** The last move, or null. */
  HandoffView view(long nowNanos) {
    if (last == null) {
      return null;
    }
    return new HandoffView(
        label(last.kind()),
        last.fromUplink(),
        last.toUplink(),
        Locator.format(last.toL64()),
        Math.max(0, told),
        acknowledged,
        luRttMillis < 0 ? null : Math.round(luRttMillis * 1000) / 1000.0,
        (nowNanos - lastNanos) / 1e9);
  }

  private static String label(Handoff.Kind kind) {
    return kind.name().toLowerCase(Locale.ROOT);
  }
}

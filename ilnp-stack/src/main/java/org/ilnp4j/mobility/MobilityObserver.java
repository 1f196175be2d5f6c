package org.ilnp4j.mobility;

import org.ilnp4j.ilnp.Correspondent;

/** Told what happens, for logs, the timeline of a demonstration, and measurements. */
public interface MobilityObserver {
  /** Nobody listens. */
  MobilityObserver NONE = new MobilityObserver() {};

  /** A Locator became usable. */
  default void onLocatorAdded(long nowNanos, String uplink, long l64) {}

  /** A Locator is gone; {@code why} is a few words for a log line. */
  default void onLocatorRemoved(long nowNanos, String uplink, long l64, String why) {}

  /**
   * The node sends from another Locator now. Locators are 0 and uplinks null where there is none.
   */
  default void onHandoff(long nowNanos, Handoff handoff) {}

  /** A correspondent acknowledged a Locator Update; RTT -1 when it had been sent more than once. */
  default void onUpdateAcknowledged(long nowNanos, Correspondent c, long rttNanos) {}

  /** A correspondent never answered. */
  default void onUpdateGivenUp(long nowNanos, Correspondent c) {}
}

package org.ilnp4j.link;

/** Why a link did not deliver a packet. */
public enum LinkDrop {
  /** The queue was full. */
  QUEUE_FULL,
  /** Waited too long; dropped by active queue management. */
  AQM,
  /** Random loss. */
  LOST,
  /** Larger than the link's MTU. */
  TOO_BIG,
  /** Offered while the link was down. */
  DOWN,
  /** Inside the link when it was cut. */
  CUT,
  /** No station of the medium answers to the destination. */
  NO_STATION
}

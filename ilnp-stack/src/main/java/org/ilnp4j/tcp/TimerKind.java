package org.ilnp4j.tcp;

/**
 * The timers of a connection. Kinds that exclude each other share a slot, so that two of them
 * cannot be armed at once.
 */
enum TimerKind {
  /** RFC 6298: the oldest segment, or the SYN, is not acknowledged. */
  RETRANSMIT(0),
  /** RFC 8985 §7: nothing heard of the end of a flight. */
  TAIL_LOSS(0),
  /** RFC 9293 §3.8.6.1: data waits for a window. */
  PERSIST(0),
  /** RFC 9293 §3.10.8: 2 MSL. */
  TIME_WAIT(0),
  /** RFC 9293 §3.8.6.3. */
  DELAYED_ACK(1),
  /** RFC 9293 §3.8.4. */
  KEEP_ALIVE(2),
  /** RFC 9293 §3.8.3, RFC 5482. */
  USER_TIMEOUT(3),
  /** Data sent on a path that was left has not been acknowledged in time. */
  OLD_PATH(4),
  /** The other side moved and has not been heard from its new place. */
  AFTER_MOVE(6),
  /** RFC 8985 §6: what has been overtaken may still come. */
  REORDER(7),
  /** Data waits for its turn in the round trip. */
  PACE(8),
  /** No answer to a SYN with nonce: try without (RFC 6744 §6). */
  CLASSIC_FALLBACK(5),
  /** Closed by the user, and the other side does not close. */
  ORPHAN(5);

  static final int SLOTS = 9;

  final int slot;

  TimerKind(int slot) {
    this.slot = slot;
  }
}

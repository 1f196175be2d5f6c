package org.ilnp4j.tcp;

import org.ilnp4j.time.NanoClock;
import org.ilnp4j.time.Timer;

/** A caller the server is asked about: {@link PendingOpen} or {@link ProvenOpen}. */
abstract class OpenRequest extends Timer implements TcpPending {
  /** As long as a caller goes on repeating its SYN. */
  static final long LIFETIME_NANOS = NanoClock.seconds(75);

  final TcpListener listener;

  OpenRequest(TcpListener listener) {
    this.listener = listener;
  }

  /** The server has not decided, and the caller has not gone. */
  abstract boolean isOpen();
}

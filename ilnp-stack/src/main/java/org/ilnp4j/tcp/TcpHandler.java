package org.ilnp4j.tcp;

/**
 * The user of one connection. Called on the host's loop thread from {@code TcpEngine.endTurn},
 * never from within a user call, so calling back into the connection is always safe.
 */
public interface TcpHandler {
  /** The handshake is complete. */
  void onConnected(long nowNanos, TcpConnection connection);

  /**
   * New data, or the end of the stream, can be read. Not repeated until something was read. The end
   * is announced on its own after the last data was read, even when it was reached in that call.
   */
  void onReadable(long nowNanos, TcpConnection connection);

  /** Send space, below half the send buffer before, is at least half again. */
  void onWritable(long nowNanos, TcpConnection connection);

  /**
   * Nothing that was sent has been acknowledged for three time-outs in a row (R1 of RFC 9293
   * §3.8.3). The connection goes on trying until the user timeout.
   */
  default void onStalled(long nowNanos, TcpConnection connection) {}

  /**
   * The connection is over for its user: closed on both sides, reset, refused or timed out. Called
   * exactly once, last. After a good end it waits until everything was read, unless the user has
   * closed; in all other cases, what came before may still be read in this call.
   */
  void onClosed(long nowNanos, TcpConnection connection, TcpCloseReason reason);
}

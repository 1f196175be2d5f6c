package org.ilnp4j.tcp;

/** A local port that takes connections (state LISTEN of RFC 9293 §3.3.2). Loop thread only. */
public final class TcpListener {
  private final TcpEngine engine;
  private final int localPort;
  final TcpAcceptor acceptor;

  /** Connections that were asked for and are not established. */
  int halfOpen;

  /** Callers that answered a SYN cookie and that the server has not decided about. */
  int waiting;

  private boolean closed;

  TcpListener(TcpEngine engine, int localPort, TcpAcceptor acceptor) {
    this.engine = engine;
    this.localPort = localPort;
    this.acceptor = acceptor;
  }

  void halfOpened() {
    halfOpen++;
    engine.listening().halfOpen++;
  }

  void halfOpenOver() {
    halfOpen--;
    engine.listening().halfOpen--;
  }

  public int localPort() {
    return localPort;
  }

  public boolean isClosed() {
    return closed;
  }

  /**
   * Frees the port. With the next turn of the engine callers that have not been answered are
   * refused and half-open connections reset; established ones stay. Idempotent.
   */
  public void close() {
    if (!closed) {
      closed = true;
      engine.listening().onClosed(this);
    }
  }
}

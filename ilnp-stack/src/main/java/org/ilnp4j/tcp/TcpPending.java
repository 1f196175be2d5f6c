package org.ilnp4j.tcp;

import org.ilnp4j.ilnp.Correspondent;

/** A connection that was asked for and not answered yet. Loop thread only. */
public interface TcpPending {
  Correspondent correspondent();

  int localPort();

  int remotePort();

  /** Answers SYN-ACK. Null when the caller has gone meanwhile. */
  TcpConnection accept(long nowNanos, TcpHandler handler);

  /** Answers RST: the caller sees "connection refused". */
  void refuse(long nowNanos);
}

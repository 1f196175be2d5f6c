package org.ilnp4j.tcp;

import org.ilnp4j.ilnp.Correspondent;

/** A connection that was asked for and not decided about yet. Loop thread only. */
public interface TcpPending {
  Correspondent correspondent();

  int localPort();

  int remotePort();

  /** Answers SYN-ACK, unless a cookie has done so. Null when the caller has gone meanwhile. */
  TcpConnection accept(long nowNanos, TcpHandler handler);

  /** Answers RST: the caller sees "connection refused", or a reset when it has had a cookie. */
  void refuse(long nowNanos);
}

package org.ilnp4j.tcp;

import io.netty.buffer.ByteBuf;
import org.ilnp4j.ilnp.Correspondent;

/** What the user of a connection sees. Loop thread only. */
public interface TcpConnection {
  TcpState state();

  /**
   * The other node. Fixed once established; before, it changes when the session falls back to
   * classic IPv6 or when the other node seems to have forgotten us.
   */
  Correspondent correspondent();

  int localPort();

  int remotePort();

  /** Octets {@link #send} takes now; 0 or more. */
  int sendSpaceBytes();

  /**
   * Queues data; takes over the buffer without copying it. At most {@link #sendSpaceBytes} octets;
   * allowed before the connection is established.
   *
   * @throws IllegalStateException after {@link #shutdownOutput}, {@link #close} or the end
   */
  void send(long nowNanos, ByteBuf data);

  /** Up to {@code maxBytes} octets of received data, owned by the caller, or null when none. */
  ByteBuf read(long nowNanos, int maxBytes);

  /** Octets that can be read now. */
  int readableBytes();

  /** True when the other side has closed and everything was read. */
  boolean isEndOfStream();

  /** Sends FIN behind what is queued; receiving goes on (half-close). Idempotent. */
  void shutdownOutput(long nowNanos);

  /**
   * Closes both ways: queued data is still delivered, then FIN. With unread received data, RST
   * instead (RFC 2525 §2.17). Idempotent.
   */
  void close(long nowNanos);

  /** Sends RST and forgets the connection. Idempotent. */
  void abort(long nowNanos);

  /** Replaces the handler. */
  void handler(TcpHandler handler);

  /** Nagle's algorithm off (true) or on (false, the default). RFC 9293 §3.7.4. */
  void noDelay(boolean noDelay);

  /**
   * Traffic class of the packets from now on (RFC 9293 §3.9.2), 0 to 255; 0 is the default. The
   * lower two bits belong to ECN and are not taken.
   */
  void trafficClass(int trafficClass);

  /** Keep-alive probes after this idle time; 0 switches them off (the default). */
  void keepAlive(long nowNanos, long idleNanos);

  /**
   * Ends the connection when nothing it has sent is acknowledged for so long, and tells the other
   * side (RFC 5482). While a closed window is answered, the time does not run. With keep-alives, a
   * silent peer is given up after this time, whatever the number of probes. 0 is the default,
   * {@link TcpConfig#userTimeoutNanos}.
   */
  void userTimeout(long nowNanos, long nanos);

  /** A snapshot for people and tests. */
  TcpInfo info(long nowNanos);
}

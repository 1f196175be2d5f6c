package org.ilnp4j.tcp;

import org.ilnp4j.time.NanoClock;

/**
 * Settings of one host's TCP. Buffers and windows in octets.
 *
 * @param congestionControl {@code "cubic"}, {@code "newreno"}
 * @param sendBufferBytes per connection, at least 4096
 * @param receiveBufferBytes per connection, at least 4096; bounds the advertised window
 * @param maxConnections in all states, TIME-WAIT included
 * @param backlog half-open connections per listener
 * @param timeWaitNanos 2 MSL
 * @param minRtoNanos lower bound of the retransmission time-out
 * @param userTimeoutNanos unacknowledged data older than this ends the connection (RFC 5482)
 */
public record TcpConfig(
    String congestionControl,
    int sendBufferBytes,
    int receiveBufferBytes,
    int maxConnections,
    int backlog,
    long timeWaitNanos,
    long minRtoNanos,
    long userTimeoutNanos) {
  public static final TcpConfig DEFAULT =
      new TcpConfig(
          "cubic",
          4 << 20,
          6 << 20,
          200_000,
          1024,
          NanoClock.seconds(60),
          NanoClock.millis(200),
          NanoClock.seconds(900));

  public TcpConfig withCongestionControl(String name) {
    return new TcpConfig(
        name,
        sendBufferBytes,
        receiveBufferBytes,
        maxConnections,
        backlog,
        timeWaitNanos,
        minRtoNanos,
        userTimeoutNanos);
  }

  public TcpConfig withBuffers(int send, int receive) {
    return new TcpConfig(
        congestionControl,
        send,
        receive,
        maxConnections,
        backlog,
        timeWaitNanos,
        minRtoNanos,
        userTimeoutNanos);
  }
}

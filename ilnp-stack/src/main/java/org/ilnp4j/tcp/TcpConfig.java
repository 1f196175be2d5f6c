package org.ilnp4j.tcp;

import org.ilnp4j.tcp.congestion.CongestionControl;
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
  private static final int LEAST_BUFFER_BYTES = 4096;

  public TcpConfig {
    if (!CongestionControl.isKnown(congestionControl)) {
      throw new IllegalArgumentException(
          "unknown congestion control \"" + congestionControl + "\": use cubic or newreno");
    }
    if (sendBufferBytes < LEAST_BUFFER_BYTES || receiveBufferBytes < LEAST_BUFFER_BYTES) {
      throw new IllegalArgumentException(
          "TCP buffers of "
              + sendBufferBytes
              + " and "
              + receiveBufferBytes
              + " octets: each needs "
              + LEAST_BUFFER_BYTES
              + " at least");
    }
    if (receiveBufferBytes > 1 << 30) {
      throw new IllegalArgumentException(
          "a receive buffer of " + receiveBufferBytes + " octets is more than a window can say");
    }
    if (maxConnections < 1 || backlog < 1) {
      throw new IllegalArgumentException(
          "maxConnections " + maxConnections + " and backlog " + backlog + " must be positive");
    }
    if (timeWaitNanos < 1 || minRtoNanos < 1 || userTimeoutNanos < 1) {
      throw new IllegalArgumentException("TCP times must be positive");
    }
  }

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

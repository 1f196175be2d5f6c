package org.ilnp4j.tcp;

import org.ilnp4j.ilnp.LocatorPair;
import org.ilnp4j.ilnp.SessionMode;

/**
 * A snapshot of one connection. Windows and counts in octets unless the name says segments; times
 * in nanoseconds, -1 when not known yet.
 *
 * @param memoryBytes what the connection's queues hold in memory, whatever the octets in them
 * @param ecn both sides take part in congestion notification
 * @param ecnMarks segments that came with a mark
 * @param ecnReductions how often marks on what we sent reduced the window
 */
public record TcpInfo(
    TcpState state,
    SessionMode mode,
    long localNid,
    int localPort,
    long remoteNid,
    int remotePort,
    LocatorPair path,
    String congestionControl,
    int mssBytes,
    long srttNanos,
    long rttVarNanos,
    long rtoNanos,
    long minRttNanos,
    long cwndBytes,
    long ssthreshBytes,
    long flightBytes,
    long sendWindowBytes,
    long receiveWindowBytes,
    long sendQueueBytes,
    long receiveQueueBytes,
    long memoryBytes,
    long bytesSent,
    long bytesAcked,
    long bytesReceived,
    long segmentsOut,
    long segmentsIn,
    long retransmittedSegments,
    long lostSegments,
    int timeouts,
    int pathChanges,
    int tailProbes,
    int spuriousRecoveries,
    boolean ecn,
    long ecnMarks,
    long ecnReductions,
    long userTimeoutNanos,
    int timeoutsInRow) {}

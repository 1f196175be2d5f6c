package org.ilnp4j.tcp;

import org.ilnp4j.ilnp.LocatorPair;
import org.ilnp4j.ilnp.SessionMode;

/**
 * A snapshot of one connection. Windows and counts in octets unless the name says segments; times
 * in nanoseconds, -1 when not known yet.
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
    long userTimeoutNanos,
    int timeoutsInRow) {}

package org.ilnp4j.daemon.control;

import java.util.Locale;
import org.ilnp4j.ilnp.Locator;
import org.ilnp4j.ilnp.Nid;
import org.ilnp4j.tcp.TcpInfo;

/**
 * One TCP connection.
 *
 * @param remoteName from the hosts file; null when it has none
 * @param state as in RFC 9293, such as {@code established}
 * @param mode {@code ilnp} or {@code classic}
 * @param localLocator and {@code remoteLocator}: in use now; null when there is no path
 * @param srttMs null before the first measurement
 * @param pathChanges how often the Locators in use have changed
 */
public record SessionView(
    int localPort,
    String remoteName,
    String remoteNid,
    int remotePort,
    String state,
    String mode,
    String localLocator,
    String remoteLocator,
    String congestion,
    int mssBytes,
    Double srttMs,
    Double rtoMs,
    long cwndBytes,
    long flightBytes,
    long sendQueueBytes,
    long receiveQueueBytes,
    long bytesSent,
    long bytesReceived,
    long retransmittedSegments,
    long lostSegments,
    int pathChanges) {

  public static SessionView of(TcpInfo i, String remoteName) {
    return new SessionView(
        i.localPort(),
        remoteName,
        Nid.format(i.remoteNid()),
        i.remotePort(),
        i.state().name().toLowerCase(Locale.ROOT).replace('_', '-'),
        i.mode().name().toLowerCase(Locale.ROOT),
        i.path() == null ? null : Locator.format(i.path().localL64()),
        i.path() == null ? null : Locator.format(i.path().remoteL64()),
        i.congestionControl(),
        i.mssBytes(),
        millis(i.srttNanos()),
        millis(i.rtoNanos()),
        i.cwndBytes(),
        i.flightBytes(),
        i.sendQueueBytes(),
        i.receiveQueueBytes(),
        i.bytesSent(),
        i.bytesReceived(),
        i.retransmittedSegments(),
        i.lostSegments(),
        i.pathChanges());
  }

  private static Double millis(long nanos) {
    return nanos < 0 ? null : Math.round(nanos / 1e3) / 1e3;
  }
}

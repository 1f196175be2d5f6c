package org.ilnp4j.proxy;

/**
 * Bounds on what clients can make a proxy do.
 *
 * @param maxDials dials in flight, over all clients of one dialer
 * @param maxDialsPerClient dials in flight for one client address
 * @param dialTimeoutMillis from the request until the session is established, name lookup included
 * @param handshakeTimeoutMillis from a client's connect until its request is complete
 */
public record ProxyLimits(
    int maxDials, int maxDialsPerClient, int dialTimeoutMillis, int handshakeTimeoutMillis) {
  public static final ProxyLimits DEFAULT = new ProxyLimits(1024, 256, 20_000, 30_000);

  public ProxyLimits {
    if (maxDials < 1
        || maxDialsPerClient < 1
        || dialTimeoutMillis < 1
        || handshakeTimeoutMillis < 1) {
      throw new IllegalArgumentException("proxy limits must be positive");
    }
  }
}

package org.ilnp4j.tcp;

/** Decides about connections that come in at a listener. Loop thread only. */
@FunctionalInterface
public interface TcpAcceptor {
  /**
   * A SYN came in. Nothing is answered until {@link TcpPending#accept} or {@link TcpPending#refuse}
   * is called, here or later, so that a server may first reach what stands behind it.
   *
   * <p>While more callers are half open than {@link TcpConfig#backlog} or {@link
   * TcpConfig#maxHalfOpen} says, the SYN has been answered with a cookie (RFC 4987 §3.6) and this
   * is called when the caller has acknowledged that: it is connected already, so that refusing it
   * means a reset.
   */
  void onSyn(long nowNanos, TcpPending pending);
}

package org.ilnp4j.tcp;

/** Decides about connections that come in at a listener. Loop thread only. */
@FunctionalInterface
public interface TcpAcceptor {
  /**
   * A SYN came in. Nothing is answered until {@link TcpPending#accept} or {@link TcpPending#refuse}
   * is called, here or later, so that a server may first reach what stands behind it.
   */
  void onSyn(long nowNanos, TcpPending pending);
}

package org.ilnp4j.icmp;

/** Hears the answers to echo requests. Loop thread only. */
public interface EchoHandler {
  /**
   * An answer came.
   *
   * @param ilnp true when it carried a nonce: the other side speaks ILNP
   * @param fromL64 Locator it came from
   */
  void onReply(long nowNanos, int sequence, long rttNanos, boolean ilnp, long fromL64);

  /** An ICMPv6 error came instead; {@code what} is a few words for people. */
  void onError(long nowNanos, int sequence, String what);
}

package org.ilnp4j.tcp;

import java.util.random.RandomGenerator;
import org.ilnp4j.ilnp.Correspondent;
import org.ilnp4j.util.KeyedHash;

/**
 * Initial sequence numbers (RFC 6528) and timestamp offsets (RFC 7323 §7.1): a clock plus a keyed
 * hash of the connection's identity. Locators are no part of it, so that a new incarnation of a
 * connection sorts behind the old one whatever paths the two used.
 */
final class IsnGenerator {
  /** RFC 9293 §3.4.1: the clock ticks every four microseconds. */
  private static final long NANOS_PER_TICK = 4000;

  private static final long TIMESTAMP_OFFSET = 1L << 40;

  private final KeyedHash hash;

  IsnGenerator(RandomGenerator random) {
    hash = new KeyedHash(random);
  }

  int next(long nowNanos, Correspondent c, int localPort, int remotePort) {
    return (int) (nowNanos / NANOS_PER_TICK)
        + (int) identity(c.localNid, c.remoteNid, localPort, remotePort, 0);
  }

  /** The least number for a connection that follows {@code before} at once (RFC 6191 §2). */
  static int after(Tcb before) {
    return before.snd.sndMax + 0x10000;
  }

  int timestampOffset(long localNid, long remoteNid, int localPort, int remotePort) {
    return (int) identity(localNid, remoteNid, localPort, remotePort, TIMESTAMP_OFFSET);
  }

  private long identity(
      long localNid, long remoteNid, int localPort, int remotePort, long purpose) {
    return hash.hash(localNid, remoteNid, purpose | (long) localPort << 16 | remotePort);
  }
}

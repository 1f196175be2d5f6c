package org.ilnp4j.icmp;

import org.ilnp4j.ilnp.Correspondent;

/** One run of echo requests to one correspondent. */
public final class EchoSession {
  /** Requests remembered for their send time; older answers are ignored. */
  static final int WINDOW = 64;

  final int identifier;
  final long cookie;
  final EchoHandler handler;
  final long[] sentNanos = new long[WINDOW];
  final int[] sequence = new int[WINDOW];
  Correspondent correspondent;

  EchoSession(int identifier, long cookie, Correspondent correspondent, EchoHandler handler) {
    this.identifier = identifier;
    this.cookie = cookie;
    this.correspondent = correspondent;
    this.handler = handler;
    java.util.Arrays.fill(sequence, -1);
  }

  public Correspondent correspondent() {
    return correspondent;
  }
}

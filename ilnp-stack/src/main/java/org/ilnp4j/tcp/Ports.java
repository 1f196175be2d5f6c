package org.ilnp4j.tcp;

import java.util.function.IntPredicate;
import java.util.random.RandomGenerator;

/** Ephemeral ports (RFC 6056 §3.3.1): a random start, then the next free one. */
final class Ports {
  static final int FIRST = 32768;
  static final int LAST = 65535;

  private final RandomGenerator random;

  Ports(RandomGenerator random) {
    this.random = random;
  }

  /** A port that {@code isFree} accepts, or -1 when there is none. */
  int choose(IntPredicate isFree) {
    int count = LAST - FIRST + 1;
    int start = random.nextInt(count);
    for (int i = 0; i < count; i++) {
      int port = FIRST + (start + i) % count;
      if (isFree.test(port)) {
        return port;
      }
    }
    return -1;
  }
}

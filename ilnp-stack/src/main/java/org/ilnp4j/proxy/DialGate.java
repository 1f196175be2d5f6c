package org.ilnp4j.proxy;

import java.util.HashMap;
import java.util.Map;

/** Counts dials in flight, in all and by client, and says when there are too many. */
final class DialGate {
  /** The right to dial once; given back exactly once however often it is released. */
  final class Permit {
    private final Object client;
    private boolean released;

    private Permit(Object client) {
      this.client = client;
    }

    void release() {
      if (!released) {
        released = true;
        inFlight--;
        byClient.computeIfPresent(client, (c, n) -> n == 1 ? null : n - 1);
      }
    }
  }

  private final ProxyLimits limits;
  private final Map<Object, Integer> byClient = new HashMap<>();
  private int inFlight;

  DialGate(ProxyLimits limits) {
    this.limits = limits;
  }

  /** A permit, or null when the client or all clients together have enough dials in flight. */
  Permit enter(Object client) {
    int mine = byClient.getOrDefault(client, 0);
    if (inFlight >= limits.maxDials() || mine >= limits.maxDialsPerClient()) {
      return null;
    }
    inFlight++;
    byClient.put(client, mine + 1);
    return new Permit(client);
  }

  int inFlight() {
    return inFlight;
  }
}

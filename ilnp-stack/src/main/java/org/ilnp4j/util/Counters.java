package org.ilnp4j.util;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * All counters of one host. Written on the host's loop thread only; readers take a snapshot there.
 */
@SuppressWarnings("EnumOrdinal") // the ordinal never leaves this class, and counting is hot
public final class Counters {
  private final long[] events = new long[Counter.values().length];
  private final long[] drops = new long[DropReason.values().length];

  public void add(Counter counter) {
    events[counter.ordinal()]++;
  }

  public void add(Counter counter, long n) {
    events[counter.ordinal()] += n;
  }

  public void drop(DropReason reason) {
    drops[reason.ordinal()]++;
  }

  public long get(Counter counter) {
    return events[counter.ordinal()];
  }

  public long get(DropReason reason) {
    return drops[reason.ordinal()];
  }

  /** Sum over all drop reasons. */
  public long totalDrops() {
    long sum = 0;
    for (long d : drops) {
      sum += d;
    }
    return sum;
  }

  /** Every counter that is not zero, drops prefixed with {@code drop-}, in declaration order. */
  public Map<String, Long> nonZero() {
    Map<String, Long> out = new LinkedHashMap<>();
    for (Counter c : Counter.values()) {
      if (get(c) != 0) {
        out.put(c.label(), get(c));
      }
    }
    for (DropReason d : DropReason.values()) {
      if (get(d) != 0) {
        out.put("drop-" + d.label(), get(d));
      }
    }
    return out;
  }
}

package org.ilnp4j.tcp;

import io.netty.buffer.ByteBuf;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Set;
import org.ilnp4j.util.Counter;
import org.ilnp4j.util.Counters;

/**
 * The memory that all connections of a host share: received data until it is read, data that came
 * early, data queued until it is acknowledged. Buffers count with what they hold in memory, not
 * with what they carry.
 *
 * <p>From three quarters of the limit on, windows and send queues get the smaller the less is left,
 * but no smaller than {@link #GUARANTEED_BYTES}, so that a new connection always works. At the
 * limit early data is thrown away, the oldest first, and then what comes in order beyond the
 * guarantee is dropped; the other side sends both again.
 */
final class MemoryBudget {
  /** What each connection has whatever the others hold. */
  static final int GUARANTEED_BYTES = 16 << 10;

  private final long limitBytes;
  private final Counters counters;

  /** In the order in which they began to hold early data. */
  private final Set<ReceiveBuffer> withEarly = new LinkedHashSet<>();

  private long usedBytes;

  MemoryBudget(long limitBytes, Counters counters) {
    this.limitBytes = limitBytes;
    this.counters = counters;
  }

  long usedBytes() {
    return usedBytes;
  }

  /** Takes from the budget; gives back when negative. */
  void charge(long bytes) {
    usedBytes += bytes;
  }

  /** What a buffer keeps from being freed. */
  static int pinnedBytes(ByteBuf buf) {
    ByteBuf root = buf;
    while (root.unwrap() != null) {
      root = root.unwrap();
    }
    return root.capacity();
  }

  /** How much of a window or queue of {@code wantedBytes} may be had now. */
  long allowed(long wantedBytes) {
    long spare = limitBytes / 4;
    long left = limitBytes - usedBytes;
    if (left >= spare || wantedBytes <= GUARANTEED_BYTES) {
      return wantedBytes;
    }
    long share = left <= 0 ? 0 : (long) ((double) wantedBytes * left / spare);
    return Math.max(GUARANTEED_BYTES, share);
  }

  boolean isExhausted() {
    return usedBytes >= limitBytes;
  }

  /**
   * True when a connection that holds {@code heldBytes} may take in data in order. Early data of
   * all connections gives way to it.
   */
  boolean admit(long heldBytes) {
    while (isExhausted() && !withEarly.isEmpty()) {
      Iterator<ReceiveBuffer> oldest = withEarly.iterator();
      ReceiveBuffer buffer = oldest.next();
      counters.add(Counter.TCP_EARLY_PRUNED, buffer.earlyBytes());
      buffer.clearEarly();
    }
    return !isExhausted() || heldBytes < GUARANTEED_BYTES;
  }

  /** A buffer began, or ceased, to hold early data. */
  void noteEarly(ReceiveBuffer buffer, boolean holds) {
    if (holds) {
      withEarly.add(buffer);
    } else {
      withEarly.remove(buffer);
    }
  }
}

package org.ilnp4j.proxy;

import io.netty.buffer.AbstractByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;

/** Counts octets in use exactly, and remembers the most there ever were. */
final class PeakAllocator extends AbstractByteBufAllocator {
  private final UnpooledByteBufAllocator counted = new UnpooledByteBufAllocator(true);
  private volatile long peakBytes;

  long usedBytes() {
    return counted.metric().usedDirectMemory() + counted.metric().usedHeapMemory();
  }

  long peakBytes() {
    return peakBytes;
  }

  private synchronized ByteBuf note(ByteBuf buf) {
    peakBytes = Math.max(peakBytes, usedBytes());
    return buf;
  }

  @Override
  protected ByteBuf newHeapBuffer(int initialCapacity, int maxCapacity) {
    return note(counted.heapBuffer(initialCapacity, maxCapacity));
  }

  @Override
  protected ByteBuf newDirectBuffer(int initialCapacity, int maxCapacity) {
    return note(counted.directBuffer(initialCapacity, maxCapacity));
  }

  @Override
  public boolean isDirectBufferPooled() {
    return false;
  }
}

package org.ilnp4j.testing;

import io.netty.buffer.AbstractByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.CompositeByteBuf;
import io.netty.buffer.UnpooledDirectByteBuf;
import io.netty.buffer.UnpooledHeapByteBuf;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * An allocator that knows every buffer it gave out and has not got back. As a JUnit extension it
 * fails the test that leaves one:
 *
 * <pre>
 *   &#64;RegisterExtension final BufferLeaks buffers = new BufferLeaks();
 *   ... new Host(..., buffers.allocator(), ...)
 * </pre>
 *
 * Buffers are not pooled, so that using one after its release throws. One thread only.
 */
public final class BufferLeaks implements AfterEachCallback {
  private static final int SHOWN = 5;

  private final Allocator allocator = new Allocator();
  private final List<ByteBuf> given = new ArrayList<>();
  private int pruneAt = 1024;

  public ByteBufAllocator allocator() {
    return allocator;
  }

  /** Buffers not released yet. */
  public int live() {
    prune();
    return given.size();
  }

  /** Throws when a buffer is not released; the message shows how the first few begin. */
  public void assertNoneLeft() {
    prune();
    if (given.isEmpty()) {
      return;
    }
    StringBuilder message = new StringBuilder(given.size() + " buffers not released:");
    for (ByteBuf buf : given.subList(0, Math.min(SHOWN, given.size()))) {
      int length = Math.min(64, buf.writerIndex());
      message
          .append("\n  refCnt ")
          .append(buf.refCnt())
          .append(", ")
          .append(buf.writerIndex())
          .append(" octets: ")
          .append(ByteBufUtil.hexDump(buf, 0, length));
    }
    throw new AssertionError(message.toString());
  }

  @Override
  public void afterEach(ExtensionContext context) {
    // A test that failed half way leaves buffers; its own failure is the one to see.
    if (context.getExecutionException().isEmpty()) {
      assertNoneLeft();
    }
  }

  private <B extends ByteBuf> B track(B buf) {
    if (given.size() >= pruneAt) {
      prune();
      pruneAt = Math.max(1024, 2 * given.size());
    }
    given.add(buf);
    return buf;
  }

  private void prune() {
    given.removeIf(b -> b.refCnt() == 0);
  }

  private final class Allocator extends AbstractByteBufAllocator {
    Allocator() {
      super(true);
    }

    @Override
    protected ByteBuf newHeapBuffer(int initialCapacity, int maxCapacity) {
      return track(new UnpooledHeapByteBuf(this, initialCapacity, maxCapacity));
    }

    @Override
    protected ByteBuf newDirectBuffer(int initialCapacity, int maxCapacity) {
      return track(new UnpooledDirectByteBuf(this, initialCapacity, maxCapacity));
    }

    @Override
    public CompositeByteBuf compositeHeapBuffer(int maxNumComponents) {
      return track(new CompositeByteBuf(this, false, maxNumComponents));
    }

    @Override
    public CompositeByteBuf compositeDirectBuffer(int maxNumComponents) {
      return track(new CompositeByteBuf(this, true, maxNumComponents));
    }

    @Override
    public boolean isDirectBufferPooled() {
      return false;
    }
  }
}

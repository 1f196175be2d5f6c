package org.ilnp4j.tcp;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import org.ilnp4j.ip6.GatheredPacket;

/**
 * What the user has queued and the other side has not acknowledged. Large buffers are kept as they
 * are and copied only into packets; small writes are gathered, so that a flood of them costs no
 * more memory than its octets.
 *
 * <p>Positions count octets of the stream from 0 and never wrap.
 */
final class SendBuffer {
  /** Writes below this are copied together. */
  static final int GATHER_BELOW_BYTES = 512;

  private static final int GATHER_BUFFER_BYTES = 4096;
  private static final int MIN_CAPACITY = 8;
  private static final int IDLE_CAPACITY = 64;

  private final ByteBufAllocator allocator;
  private final MemoryBudget budget;
  private ByteBuf[] chunks;

  /** Stream position of the first octet of each chunk, by the same index. */
  private long[] starts;

  private int head;
  private int size;
  private long startPosition;
  private long endPosition;

  /** The last chunk when it is ours to append to, else null. */
  private ByteBuf gathering;

  private long heldBytes;

  SendBuffer(ByteBufAllocator allocator, MemoryBudget budget) {
    this.allocator = allocator;
    this.budget = budget;
  }

  /** Memory held, whatever the octets in it. */
  long heldBytes() {
    return heldBytes;
  }

  private void charge(int bytes) {
    heldBytes += bytes;
    budget.charge(bytes);
  }

  /** Position of the first octet not acknowledged. */
  long startPosition() {
    return startPosition;
  }

  /** Position behind the last octet queued. */
  long endPosition() {
    return endPosition;
  }

  long bytes() {
    return endPosition - startPosition;
  }

  /** Takes over {@code data}. */
  void append(ByteBuf data) {
    int n = data.readableBytes();
    if (n == 0) {
      data.release();
      return;
    }
    if (n < GATHER_BELOW_BYTES) {
      gather(data, n);
    } else {
      gathering = null;
      push(data);
    }
    endPosition += n;
  }

  private void gather(ByteBuf data, int n) {
    if (gathering == null || gathering.writableBytes() < n) {
      // The first write of a kind gets a buffer of its own size: most programs write one message
      // and wait.
      int room = gathering == null ? GATHER_BELOW_BYTES : GATHER_BUFFER_BYTES;
      gathering = allocator.directBuffer(room, room);
      push(gathering);
    }
    gathering.writeBytes(data, data.readerIndex(), n);
    data.release();
  }

  private void push(ByteBuf chunk) {
    if (chunks == null) {
      chunks = new ByteBuf[MIN_CAPACITY];
      starts = new long[MIN_CAPACITY];
      head = 0;
    } else if (size == chunks.length) {
      grow();
    }
    int at = head + size & chunks.length - 1;
    chunks[at] = chunk;
    starts[at] = endPosition;
    size++;
    charge(chunk.capacity()); // a slice for itself: its owner may queue many of one buffer
  }

  private void grow() {
    ByteBuf[] biggerChunks = new ByteBuf[size * 2];
    long[] biggerStarts = new long[size * 2];
    for (int i = 0; i < size; i++) {
      int at = head + i & chunks.length - 1;
      biggerChunks[i] = chunks[at];
      biggerStarts[i] = starts[at];
    }
    chunks = biggerChunks;
    starts = biggerStarts;
    head = 0;
  }

  /** Copies {@code length} octets from a position on, all of which must be queued, to a packet. */
  void copyTo(ByteBuf out, long position, int length) {
    walk(position, length, out, null);
  }

  /** Adds {@code length} octets from a position on, all of which must be queued, to a packet. */
  void gatherTo(GatheredPacket out, long position, int length) {
    walk(position, length, null, out);
  }

  /** Hands each piece to the one of the two packets that is there. */
  private void walk(long position, int length, ByteBuf copy, GatheredPacket gathered) {
    int left = length;
    long at = position;
    for (int i = indexOf(position); left > 0; i++) {
      int slot = head + i & chunks.length - 1;
      ByteBuf chunk = chunks[slot];
      int skip = (int) (at - starts[slot]);
      int n = Math.min(left, chunk.readableBytes() - skip);
      if (copy != null) {
        copy.writeBytes(chunk, chunk.readerIndex() + skip, n);
      } else {
        gathered.add(chunk, chunk.readerIndex() + skip, n);
      }
      at += n;
      left -= n;
    }
  }

  private int indexOf(long position) {
    int low = 0;
    int high = size - 1;
    while (low < high) {
      int mid = (low + high + 1) >>> 1;
      if (starts[head + mid & chunks.length - 1] <= position) {
        low = mid;
      } else {
        high = mid - 1;
      }
    }
    return low;
  }

  /** Releases everything before a position. */
  void acknowledge(long position) {
    startPosition = position;
    while (size > 0) {
      ByteBuf chunk = chunks[head];
      if (starts[head] + chunk.readableBytes() > position) {
        return;
      }
      if (size == 1) {
        gathering = null; // it is always the last one
      }
      releaseFirst();
    }
    if (chunks != null && chunks.length > IDLE_CAPACITY) {
      chunks = null;
      starts = null;
    }
  }

  private void releaseFirst() {
    charge(-chunks[head].capacity());
    chunks[head].release();
    chunks[head] = null;
    head = head + 1 & chunks.length - 1;
    size--;
  }

  /** Releases everything. */
  void clear() {
    while (size > 0) {
      releaseFirst();
    }
    chunks = null;
    starts = null;
    gathering = null;
    startPosition = endPosition;
  }
}

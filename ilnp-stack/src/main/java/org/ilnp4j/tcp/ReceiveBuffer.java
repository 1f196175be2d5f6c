package org.ilnp4j.tcp;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.ilnp4j.util.Seq;
import org.ilnp4j.wire.TcpHeader;

/**
 * Received data: what is in order and waits to be read, and what came early, as runs of contiguous
 * data (RFC 9293 §3.10.7.4, RFC 2018). Payload is kept as slices of the packets, without a copy, as
 * long as that does not pin much more memory than it holds; small segments are gathered.
 */
final class ReceiveBuffer {
  /** A slice that is less than this fraction of the buffer it pins is copied instead. */
  private static final int MAX_PINNED_RATIO = 4;

  private static final int GATHER_BELOW_BYTES = 512;
  private static final int GATHER_BUFFER_BYTES = 2048;

  /**
   * More separate early runs than this are refused; the other side sends them again. When a queue
   * overflows, every other segment of a window is lost: enough for a window of 48 MB.
   */
  static final int MAX_RUNS = 16_384;

  /** What a run takes beside its payload, about. */
  static final int RUN_BYTES = 256;

  /** Runs remembered for SACK blocks; more than a segment can name. */
  private static final int MAX_RECENT = 8;

  /** Contiguous data. */
  private static final class Run {
    int left;
    int right;
    final ArrayDeque<ByteBuf> chunks = new ArrayDeque<>(4);

    /** The last chunk when it is ours to append to, else null. */
    ByteBuf gathering;
  }

  private final ByteBufAllocator allocator;
  private final MemoryBudget budget;
  private final Run inOrder = new Run();
  private int readableBytes;

  /** Early runs, by sequence, never touching each other; null until the first one. */
  private List<Run> early;

  /** Runs in the order they last grew, latest first; the order of SACK blocks. */
  private List<Run> recent;

  private int earlyBytes;
  private long heldBytes;

  ReceiveBuffer(ByteBufAllocator allocator, MemoryBudget budget) {
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

  /** Octets that can be read. */
  int readableBytes() {
    return readableBytes;
  }

  /** Octets that came early. */
  int earlyBytes() {
    return earlyBytes;
  }

  boolean hasEarly() {
    return early != null && !early.isEmpty();
  }

  /** Adds payload that continues what is in order. */
  void appendInOrder(ByteBuf packet, int index, int length) {
    append(inOrder, packet, index, length);
    readableBytes += length;
  }

  /**
   * Moves the early data that now continues at {@code next} into order, and returns the new next
   * sequence number.
   */
  int promote(int next) {
    int rcvNxt = next;
    while (hasEarly() && Seq.leq(early.get(0).left, rcvNxt)) {
      Run run = early.remove(0);
      charge(-RUN_BYTES);
      recent.remove(run);
      earlyBytes -= run.right - run.left;
      int overlap = Math.min(rcvNxt - run.left, run.right - run.left);
      dropFront(run, overlap);
      readableBytes += run.right - run.left - overlap;
      inOrder.gathering = run.gathering;
      inOrder.chunks.addAll(run.chunks);
      rcvNxt = Seq.max(rcvNxt, run.right);
    }
    if (early != null && early.isEmpty()) {
      forgetEarly();
    } else if (early != null && recent.isEmpty()) {
      recent.add(early.get(0));
    }
    return rcvNxt;
  }

  /**
   * Adds payload that came early. False when nothing of it could be kept, for it is there already
   * or there are too many runs.
   */
  boolean insert(ByteBuf packet, int seq, int index, int length) {
    if (early == null) {
      early = new ArrayList<>(4);
      recent = new ArrayList<>(4);
    }
    int left = seq;
    int right = seq + length;
    boolean kept = false;
    int i = firstEndingAtOrAfter(left);
    while (Seq.lt(left, right)) {
      Run at = i < early.size() ? early.get(i) : null;
      if (at != null && Seq.leq(at.left, left) && Seq.geq(at.right, left)) {
        // Inside or directly behind a run.
        int gapEnd = i + 1 < early.size() ? Seq.min(early.get(i + 1).left, right) : right;
        int from = Seq.max(left, at.right);
        if (Seq.lt(from, gapEnd)) {
          append(at, packet, index + (from - seq), gapEnd - from);
          earlyBytes += gapEnd - from;
          at.right = gapEnd;
          kept = true;
        }
        touch(at);
        left = Seq.max(from, gapEnd);
        joinNext(i);
        if (Seq.geq(at.right, right)) {
          break;
        }
        left = at.right;
        continue;
      }
      if (early.size() >= MAX_RUNS) {
        break;
      }
      int gapEnd = at == null ? right : Seq.min(at.left, right);
      Run run = new Run();
      run.left = left;
      run.right = gapEnd;
      append(run, packet, index + (left - seq), gapEnd - left);
      earlyBytes += gapEnd - left;
      early.add(i, run);
      charge(RUN_BYTES);
      touch(run);
      kept = true;
      joinNext(i);
      left = run.right;
    }
    budget.noteEarly(this, hasEarly());
    return kept;
  }

  private void forgetEarly() {
    early = null;
    recent = null;
    earlyBytes = 0;
    budget.noteEarly(this, false);
  }

  private int firstEndingAtOrAfter(int seq) {
    int low = 0;
    int high = early.size();
    while (low < high) {
      int mid = (low + high) >>> 1;
      if (Seq.geq(early.get(mid).right, seq)) {
        high = mid;
      } else {
        low = mid + 1;
      }
    }
    return low;
  }

  private void joinNext(int i) {
    if (i + 1 >= early.size()) {
      return;
    }
    Run a = early.get(i);
    Run b = early.get(i + 1);
    if (a.right == b.left) {
      a.chunks.addAll(b.chunks);
      a.gathering = b.gathering;
      a.right = b.right;
      early.remove(i + 1);
      charge(-RUN_BYTES);
      recent.remove(b);
    }
  }

  private void touch(Run run) {
    if (recent.isEmpty() || recent.get(0) != run) {
      recent.remove(run);
      recent.add(0, run);
      if (recent.size() > MAX_RECENT) {
        recent.remove(MAX_RECENT);
      }
    }
  }

  /** True when {@code [left, right)} is part of one early run. */
  boolean holds(int left, int right) {
    if (!hasEarly()) {
      return false;
    }
    int i = firstEndingAtOrAfter(right);
    return i < early.size() && Seq.leq(early.get(i).left, left);
  }

  /** The first octet of {@code [left, right)} that came early before, or {@code right}. */
  int firstHeld(int left, int right) {
    int i = hasEarly() ? firstEndingAtOrAfter(left + 1) : 0;
    return hasEarly() && i < early.size()
        ? Seq.min(Seq.max(left, early.get(i).left), right)
        : right;
  }

  /** Where the run that holds {@code from} ends, or {@code right} if that is before. */
  int heldUpTo(int from, int right) {
    return Seq.min(early.get(firstEndingAtOrAfter(from + 1)).right, right);
  }

  int recentRuns() {
    return recent == null ? 0 : recent.size();
  }

  /** Writes SACK blocks, the most recently changed first (RFC 2018 §4). */
  void writeSackBlocks(TcpHeader out, int maxBlocks) {
    if (recent == null) {
      return;
    }
    for (int i = 0; i < recent.size() && out.sackCount < maxBlocks; i++) {
      out.sackLeft[out.sackCount] = recent.get(i).left;
      out.sackRight[out.sackCount++] = recent.get(i).right;
    }
  }

  private void append(Run run, ByteBuf packet, int index, int length) {
    int pinned = MemoryBudget.pinnedBytes(packet);
    boolean pinsTooMuch = (long) length * MAX_PINNED_RATIO < pinned;
    if (length >= GATHER_BELOW_BYTES && !pinsTooMuch) {
      run.gathering = null;
      run.chunks.add(packet.retainedSlice(index, length));
      charge(pinned);
      return;
    }
    if (run.gathering == null || run.gathering.writableBytes() < length) {
      int room =
          run.gathering == null && run.chunks.isEmpty()
              ? length
              : Math.max(length, GATHER_BUFFER_BYTES);
      run.gathering = allocator.directBuffer(room, room);
      run.chunks.add(run.gathering);
      charge(MemoryBudget.pinnedBytes(run.gathering));
    }
    run.gathering.writeBytes(packet, index, length);
  }

  private void dropFront(Run run, int bytes) {
    int left = bytes;
    while (left > 0) {
      ByteBuf first = run.chunks.peekFirst();
      int n = Math.min(left, first.readableBytes());
      first.skipBytes(n);
      left -= n;
      if (!first.isReadable()) {
        removeFirst(run).release();
        if (run.chunks.isEmpty()) {
          run.gathering = null;
        }
      }
    }
  }

  private ByteBuf removeFirst(Run run) {
    ByteBuf first = run.chunks.removeFirst();
    charge(-MemoryBudget.pinnedBytes(first));
    return first;
  }

  /**
   * Up to {@code maxBytes} octets in one buffer, owned by the caller, or null when there are none.
   */
  ByteBuf read(int maxBytes) {
    if (readableBytes == 0 || maxBytes <= 0) {
      return null;
    }
    ByteBuf first = inOrder.chunks.peekFirst();
    ByteBuf out;
    if (first.readableBytes() > maxBytes) {
      out = first.readRetainedSlice(maxBytes);
    } else {
      removeFirst(inOrder);
      if (inOrder.chunks.isEmpty()) {
        inOrder.gathering = null;
      }
      out = first;
    }
    readableBytes -= out.readableBytes();
    return out;
  }

  /** Releases everything that came early: the other side must send it again. */
  void clearEarly() {
    if (early != null) {
      for (Run run : early) {
        release(run);
        charge(-RUN_BYTES);
      }
    }
    forgetEarly();
  }

  /** Releases everything. */
  void clear() {
    clearEarly();
    release(inOrder);
    readableBytes = 0;
  }

  private void release(Run run) {
    run.gathering = null;
    while (!run.chunks.isEmpty()) {
      removeFirst(run).release();
    }
  }
}

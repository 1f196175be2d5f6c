package org.ilnp4j.ip6;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.util.Arrays;

/**
 * A packet in pieces, for a device that gathers them: the headers in a buffer of their own, and
 * behind them slices of what the user queued, so that payload is not copied. It may be larger than
 * the MTU: then it is a TCP super-segment, which the device cuts into segments of {@link
 * #segmentBytes} octets of payload, the last perhaps smaller, each with these headers.
 *
 * <p>The checksum field holds the folded sum of the pseudo-header alone, not complemented, and the
 * device completes it. For ILNP transport that sum leaves the Locators out, and stays right for
 * each segment cut.
 *
 * <p>Reused from packet to packet; what it refers to is valid during {@link PacketSink#transmit}
 * only.
 */
public final class GatheredPacket {
  private ByteBuf head;
  private int upperOffset;
  private int checksumOffset;
  private int segmentBytes;
  private boolean nidOnly;
  private ByteBuf[] pieces = new ByteBuf[8];
  private int[] indexes = new int[8];
  private int[] lengths = new int[8];
  private int count;
  private int payloadBytes;

  /**
   * Starts over.
   *
   * @param headers readable: all of them
   * @param upperIndex absolute index of the upper-layer header
   * @param mostBytes payload of each segment to be cut
   */
  void start(ByteBuf headers, int upperIndex, int mostBytes) {
    head = headers;
    upperOffset = upperIndex - headers.readerIndex();
    segmentBytes = mostBytes;
    count = 0;
    payloadBytes = 0;
  }

  /** Appends {@code length} octets of a buffer, which stays the caller's. */
  public void add(ByteBuf piece, int index, int length) {
    if (count == pieces.length) {
      pieces = Arrays.copyOf(pieces, 2 * count);
      indexes = Arrays.copyOf(indexes, 2 * count);
      lengths = Arrays.copyOf(lengths, 2 * count);
    }
    pieces[count] = piece;
    indexes[count] = index;
    lengths[count++] = length;
    payloadBytes += length;
  }

  /** Where the device finds the checksum, and what it covers. */
  void checksum(int offset, boolean leavesLocatorsOut) {
    checksumOffset = offset;
    nidOnly = leavesLocatorsOut;
  }

  /** Forgets what it refers to. */
  void clear() {
    head = null;
    Arrays.fill(pieces, 0, count, null);
    count = 0;
  }

  /** All headers, in the readable bytes. */
  public ByteBuf head() {
    return head;
  }

  /** Octets from the start of the packet to the upper-layer header. */
  public int upperOffset() {
    return upperOffset;
  }

  /** Octets from the upper-layer header to its checksum. */
  public int checksumOffset() {
    return checksumOffset;
  }

  /** True when the checksum is that of ILNP transport. */
  public boolean isNidOnly() {
    return nidOnly;
  }

  /** Octets of payload in each segment but the last. */
  public int segmentBytes() {
    return segmentBytes;
  }

  /** True when it has to be cut. */
  public boolean isSuperSegment() {
    return payloadBytes > segmentBytes;
  }

  public int payloadBytes() {
    return payloadBytes;
  }

  /** Octets of headers and payload. */
  public int bytes() {
    return head.readableBytes() + payloadBytes;
  }

  /** Number of pieces behind the headers. */
  public int pieces() {
    return count;
  }

  public ByteBuf piece(int i) {
    return pieces[i];
  }

  /** Absolute index in its buffer of the first octet of a piece. */
  public int index(int i) {
    return indexes[i];
  }

  public int length(int i) {
    return lengths[i];
  }

  /** A copy in one buffer, owned by the caller, with room for {@code before} octets in front. */
  public ByteBuf flatten(ByteBufAllocator allocator, int before) {
    ByteBuf flat = allocator.directBuffer(before + bytes());
    flat.setIndex(before, before);
    flat.writeBytes(head, head.readerIndex(), head.readableBytes());
    for (int i = 0; i < count; i++) {
      flat.writeBytes(pieces[i], indexes[i], lengths[i]);
    }
    return flat;
  }
}

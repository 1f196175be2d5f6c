package org.ilnp4j.link;

import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import org.ilnp4j.time.NanoClock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes IP packets to a classic pcap file (without link layer; time stamps in nanoseconds). Never
 * fails its caller: at the first error, or when the size limit is reached, it says so in one log
 * line, stops writing and only counts. Buffered; used on one thread.
 */
public final class PcapWriter implements AutoCloseable {
  /** Octets of a packet that are kept at most: the largest super-segment and some room. */
  public static final int MAX_SNAP_BYTES = 262_144;

  static final int FILE_HEADER_BYTES = 24;
  static final int RECORD_HEADER_BYTES = 16;

  private static final Logger LOG = LoggerFactory.getLogger(PcapWriter.class);
  private static final int MAGIC_NANOSECONDS = 0xa1b2_3c4d;

  /** Link type of captures that hold IPv6 only. */
  private static final int LINKTYPE_IPV6 = 229;

  /** Link type of captures that hold IPv4 and IPv6. */
  private static final int LINKTYPE_RAW = 101;

  private static final int BUFFER_BYTES = 65_536;
  private static final long NANOS_PER_SECOND = 1_000_000_000L;

  private final String name;
  private final WritableByteChannel out;
  private final long epochNanos;
  private final int snapBytes;
  private final long maxBytes;
  private final ByteBuffer buffer = ByteBuffer.allocateDirect(BUFFER_BYTES);
  private long bytes;
  private long written;
  private long skipped;
  private boolean isStopped;

  /**
   * @param name of the capture in log lines
   * @param epochNanos time of day that time 0 of the packets stands for, since 1970-01-01 UTC
   * @param snapBytes octets kept of each packet, 40 to {@link #MAX_SNAP_BYTES}
   * @param maxBytes size the capture may reach
   */
  public PcapWriter(
      String name, WritableByteChannel out, long epochNanos, int snapBytes, long maxBytes) {
    this(name, out, LINKTYPE_IPV6, epochNanos, snapBytes, maxBytes);
  }

  private PcapWriter(
      String name,
      WritableByteChannel out,
      int linkType,
      long epochNanos,
      int snapBytes,
      long maxBytes) {
    if (snapBytes < 40 || snapBytes > MAX_SNAP_BYTES) {
      throw new IllegalArgumentException("capture of " + snapBytes + " octets per packet");
    }
    this.name = name;
    this.out = out;
    this.epochNanos = epochNanos;
    this.snapBytes = snapBytes;
    this.maxBytes = maxBytes;
    buffer
        .putInt(MAGIC_NANOSECONDS)
        .putShort((short) 2)
        .putShort((short) 4)
        .putInt(0)
        .putInt(0)
        .putInt(snapBytes)
        .putInt(linkType);
    bytes = FILE_HEADER_BYTES;
  }

  /** Time of day at which {@code clock} stood at zero: captures are dated by the wall clock. */
  public static long epochNanosOf(NanoClock clock) {
    Instant now = Instant.now();
    return NanoClock.seconds(now.getEpochSecond()) + now.getNano() - clock.nanoTime();
  }

  /** Creates the file, or empties it, and captures whole packets without a size limit. */
  public static PcapWriter open(Path file, long epochNanos) throws IOException {
    return open(file, epochNanos, MAX_SNAP_BYTES, Long.MAX_VALUE);
  }

  /** Creates the file, or empties it. */
  public static PcapWriter open(Path file, long epochNanos, int snapBytes, long maxBytes)
      throws IOException {
    return new PcapWriter(file.toString(), create(file), epochNanos, snapBytes, maxBytes);
  }

  /** As {@link #open(Path, long)}, for packets of IPv4 too. */
  public static PcapWriter openForAnyIp(Path file, long epochNanos) throws IOException {
    return new PcapWriter(
        file.toString(), create(file), LINKTYPE_RAW, epochNanos, MAX_SNAP_BYTES, Long.MAX_VALUE);
  }

  private static WritableByteChannel create(Path file) throws IOException {
    return Files.newByteChannel(
        file,
        StandardOpenOption.CREATE,
        StandardOpenOption.TRUNCATE_EXISTING,
        StandardOpenOption.WRITE);
  }

  /** Records the readable bytes; the buffer stays the caller's. */
  public void write(long nowNanos, ByteBuf packet) {
    int length = packet.readableBytes();
    int kept = Math.min(length, snapBytes);
    if (isStopped) {
      skipped++;
      return;
    }
    if (bytes + RECORD_HEADER_BYTES + kept > maxBytes) {
      flush();
      stop("size limit of " + maxBytes + " octets reached");
      skipped++;
      return;
    }
    if (buffer.remaining() < RECORD_HEADER_BYTES) {
      flush();
    }
    long stamp = epochNanos + nowNanos;
    buffer
        .putInt((int) (stamp / NANOS_PER_SECOND))
        .putInt((int) (stamp % NANOS_PER_SECOND))
        .putInt(kept)
        .putInt(length);
    int index = packet.readerIndex();
    int left = kept;
    while (left > 0 && !isStopped) {
      int part = Math.min(left, buffer.remaining());
      ByteBuffer window = buffer.slice(buffer.position(), part);
      packet.getBytes(index, window);
      buffer.position(buffer.position() + part);
      index += part;
      left -= part;
      if (!buffer.hasRemaining()) {
        flush();
      }
    }
    bytes += RECORD_HEADER_BYTES + kept;
    written++;
  }

  /** Hands what is buffered to the operating system. */
  public void flush() {
    if (isStopped) {
      return;
    }
    buffer.flip();
    try {
      while (buffer.hasRemaining()) {
        out.write(buffer);
      }
    } catch (IOException e) {
      stop(e.toString());
    }
    buffer.clear();
  }

  private void stop(String why) {
    isStopped = true;
    LOG.warn("capture {} ends after {} packets: {}", name, written, why);
  }

  /** Packets recorded. */
  public long written() {
    return written;
  }

  /** Packets that came after the capture had ended. */
  public long skipped() {
    return skipped;
  }

  /** True after an error, at the size limit and after {@link #close}. */
  public boolean isStopped() {
    return isStopped;
  }

  /** Writes what is buffered and closes the file. Idempotent. */
  @Override
  public void close() {
    flush();
    isStopped = true;
    try {
      out.close();
    } catch (IOException e) {
      LOG.warn("capture {}: {}", name, e.toString());
    }
  }
}

package org.ilnp4j.wire;

import io.netty.buffer.ByteBuf;
import org.ilnp4j.util.DropReason;

/**
 * A TCP header with its options (RFC 9293 §3.1, RFC 7323, RFC 2018), parsed from bytes or to be
 * written as bytes. Mutable and reused: one for all segments in, one for all segments out.
 */
public final class TcpHeader {
  public static final int MIN_BYTES = 20;
  public static final int MAX_BYTES = 60;
  public static final int MAX_SACK_BLOCKS = 4;
  public static final int CHECKSUM_OFFSET = 16;

  public static final int FIN = 0x01;
  public static final int SYN = 0x02;
  public static final int RST = 0x04;
  public static final int PSH = 0x08;
  public static final int ACK = 0x10;
  public static final int URG = 0x20;
  public static final int ECE = 0x40;
  public static final int CWR = 0x80;

  private static final int OPT_END = 0;
  private static final int OPT_NOP = 1;
  private static final int OPT_MSS = 2;
  private static final int OPT_WINDOW_SCALE = 3;
  private static final int OPT_SACK_PERMITTED = 4;
  private static final int OPT_SACK = 5;
  private static final int OPT_TIMESTAMPS = 8;
  private static final int OPT_USER_TIMEOUT = 28;

  /** Granularity bit of the user timeout: minutes instead of seconds (RFC 5482 §3.1). */
  private static final int IN_MINUTES = 0x8000;

  /** The order and padding of the options in {@link #write}; receivers do not care. */
  public enum OptionOrder {
    /**
     * MSS, SACK permitted, timestamps, window scale, user timeout, SACK; padding in front of each.
     */
    LINUX,
    /**
     * MSS, window scale, SACK permitted, timestamps, user timeout, SACK; padding at the end where
     * it can be.
     */
    BSD
  }

  public OptionOrder optionOrder = OptionOrder.LINUX;
  public int srcPort;
  public int dstPort;
  public int seq;
  public int ack;
  public int flags;

  /** As on the wire, not scaled. 0 to 65535. */
  public int window;

  public int urgent;

  /** Maximum segment size, or -1 when absent. */
  public int mss;

  /**
   * Window scale shift 0 to 14 (larger values are read as 14, RFC 7323 §2.3), or -1 when absent.
   */
  public int windowScale;

  public boolean sackPermitted;
  public boolean hasTimestamps;
  public int tsVal;
  public int tsEcr;

  /** User timeout (RFC 5482), 0 to 1966020, or -1 when absent. More than 32767 in whole minutes. */
  public int userTimeoutSeconds;

  public int sackCount;
  public final int[] sackLeft = new int[MAX_SACK_BLOCKS];
  public final int[] sackRight = new int[MAX_SACK_BLOCKS];

  /** Absolute index of the payload; set by {@link #parse}. */
  public int payloadIndex;

  public int payloadLength;

  /** Back to an empty header without options. */
  public TcpHeader clear() {
    srcPort = 0;
    dstPort = 0;
    seq = 0;
    ack = 0;
    flags = 0;
    window = 0;
    urgent = 0;
    mss = -1;
    windowScale = -1;
    sackPermitted = false;
    hasTimestamps = false;
    tsVal = 0;
    tsEcr = 0;
    userTimeoutSeconds = -1;
    sackCount = 0;
    payloadIndex = 0;
    payloadLength = 0;
    return this;
  }

  public boolean has(int flag) {
    return (flags & flag) != 0;
  }

  /** Sequence space the segment takes: payload, plus one each for SYN and FIN. */
  public int sequenceLength() {
    return payloadLength + (has(SYN) ? 1 : 0) + (has(FIN) ? 1 : 0);
  }

  /** Parses {@code length} octets at absolute {@code index}. Does not verify the checksum. */
  public DropReason parse(ByteBuf buf, int index, int length) {
    clear();
    if (length < MIN_BYTES) {
      return DropReason.TCP_TRUNCATED;
    }
    int headerBytes = (buf.getUnsignedByte(index + 12) >>> 4) * 4;
    if (headerBytes < MIN_BYTES || headerBytes > length) {
      return DropReason.TCP_BAD_OFFSET;
    }
    srcPort = buf.getUnsignedShort(index);
    dstPort = buf.getUnsignedShort(index + 2);
    seq = buf.getInt(index + 4);
    ack = buf.getInt(index + 8);
    flags = buf.getUnsignedByte(index + 13);
    window = buf.getUnsignedShort(index + 14);
    urgent = buf.getUnsignedShort(index + 18);
    payloadIndex = index + headerBytes;
    payloadLength = length - headerBytes;
    parseOptions(buf, index + MIN_BYTES, index + headerBytes);
    return null;
  }

  /** A malformed option ends the option list; what came before it stands (RFC 9293 §3.1). */
  private void parseOptions(ByteBuf buf, int from, int end) {
    int at = from;
    while (at < end) {
      int kind = buf.getUnsignedByte(at);
      if (kind == OPT_END) {
        return;
      }
      if (kind == OPT_NOP) {
        at++;
        continue;
      }
      if (end - at < 2) {
        return;
      }
      int size = buf.getUnsignedByte(at + 1);
      if (size < 2 || size > end - at) {
        return;
      }
      parseOption(buf, kind, at + 2, size);
      at += size;
    }
  }

  private void parseOption(ByteBuf buf, int kind, int at, int size) {
    if (kind == OPT_MSS && size == 4 && has(SYN)) {
      mss = buf.getUnsignedShort(at);
    } else if (kind == OPT_WINDOW_SCALE && size == 3 && has(SYN)) {
      windowScale = Math.min(14, buf.getUnsignedByte(at));
    } else if (kind == OPT_SACK_PERMITTED && size == 2 && has(SYN)) {
      sackPermitted = true;
    } else if (kind == OPT_TIMESTAMPS && size == 10) {
      hasTimestamps = true;
      tsVal = buf.getInt(at);
      tsEcr = buf.getInt(at + 4);
    } else if (kind == OPT_USER_TIMEOUT && size == 4) {
      int value = buf.getUnsignedShort(at);
      userTimeoutSeconds = (value & ~IN_MINUTES) * ((value & IN_MINUTES) != 0 ? 60 : 1);
    } else if (kind == OPT_SACK && size > 2 && (size - 2) % 8 == 0) {
      sackCount = Math.min(MAX_SACK_BLOCKS, (size - 2) / 8);
      for (int i = 0; i < sackCount; i++) {
        sackLeft[i] = buf.getInt(at + 8 * i);
        sackRight[i] = buf.getInt(at + 8 * i + 4);
      }
    }
  }

  /** SACK blocks that fit beside the other options: 3 with timestamps, 4 without. */
  public int sackRoom() {
    return (MAX_BYTES - bytesWithoutSack() - 4) / 8;
  }

  private int sackWritten() {
    return Math.min(sackCount, sackRoom());
  }

  /** The same in both orders. */
  private int bytesWithoutSack() {
    int n = MIN_BYTES;
    n += mss >= 0 ? 4 : 0;
    n += sackPermitted && !hasTimestamps ? 4 : 0;
    n += hasTimestamps ? 12 : 0;
    n += windowScale >= 0 ? 4 : 0;
    n += userTimeoutSeconds >= 0 ? 4 : 0;
    return n;
  }

  /** Octets {@link #write} will produce. */
  public int headerBytes() {
    int blocks = sackWritten();
    return bytesWithoutSack() + (blocks > 0 ? 4 + 8 * blocks : 0);
  }

  /**
   * Appends the header at the writer index, checksum zero. SACK blocks beyond {@link #sackRoom} are
   * left out.
   */
  public void write(ByteBuf out) {
    out.writeShort(srcPort);
    out.writeShort(dstPort);
    out.writeInt(seq);
    out.writeInt(ack);
    out.writeByte((headerBytes() / 4) << 4);
    out.writeByte(flags);
    out.writeShort(window);
    out.writeShort(0);
    out.writeShort(urgent);
    if (mss >= 0) {
      out.writeInt(OPT_MSS << 24 | 4 << 16 | mss);
    }
    if (optionOrder == OptionOrder.LINUX) {
      writeRestLinux(out);
    } else {
      writeRestBsd(out);
    }
    writeUserTimeout(out);
    writeSack(out);
  }

  /**
   * Makes of the header of a super-segment, written at {@code index}, that of one of its segments.
   *
   * @param offset of the segment's text in that of the super-segment
   * @param last true for the last of them
   */
  public static void cutFrom(ByteBuf packet, int index, int offset, boolean last) {
    packet.setInt(index + 4, packet.getInt(index + 4) + offset);
    int flags = packet.getUnsignedByte(index + 13);
    packet.setByte(index + 13, flags & ~(last ? 0 : FIN | PSH) & ~(offset == 0 ? 0 : CWR));
  }

  private void writeRestLinux(ByteBuf out) {
    if (hasTimestamps) {
      // The two octets before the timestamps hold either SACK permitted or padding.
      out.writeShort(sackPermitted ? OPT_SACK_PERMITTED << 8 | 2 : OPT_NOP << 8 | OPT_NOP);
      writeTimestamps(out);
    } else if (sackPermitted) {
      out.writeInt(OPT_NOP << 24 | OPT_NOP << 16 | OPT_SACK_PERMITTED << 8 | 2);
    }
    if (windowScale >= 0) {
      out.writeInt(OPT_NOP << 24 | OPT_WINDOW_SCALE << 16 | 3 << 8 | windowScale);
    }
  }

  private void writeRestBsd(ByteBuf out) {
    if (windowScale >= 0) {
      out.writeInt(OPT_NOP << 24 | OPT_WINDOW_SCALE << 16 | 3 << 8 | windowScale);
    }
    if (sackPermitted) {
      out.writeShort(OPT_SACK_PERMITTED << 8 | 2);
    }
    if (hasTimestamps) {
      if (!sackPermitted) {
        out.writeShort(OPT_NOP << 8 | OPT_NOP);
      }
      writeTimestamps(out);
    } else if (sackPermitted) {
      // Nothing is read behind an end of options.
      out.writeShort(userTimeoutSeconds < 0 ? OPT_END << 8 | OPT_END : OPT_NOP << 8 | OPT_NOP);
    }
  }

  private void writeTimestamps(ByteBuf out) {
    out.writeShort(OPT_TIMESTAMPS << 8 | 10);
    out.writeInt(tsVal);
    out.writeInt(tsEcr);
  }

  private void writeUserTimeout(ByteBuf out) {
    if (userTimeoutSeconds >= 0) {
      int value =
          userTimeoutSeconds < IN_MINUTES
              ? userTimeoutSeconds
              : IN_MINUTES | userTimeoutSeconds / 60;
      out.writeInt(OPT_USER_TIMEOUT << 24 | 4 << 16 | value);
    }
  }

  private void writeSack(ByteBuf out) {
    int blocks = sackWritten();
    if (blocks > 0) {
      out.writeShort(OPT_NOP << 8 | OPT_NOP);
      out.writeShort(OPT_SACK << 8 | (2 + 8 * blocks));
      for (int i = 0; i < blocks; i++) {
        out.writeInt(sackLeft[i]);
        out.writeInt(sackRight[i]);
      }
    }
  }
}

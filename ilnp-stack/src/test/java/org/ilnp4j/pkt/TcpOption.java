package org.ilnp4j.pkt;

import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * One TCP option, padding included: order and padding are compared too.
 *
 * @param values the fields of the kinds known by name, else the octets behind the length
 */
record TcpOption(int kind, long[] values) {
  static final int END = 0;
  static final int NOP = 1;
  static final int MSS = 2;
  static final int WINDOW_SCALE = 3;
  static final int SACK_PERMITTED = 4;
  static final int SACK = 5;
  static final int TIMESTAMPS = 8;

  static TcpOption of(int kind, long... values) {
    return new TcpOption(kind, values);
  }

  /** Octets on the wire. */
  int bytes() {
    return switch (kind) {
      case END, NOP -> 1;
      case MSS -> 4;
      case SACK, TIMESTAMPS -> 2 + 4 * values.length;
      default -> 2 + values.length;
    };
  }

  void write(ByteBuf out) {
    out.writeByte(kind);
    if (kind <= NOP) {
      return;
    }
    out.writeByte(bytes());
    for (long v : values) {
      if (kind == MSS) {
        out.writeShort((int) v);
      } else if (kind == SACK || kind == TIMESTAMPS) {
        out.writeInt((int) v);
      } else {
        out.writeByte((int) v);
      }
    }
  }

  /** The options between two absolute indexes; what is cut short ends the list. */
  static List<TcpOption> parse(ByteBuf buf, int from, int end) {
    List<TcpOption> options = new ArrayList<>();
    int at = from;
    while (at < end) {
      int kind = buf.getUnsignedByte(at);
      if (kind <= NOP) {
        options.add(of(kind));
        at++;
        continue;
      }
      int size = at + 1 < end ? buf.getUnsignedByte(at + 1) : 0;
      if (size < 2 || at + size > end) {
        return options;
      }
      options.add(new TcpOption(kind, fields(buf, kind, at + 2, size - 2)));
      at += size;
    }
    return options;
  }

  private static long[] fields(ByteBuf buf, int kind, int at, int length) {
    int width = kind == MSS ? 2 : kind == SACK || kind == TIMESTAMPS ? 4 : 1;
    long[] values = new long[length / width];
    for (int i = 0; i < values.length; i++) {
      int p = at + width * i;
      values[i] =
          width == 4
              ? buf.getUnsignedInt(p)
              : width == 2 ? buf.getUnsignedShort(p) : buf.getUnsignedByte(p);
    }
    return values;
  }

  @Override
  public boolean equals(Object o) {
    return o instanceof TcpOption t && t.kind == kind && Arrays.equals(t.values, values);
  }

  @Override
  public int hashCode() {
    return 31 * kind + Arrays.hashCode(values);
  }

  @Override
  public String toString() {
    return switch (kind) {
      case END -> "eol";
      case NOP -> "nop";
      case MSS -> "mss " + values[0];
      case WINDOW_SCALE -> "wscale " + values[0];
      case SACK_PERMITTED -> "sackOK";
      case SACK -> {
        StringBuilder s = new StringBuilder("sack");
        for (int i = 0; i + 1 < values.length; i += 2) {
          s.append(' ').append(values[i]).append(':').append(values[i + 1]);
        }
        yield s.toString();
      }
      case TIMESTAMPS -> "TS val " + values[0] + " ecr " + values[1];
      default -> "option " + kind + " " + Arrays.toString(values);
    };
  }
}

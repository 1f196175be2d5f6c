package org.ilnp4j.wire;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;

/** Packets as text: hex dumps in, buffers out, and back. */
public final class Hex {
  private Hex() {}

  /**
   * Reads a hex dump. A line may begin with an offset of four digits and two spaces, and may end in
   * a comment behind two or more spaces. Bytes may be separated by single spaces or not at all.
   */
  public static byte[] bytes(String dump) {
    StringBuilder digits = new StringBuilder();
    for (String line : dump.split("\n", -1)) {
      String data = line.strip().replaceFirst("^[0-9a-fA-F]{4}  ", "");
      digits.append(data.split(" {2,}", 2)[0].replace(" ", ""));
    }
    return ByteBufUtil.decodeHexDump(digits);
  }

  /** The same in a heap buffer without spare capacity: reading past the end throws. */
  public static ByteBuf parse(String dump) {
    return Unpooled.wrappedBuffer(bytes(dump));
  }

  /** Sixteen bytes to a line, separated by spaces, without offsets: made for comparing. */
  public static String dump(ByteBuf buf) {
    return dump(buf, buf.readerIndex(), buf.readableBytes());
  }

  /** As {@link #dump(ByteBuf)} for {@code length} bytes at absolute {@code index}. */
  public static String dump(ByteBuf buf, int index, int length) {
    List<String> lines = new ArrayList<>();
    for (int i = 0; i < length; i += 16) {
      StringBuilder line = new StringBuilder();
      for (int j = i; j < Math.min(i + 16, length); j++) {
        line.append(String.format("%s%02x", j == i ? "" : " ", buf.getUnsignedByte(index + j)));
      }
      lines.add(line.toString());
    }
    return String.join("\n", lines);
  }

  /** A hex dump in the form {@link #dump(ByteBuf)} gives, without offsets and comments. */
  public static String normalize(String dump) {
    return dump(parse(dump));
  }
}

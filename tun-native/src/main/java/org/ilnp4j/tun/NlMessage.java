package org.ilnp4j.tun;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * Builds one netlink request: {@code nlmsghdr}, the fixed header of the message type, attributes
 * aligned to four octets. All in native byte order.
 */
final class NlMessage {
  static final int HEADER_BYTES = 16;
  static final int ATTRIBUTE_HEADER_BYTES = 4;

  // Message types (linux/rtnetlink.h): NEW; DEL is one more, GET two more.
  static final int NLMSG_ERROR = 2;
  static final int NLMSG_DONE = 3;
  static final int NLMSG_OVERRUN = 4;
  static final int RTM_NEWLINK = 16;
  static final int RTM_DELLINK = 17;
  static final int RTM_GETLINK = 18;
  static final int RTM_NEWADDR = 20;
  static final int RTM_DELADDR = 21;
  static final int RTM_GETADDR = 22;
  static final int RTM_NEWROUTE = 24;
  static final int RTM_DELROUTE = 25;
  static final int RTM_GETROUTE = 26;
  static final int RTM_NEWNEIGH = 28;
  static final int RTM_DELNEIGH = 29;
  static final int RTM_GETNEIGH = 30;
  static final int RTM_NEWRULE = 32;
  static final int RTM_DELRULE = 33;
  static final int RTM_GETRULE = 34;

  // Flags of requests and of answers
  static final int NLM_F_REQUEST = 0x1;
  static final int NLM_F_ACK = 0x4;
  static final int NLM_F_DUMP_INTR = 0x10;
  static final int NLM_F_REPLACE = 0x100;
  static final int NLM_F_EXCL = 0x200;
  static final int NLM_F_DUMP = 0x300;
  static final int NLM_F_CREATE = 0x400;
  static final int NLM_F_CAPPED = 0x100;
  static final int NLM_F_ACK_TLVS = 0x200;

  private final ByteBuffer buffer;

  NlMessage(ByteBuffer buffer) {
    this.buffer = buffer;
  }

  /** Starts a message; what was in the buffer before is gone. */
  NlMessage begin(int type, int flags) {
    buffer.clear();
    buffer.putInt(0).putShort((short) type).putShort((short) flags).putInt(0).putInt(0);
    return this;
  }

  NlMessage u8(int value) {
    buffer.put((byte) value);
    return this;
  }

  NlMessage u16(int value) {
    buffer.putShort((short) value);
    return this;
  }

  NlMessage u32(int value) {
    buffer.putInt(value);
    return this;
  }

  NlMessage attribute(int type, int value) {
    return attributeHeader(type, Integer.BYTES).u32(value);
  }

  NlMessage attribute(int type, Ip6Address value) {
    return attribute(type, value.octets());
  }

  NlMessage attribute(int type, byte[] value) {
    attributeHeader(type, value.length);
    buffer.put(value);
    return pad();
  }

  NlMessage attributeU8(int type, int value) {
    return attributeHeader(type, 1).u8(value).pad();
  }

  /** A string attribute with its terminating zero. */
  NlMessage attribute(int type, String value) {
    byte[] octets = value.getBytes(StandardCharsets.UTF_8);
    attributeHeader(type, octets.length + 1);
    buffer.put(octets).put((byte) 0);
    return pad();
  }

  /** Completes the message with its length and sequence number; returns the length. */
  int finish(int sequence) {
    int length = buffer.position();
    buffer.putInt(0, length);
    buffer.putInt(8, sequence);
    return length;
  }

  private NlMessage attributeHeader(int type, int length) {
    return u16(ATTRIBUTE_HEADER_BYTES + length).u16(type);
  }

  private NlMessage pad() {
    while ((buffer.position() & 3) != 0) {
      buffer.put((byte) 0);
    }
    return this;
  }
}

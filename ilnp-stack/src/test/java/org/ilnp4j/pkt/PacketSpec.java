package org.ilnp4j.pkt;

import java.util.List;
import java.util.stream.Collectors;
import org.ilnp4j.wire.TcpHeader;

/**
 * A TCP segment as written in a script; sequence numbers count from each side's SYN.
 *
 * @param inbound towards the stack under test
 * @param srcPort 0 when not said, likewise {@code dstPort}
 * @param flags {@link TcpHeader} flags
 * @param seq -1 when any will do
 * @param ack meaningful with the ACK flag
 * @param window as on the wire, -1 when not said
 * @param options null when anything goes
 */
record PacketSpec(
    boolean inbound,
    Ip ip,
    int srcPort,
    int dstPort,
    int flags,
    long seq,
    int length,
    long ack,
    int window,
    int urgent,
    List<TcpOption> options)
    implements Event.Action {
  /**
   * What is said of the IPv6 header.
   *
   * @param ecn 0 to 3, -1 when not said, -2 for ECT(0) or ECT(1)
   * @param nonce null when not said: {@code nonce}, {@code no-nonce}, {@code wrong-nonce}
   * @param from name of the Locator it leaves from, null when not said; likewise {@code to}
   */
  record Ip(int ecn, int trafficClass, int hopLimit, String nonce, String from, String to) {
    static final Ip DEFAULT = new Ip(-1, -1, -1, null, null, null);
  }

  boolean has(int flag) {
    return (flags & flag) != 0;
  }

  private static final String LETTERS = "FSRP.UEW";

  /** The order in which scripts write them. */
  static String flags(int flags) {
    StringBuilder s = new StringBuilder();
    for (char c : "FSRPUEW.".toCharArray()) {
      s.append((flags & 1 << LETTERS.indexOf(c)) != 0 ? String.valueOf(c) : "");
    }
    return s.isEmpty() ? "-" : s.toString();
  }

  /** The bit of one letter, or -1. */
  static int flag(char letter) {
    int i = letter == 'C' ? LETTERS.indexOf('W') : LETTERS.indexOf(letter);
    return i < 0 ? -1 : 1 << i;
  }

  static String describe(
      int flags, long seq, int length, long ack, int window, List<TcpOption> options) {
    StringBuilder s = new StringBuilder();
    s.append(flags(flags)).append(' ');
    s.append(seq < 0 ? "..." : seq + ":" + (seq + length));
    s.append('(').append(length).append(')');
    if ((flags & TcpHeader.ACK) != 0) {
      s.append(" ack ").append(ack);
    }
    if (window >= 0) {
      s.append(" win ").append(window);
    }
    if (options == null) {
      s.append(" <...>");
    } else if (!options.isEmpty()) {
      s.append(
          options.stream().map(TcpOption::toString).collect(Collectors.joining(",", " <", ">")));
    }
    return s.toString();
  }

  @Override
  public String toString() {
    return describe(flags, seq, length, ack, window, options);
  }
}

package org.ilnp4j.pkt;

import java.util.ArrayList;
import java.util.List;
import org.ilnp4j.wire.LocatorUpdate;
import org.ilnp4j.wire.TcpHeader;

/** Compares what the stack has sent with what a script says. */
final class PacketCheck {
  /** Flags that may differ between segments a script writes as one. */
  private static final int MERGED = TcpHeader.FIN | TcpHeader.PSH | TcpHeader.CWR;

  private static final int MOST_LAG = 1460;

  /** Microseconds a tick of the timestamp clock takes; 0 leaves TSval unchecked. */
  private final long tickMicros;

  private final long toleranceMicros;

  /** For scripts written for this stack, or none in particular. */
  private final boolean exact;

  PacketCheck(long tickMicros, long toleranceMicros, boolean exact) {
    this.exact = exact;
    this.tickMicros = tickMicros;
    this.toleranceMicros = toleranceMicros;
  }

  /** ScriptStop when segments, in order, are not what {@code p} says. */
  void segments(Flow flow, PacketSpec p, List<Segment> parts) {
    Segment first = parts.get(0);
    Segment last = parts.get(parts.size() - 1);
    int length = 0;
    int flags = first.tcp.flags;
    for (Segment s : parts) {
      if (s.tcp.seq != first.tcp.seq + length
          || ((s.tcp.flags ^ first.tcp.flags) & ~MERGED) != 0
          || s.tcp.ack != first.tcp.ack) {
        throw differs(flow, p, parts, "does not continue");
      }
      length += s.tcp.payloadLength;
      flags |= s.tcp.flags;
    }
    if (p.has(TcpHeader.SYN) && first.has(TcpHeader.SYN) && !flow.isLocalKnown()) {
      flow.localSyn(first, Math.max(0, p.seq()));
    }
    boolean syn = (flags & TcpHeader.SYN) != 0;
    if ((flags & (TcpHeader.ACK | TcpHeader.RST)) == TcpHeader.ACK) {
      flow.remoteAnswered();
    }
    List<TcpOption> options = flow.scriptOptionsOut(last, p);
    // In text, PSH shows where a system's own buffers end; RFC 9293 §3.9.1.2 leaves that open.
    int compared = exact || length == 0 ? 0xff : ~TcpHeader.PSH;
    String what =
        ((flags ^ p.flags()) & compared) != 0
            ? "flags"
            : p.seq() >= 0 && flow.scriptSeqOut(first.tcp.seq, syn) != p.seq()
                ? "sequence number"
                : length != p.length()
                    ? "length"
                    : p.has(TcpHeader.ACK) && flow.scriptAckOut(last.tcp.ack, syn) != p.ack()
                        ? "acknowledgement"
                        : p.window() >= 0 && windowDiffers(flow, p, last)
                            ? "window"
                            : last.tcp.urgent != p.urgent()
                                ? "urgent pointer"
                                : optionsDiffer(options, p) ? "options" : null;
    if (what != null) {
      throw differs(flow, p, parts, what);
    }
    payload(flow, parts);
    parts.forEach(s -> ip(s, p.ip()));
  }

  /**
   * Other systems move the right edge with every octet; RFC 9293 §3.8.6.2.2 has it wait for a
   * segment's worth, so in their scripts the window may be less by that much.
   */
  private boolean windowDiffers(Flow flow, PacketSpec p, Segment s) {
    int shift = s.has(TcpHeader.SYN) ? 0 : flow.windowShift();
    int less = p.window() - s.tcp.window << shift;
    return exact || s.has(TcpHeader.RST) ? less != 0 : less < 0 || less >= MOST_LAG;
  }

  private ScriptStop differs(Flow flow, PacketSpec p, List<Segment> parts, String what) {
    StringBuilder got = new StringBuilder(flow.describe(parts.get(0), p));
    if (parts.size() > 1) {
      got.append(" … ").append(flow.describe(parts.get(parts.size() - 1), p));
    }
    return ScriptStop.fail("packet sent: " + what, p, got);
  }

  private boolean optionsDiffer(List<TcpOption> got, PacketSpec p) {
    List<TcpOption> expected = p.options();
    if (expected == null) {
      return false;
    }
    if (expected.size() != got.size()) {
      return true;
    }
    for (int i = 0; i < got.size(); i++) {
      TcpOption e = expected.get(i);
      TcpOption g = got.get(i);
      if (e.kind() == TcpOption.TIMESTAMPS && g.kind() == TcpOption.TIMESTAMPS) {
        long off = Math.abs((int) (e.values()[0] - g.values()[0])) * tickMicros;
        if (off > toleranceMicros || e.values()[1] != g.values()[1]) {
          return true;
        }
      } else if (!e.equals(g)) {
        return true;
      }
    }
    return false;
  }

  private static void payload(Flow flow, List<Segment> parts) {
    for (Segment s : parts) {
      long seq = flow.scriptSeqOut(s.tcp.seq, s.has(TcpHeader.SYN));
      for (int i = 0; i < s.payload.length; i++) {
        if (s.payload[i] != Wire.octet(seq + i)) {
          throw ScriptStop.fail("packet sent: payload", "what was written", "octet " + (seq + i));
        }
      }
    }
  }

  /** What the script says of the IPv6 header. */
  static void ip(Segment s, PacketSpec.Ip ip) {
    int ecn = s.trafficClass & 3;
    if ((ip.ecn() >= 0 && ip.ecn() != ecn) || (ip.ecn() == -2 && ecn != 1 && ecn != 2)) {
      throw ScriptStop.fail("packet sent: ECN", ip.ecn(), ecn);
    }
    if (ip.trafficClass() >= 0 && ip.trafficClass() != s.trafficClass) {
      throw ScriptStop.fail("packet sent: traffic class", ip.trafficClass(), s.trafficClass);
    }
    if (ip.hopLimit() >= 0 && ip.hopLimit() != s.hopLimit) {
      throw ScriptStop.fail("packet sent: hop limit", ip.hopLimit(), s.hopLimit);
    }
    if (ip.nonce() != null && ip.nonce().equals("nonce") != s.nonceLength > 0) {
      throw ScriptStop.fail("packet sent: nonce", ip.nonce(), s.nonceLength + " octets of it");
    }
    String path = Machine.locatorName(s.srcL64) + ">" + Machine.locatorName(s.dstL64);
    if (ip.from() != null && !path.equals(ip.from() + ">" + ip.to())) {
      throw ScriptStop.fail("packet sent: path", ip.from() + ">" + ip.to(), path);
    }
  }

  /** The names of the Locators a Locator Update lists. */
  static List<String> locators(Segment s) {
    List<String> names = new ArrayList<>();
    for (int i = 0; i < s.update.count; i++) {
      names.add(Machine.locatorName(s.update.l64[i]));
    }
    return names;
  }

  /** One line about a packet of any kind. */
  static String describe(Flow flow, Segment s, PacketSpec p) {
    if (s.update != null) {
      return s.update.operation == LocatorUpdate.ADVERTISEMENT
          ? "lu" + locators(s)
          : "lu-ack" + locators(s);
    }
    return s.tcp == null ? "packet of protocol " + s.protocol : flow.describe(s, p);
  }
}

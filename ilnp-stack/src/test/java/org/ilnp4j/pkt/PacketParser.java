package org.ilnp4j.pkt;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.ilnp4j.pkt.Event.Action;
import org.ilnp4j.pkt.Event.IcmpSpec;
import org.ilnp4j.pkt.Event.UpdateSpec;
import org.ilnp4j.pkt.PacketSpec.Ip;
import org.ilnp4j.wire.TcpHeader;

/** Reads packets: {@code < [ip] flags seq:end(length) ack n win n <options>} and other kinds. */
final class PacketParser {
  private static final Set<String> OTHER_PROTOCOLS =
      Set.of("udp", "udplite", "sctp", "gre", "mpls", "ipv4", "ipv6");

  private final Cursor in;

  PacketParser(Cursor in) {
    this.in = in;
  }

  Action parse() {
    boolean inbound = in.take("<");
    if (!inbound) {
      in.expect(">");
    }
    Ip ip = Ip.DEFAULT;
    if (in.isNext("[") || in.isNext("(")) {
      ip = ip(in.take("[") ? "]" : in.take("(") ? ")" : "");
    }
    if (in.takeWord("icmp")) {
      return icmp(inbound, ip);
    }
    if (in.isNext("lu-ack") || in.takeWord("lu")) {
      return update(inbound, ip);
    }
    if (in.takeWord("encap")) {
      throw ScriptStop.unsupported("encapsulated packets");
    }
    int mark = in.position();
    if (in.isWordNext()) {
      String protocol = in.word();
      if (OTHER_PROTOCOLS.contains(protocol)) {
        throw ScriptStop.unsupported(protocol + " packets");
      }
      in.position(mark);
    }
    return segment(inbound, ip);
  }

  // ---- IPv6 header ----------------------------------------------------------------------------

  private Ip ip(String close) {
    int ecn = -1;
    int trafficClass = -1;
    int hopLimit = -1;
    String nonce = null;
    String from = null;
    String to = null;
    do {
      String w = in.word();
      while (in.charAt(0) == '-') {
        in.expect("-");
        w += "-" + in.word();
      }
      switch (w) {
        case "noecn" -> ecn = 0;
        case "ect1" -> ecn = 1;
        case "ect0" -> ecn = 2;
        case "ce" -> ecn = 3;
        case "ect01" -> ecn = -2;
        case "tos", "tclass" -> trafficClass = (int) in.integer();
        case "ttl", "hlim" -> hopLimit = (int) in.integer();
        case "nonce", "no-nonce", "wrong-nonce" -> nonce = w;
        case "path" -> {
          from = in.word();
          in.expect(">");
          to = in.word();
        }
        default -> throw ScriptStop.unsupported("\"" + w + "\" of the IP header");
      }
    } while (in.take(","));
    in.expect(close);
    return new Ip(ecn, trafficClass, hopLimit, nonce, from, to);
  }

  // ---- TCP ------------------------------------------------------------------------------------

  private PacketSpec segment(boolean inbound, Ip ip) {
    int srcPort = 0;
    int dstPort = 0;
    int mark = in.position();
    if (in.isDigitNext()) {
      srcPort = port();
      if (in.take(">")) {
        dstPort = port();
      } else {
        in.position(mark);
        srcPort = 0;
      }
    }
    int flags = flags(in.run());
    boolean anySeq = !inbound && in.take("...");
    long seq = anySeq ? -1 : number32();
    long end = -1;
    if (!anySeq) {
      in.expect(":");
      end = number32();
    }
    in.expect("(");
    int length = port();
    in.expect(")");
    if (!anySeq && (seq + length & 0xffff_ffffL) != end) {
      throw ScriptStop.syntax("a length that fits", seq + ":" + end + "(" + length + ")");
    }
    long ack = in.takeWord("ack") ? number32() : 0;
    int window = in.takeWord("win") ? port() : -1;
    int urgent = in.takeWord("urg") ? port() : 0;
    if (in.isNext("/")) {
      throw ScriptStop.unsupported("TCP within UDP");
    }
    List<TcpOption> options = isOptionsNext() ? options() : List.of();
    if (in.isNext("/")) {
      throw ScriptStop.unsupported("TCP within UDP");
    }
    if (options == null && inbound) {
      throw ScriptStop.syntax("the options of a packet that is sent", "<...>");
    }
    return new PacketSpec(
        inbound, ip, srcPort, dstPort, flags, seq, length, ack, window, urgent, options);
  }

  private int port() {
    long n = in.integer();
    if (n < 0 || n > 0xffff) {
      throw ScriptStop.syntax("0 to 65535", Long.toString(n));
    }
    return (int) n;
  }

  private long number32() {
    long n = in.integer();
    if (n < 0 || n > 0xffff_ffffL) {
      throw ScriptStop.syntax("a number of 32 bits", Long.toString(n));
    }
    return n;
  }

  private int flags(String letters) {
    if (letters.equals("-")) {
      return 0;
    }
    int flags = 0;
    for (char c : letters.toCharArray()) {
      if (c == 'A' || Character.isDigit(c)) {
        throw ScriptStop.unsupported("AccECN");
      }
      int bit = PacketSpec.flag(c);
      if (bit < 0) {
        throw ScriptStop.syntax("TCP flags", "\"" + letters + "\"");
      }
      flags |= bit;
    }
    if (letters.isEmpty()) {
      throw in.wrong("TCP flags");
    }
    return flags;
  }

  /** A {@code <} that opens options, not one that begins the next line's packet. */
  private boolean isOptionsNext() {
    if (!in.isNext("<")) {
      return false;
    }
    int i = 1;
    while (in.charAt(i) == ' ') {
      i++;
    }
    return in.charAt(i) == '.' ? in.charAt(i + 1) == '.' : Character.isLetter(in.charAt(i));
  }

  private List<TcpOption> options() {
    in.expect("<");
    if (in.take("...")) {
      in.expect(">");
      return null;
    }
    List<TcpOption> options = new ArrayList<>();
    int bytes = 0;
    do {
      TcpOption o = option();
      options.add(o);
      bytes += o.bytes();
    } while (in.take(","));
    in.expect(">");
    if (bytes > TcpHeader.MAX_BYTES - TcpHeader.MIN_BYTES) {
      throw ScriptStop.syntax("at most 40 octets of TCP options", bytes + " octets");
    }
    return options;
  }

  private TcpOption option() {
    if (in.take("exp-") || in.takeWord("FOEXP")) {
      throw ScriptStop.unsupported("experimental TCP options");
    }
    String w = in.word();
    switch (w) {
      case "eol":
        return TcpOption.of(TcpOption.END);
      case "nop":
        return TcpOption.of(TcpOption.NOP);
      case "mss":
        return TcpOption.of(TcpOption.MSS, port());
      case "wscale":
        return TcpOption.of(TcpOption.WINDOW_SCALE, port() & 0xff);
      case "sackOK":
        return TcpOption.of(TcpOption.SACK_PERMITTED);
      case "sack":
        List<Long> edges = new ArrayList<>();
        while (in.isDigitNext()) {
          edges.add(number32());
          in.expect(":");
          edges.add(number32());
        }
        return TcpOption.of(TcpOption.SACK, edges.stream().mapToLong(Long::longValue).toArray());
      case "TS":
        in.expect("val");
        long val = number32();
        in.expect("ecr");
        return TcpOption.of(TcpOption.TIMESTAMPS, val, number32());
      case "unknown":
        return unknown();
      case "FO":
        throw ScriptStop.unsupported("TCP Fast Open");
      case "md5":
        throw ScriptStop.unsupported("TCP MD5 signatures");
      default:
        throw ScriptStop.unsupported("TCP option \"" + w + "\"");
    }
  }

  /** {@code unknown KIND [octets in hexadecimal]}, a word of ours. */
  private TcpOption unknown() {
    int kind = port() & 0xff;
    String hex = in.isDigitNext() || in.isWordNext() ? in.word() : "";
    long[] octets = new long[hex.length() / 2];
    for (int i = 0; i < octets.length; i++) {
      int high = Character.digit(hex.charAt(2 * i), 16);
      int low = Character.digit(hex.charAt(2 * i + 1), 16);
      if (high < 0 || low < 0) {
        throw ScriptStop.syntax("octets in hexadecimal", hex);
      }
      octets[i] = high << 4 | low;
    }
    return new TcpOption(kind, octets);
  }

  // ---- ICMP and Locator Updates ---------------------------------------------------------------

  private IcmpSpec icmp(boolean inbound, Ip ip) {
    if (!inbound) {
      throw ScriptStop.unsupported("ICMP that is sent");
    }
    String type = in.word();
    String code = "";
    if (in.isWordNext() && !in.isNext("mtu")) {
      code = in.word();
    }
    int mtu = in.takeWord("mtu") ? (int) in.integer() : -1;
    long seq = 0;
    int length = 0;
    if (in.take("[")) {
      if (in.takeWord("udp")) {
        throw ScriptStop.unsupported("udp packets");
      }
      seq = number32();
      in.expect(":");
      number32();
      in.expect("(");
      length = port();
      in.expect(")");
      in.expect("]");
    }
    return new IcmpSpec(type, code, mtu, seq, length, ip);
  }

  private UpdateSpec update(boolean inbound, Ip ip) {
    boolean acknowledgement = in.take("lu-ack");
    List<String> locators = new ArrayList<>();
    if (!acknowledgement) {
      in.expect("(");
      do {
        locators.add(in.word());
      } while (in.take(","));
      in.expect(")");
    }
    return new UpdateSpec(inbound, acknowledgement, locators, ip);
  }
}

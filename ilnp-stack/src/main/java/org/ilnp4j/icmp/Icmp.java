package org.ilnp4j.icmp;

import io.netty.buffer.ByteBuf;
import io.netty.util.collection.IntObjectHashMap;
import java.util.random.RandomGenerator;
import org.ilnp4j.ilnp.Correspondent;
import org.ilnp4j.ilnp.Ilcc;
import org.ilnp4j.ilnp.LocatorPair;
import org.ilnp4j.ip6.Ip6Output;
import org.ilnp4j.tcp.IcmpErrorKind;
import org.ilnp4j.tcp.TcpEngine;
import org.ilnp4j.util.Counter;
import org.ilnp4j.util.Counters;
import org.ilnp4j.util.DropReason;
import org.ilnp4j.util.TokenBucket;
import org.ilnp4j.wire.Icmp6;
import org.ilnp4j.wire.Icmp6Error;
import org.ilnp4j.wire.Ip6;
import org.ilnp4j.wire.PacketView;
import org.ilnp4j.wire.QuotedPacket;

/** Echo and errors (RFC 4443 §3, §4), with nonces inside ILNP sessions (RFC 6744 §7). */
public final class Icmp {
  /** Errors per second to all (RFC 4443 §2.4 f), and echo replies per second. */
  static final long ERRORS_PER_SECOND = 100;

  static final long ECHO_REPLIES_PER_SECOND = 10_000;
  static final int MAX_ECHO_SESSIONS = 256;

  /** Octets of our own at the start of each request's data: the cookie. */
  private static final int COOKIE_BYTES = 8;

  private static final int ECHO_DATA_BYTES = 56;

  private final Ilcc ilcc;
  private final Ip6Output out;
  private final TcpEngine tcp;
  private final RandomGenerator random;
  private final Counters counters;
  private final TokenBucket errors;
  private final TokenBucket replies = new TokenBucket(ECHO_REPLIES_PER_SECOND, 1000);
  private final QuotedPacket quoted = new QuotedPacket();
  private final IntObjectHashMap<EchoSession> sessions = new IntObjectHashMap<>();

  public Icmp(Ilcc ilcc, Ip6Output out, TcpEngine tcp, RandomGenerator random, Counters counters) {
    this.ilcc = ilcc;
    this.out = out;
    this.tcp = tcp;
    this.random = random;
    this.counters = counters;
    errors = new TokenBucket(ERRORS_PER_SECOND, 20, random);
  }

  /** An ICMPv6 message for this node, checksum verified, not a Locator Update. */
  public DropReason onMessage(long nowNanos, PacketView v, Correspondent c) {
    int type = Icmp6.type(v.buf, v.upperIndex);
    switch (type) {
      case Icmp6.ECHO_REQUEST:
        return onEchoRequest(nowNanos, v, c);
      case Icmp6.ECHO_REPLY:
        return onEchoReply(nowNanos, v, c);
      case Icmp6.DEST_UNREACHABLE:
      case Icmp6.PACKET_TOO_BIG:
      case Icmp6.TIME_EXCEEDED:
      case Icmp6.PARAMETER_PROBLEM:
        return onError(nowNanos, v, type);
      default:
        return DropReason.ICMP_UNKNOWN_TYPE;
    }
  }

  private DropReason onEchoRequest(long nowNanos, PacketView v, Correspondent known) {
    if (Ip6.isMulticast(v.dstL64)) {
      return DropReason.ICMP_UNKNOWN_TYPE;
    }
    if (!replies.tryTake(nowNanos)) {
      return DropReason.ICMP_RATE_LIMITED;
    }
    counters.add(Counter.ICMP_ECHO_IN);
    Correspondent c = known;
    if (c == null && v.hasNonce()) {
      // The answer needs a nonce of ours: an entry, tentative until something retains it.
      c = ilcc.openFrom(nowNanos, v);
    }
    ByteBuf buf =
        c != null && c.isIlnp() && v.hasNonce()
            ? out.start(c, new LocatorPair(v.dstL64, v.srcL64), Ip6.PROTO_ICMP6, v.upperLength)
            : out.startPlain(
                v.dstL64, v.dstNid, v.srcL64, v.srcNid, Ip6.PROTO_ICMP6, v.upperLength);
    int upper = buf.writerIndex();
    Icmp6.write(buf, Icmp6.ECHO_REPLY, 0, Icmp6.parameter(v.buf, v.upperIndex));
    buf.writeBytes(v.buf, v.upperIndex + Icmp6.HEADER_BYTES, v.upperLength - Icmp6.HEADER_BYTES);
    out.finish(buf, upper, Ip6.PROTO_ICMP6, Icmp6.CHECKSUM_OFFSET, false);
    return null;
  }

  /** Opens a session of echo requests to {@code c}; null when too many are open. */
  public EchoSession openEcho(Correspondent c, EchoHandler handler) {
    if (sessions.size() >= MAX_ECHO_SESSIONS) {
      return null;
    }
    int identifier;
    do {
      identifier = random.nextInt(1, 65536);
    } while (sessions.containsKey(identifier));
    EchoSession s = new EchoSession(identifier, random.nextLong(), c, handler);
    sessions.put(identifier, s);
    c.retain();
    return s;
  }

  public void closeEcho(long nowNanos, EchoSession s) {
    if (sessions.remove(s.identifier) != null) {
      s.correspondent.release(nowNanos);
    }
  }

  /** Sends one request; {@code sequence} 0 to 65535. False while there is no Locator to use. */
  public boolean sendEcho(long nowNanos, EchoSession s, int sequence) {
    LocatorPair path = s.correspondent.path();
    if (path == null) {
      return false;
    }
    int i = sequence % EchoSession.WINDOW;
    s.sequence[i] = sequence;
    s.sentNanos[i] = nowNanos;
    ByteBuf buf =
        out.start(s.correspondent, path, Ip6.PROTO_ICMP6, Icmp6.HEADER_BYTES + ECHO_DATA_BYTES);
    int upper = buf.writerIndex();
    Icmp6.writeEcho(buf, Icmp6.ECHO_REQUEST, s.identifier, sequence);
    buf.writeLong(s.cookie);
    buf.writeZero(ECHO_DATA_BYTES - COOKIE_BYTES);
    out.finish(buf, upper, Ip6.PROTO_ICMP6, Icmp6.CHECKSUM_OFFSET, false);
    return true;
  }

  private DropReason onEchoReply(long nowNanos, PacketView v, Correspondent c) {
    EchoSession s = sessions.get(Icmp6.echoIdentifier(v.buf, v.upperIndex));
    if (s == null
        || s.correspondent != c
        || v.upperLength < Icmp6.HEADER_BYTES + COOKIE_BYTES
        || v.buf.getLong(v.upperIndex + Icmp6.HEADER_BYTES) != s.cookie) {
      return DropReason.ICMP_ERROR_NOT_OURS;
    }
    // The cookie came back, so the nonce beside it is the other side's.
    c.proveBy(v);
    int sequence = Icmp6.echoSequence(v.buf, v.upperIndex);
    int i = sequence % EchoSession.WINDOW;
    if (s.sequence[i] != sequence) {
      return DropReason.ICMP_ERROR_NOT_OURS;
    }
    s.sequence[i] = -1;
    s.handler.onReply(nowNanos, sequence, nowNanos - s.sentNanos[i], v.hasNonce(), v.srcL64);
    return null;
  }

  private DropReason onError(long nowNanos, PacketView v, int type) {
    int quoteAt = v.upperIndex + Icmp6.HEADER_BYTES;
    DropReason bad = quoted.parse(v.buf, quoteAt, v.upperLength - Icmp6.HEADER_BYTES);
    if (bad != null) {
      return bad;
    }
    // Only what quotes a packet with our nonce (or our exact addresses) can be about us.
    Correspondent c = ilcc.findQuoted(quoted.ip);
    if (c == null) {
      return DropReason.ICMP_ERROR_NOT_OURS;
    }
    int parameter = Icmp6.parameter(v.buf, v.upperIndex);
    int code = Icmp6.code(v.buf, v.upperIndex);
    IcmpErrorKind kind = kind(type, code, parameter, v, c);
    if (kind == null) {
      return DropReason.ICMP_ERROR_NOT_OURS;
    }
    if (kind == IcmpErrorKind.PACKET_TOO_BIG) {
      return onTooBig(nowNanos, c, parameter);
    }
    if (quoted.ip.protocol == Ip6.PROTO_TCP && quoted.hasSeq) {
      tcp.onIcmpError(nowNanos, c, quoted.srcPort, quoted.dstPort, quoted.seq, kind);
    } else if (quoted.ip.protocol == Ip6.PROTO_ICMP6) {
      onEchoError(nowNanos, c, kind);
    }
    return null;
  }

  /** Only TCP sends packets that can be too large, and only it can tell whether it did. */
  private DropReason onTooBig(long nowNanos, Correspondent c, int mtu) {
    PacketView q = quoted.ip;
    // A size that already fits is no news: forwarding of super-segments makes such errors.
    if (Integer.compareUnsigned(mtu, quoted.sentBytes) >= 0
        || q.protocol != Ip6.PROTO_TCP
        || !quoted.hasSeq) {
      return DropReason.ICMP_ERROR_NOT_OURS;
    }
    if (mtu < Ip6.MIN_MTU) {
      return DropReason.ICMP_MTU_TOO_SMALL; // RFC 8201 §4
    }
    tcp.onPacketTooBig(
        nowNanos,
        c,
        quoted.srcPort,
        quoted.dstPort,
        quoted.seq,
        new LocatorPair(q.srcL64, q.dstL64),
        mtu);
    return null;
  }

  private IcmpErrorKind kind(int type, int code, int parameter, PacketView v, Correspondent c) {
    switch (type) {
      case Icmp6.PACKET_TOO_BIG:
        return IcmpErrorKind.PACKET_TOO_BIG;
      case Icmp6.PARAMETER_PROBLEM:
        if (code == Icmp6.UNKNOWN_NEXT_HEADER) {
          return IcmpErrorKind.UNREACHABLE_HARD; // "protocol unreachable" (RFC 9293 §3.9.2.2)
        }
        // Only the destination itself can say that it does not know nonces (RFC 6744 §6).
        return code == Icmp6.UNKNOWN_OPTION
                && quoted.isNonceAt(parameter)
                && v.srcNid == c.remoteNid
                && !c.isProven()
            ? IcmpErrorKind.NONCE_REFUSED
            : null;
      case Icmp6.DEST_UNREACHABLE:
        return code == Icmp6.PORT_UNREACHABLE || code == Icmp6.ADMIN_PROHIBITED
            ? IcmpErrorKind.UNREACHABLE_HARD
            : IcmpErrorKind.UNREACHABLE_SOFT;
      default:
        return IcmpErrorKind.UNREACHABLE_SOFT;
    }
  }

  private void onEchoError(long nowNanos, Correspondent c, IcmpErrorKind kind) {
    PacketView q = quoted.ip;
    if (q.upperLength < Icmp6.HEADER_BYTES
        || Icmp6.type(q.buf, q.upperIndex) != Icmp6.ECHO_REQUEST) {
      return;
    }
    EchoSession s = sessions.get(Icmp6.echoIdentifier(q.buf, q.upperIndex));
    if (s == null || s.correspondent != c) {
      return;
    }
    int sequence = Icmp6.echoSequence(q.buf, q.upperIndex);
    if (kind == IcmpErrorKind.NONCE_REFUSED) {
      Correspondent classic = ilcc.openClassic(nowNanos, q.srcL64, c.remoteNid, q.dstL64);
      if (classic != null) {
        classic.retain();
        c.release(nowNanos);
        s.correspondent = classic;
        sendEcho(nowNanos, s, sequence);
        return;
      }
    }
    s.handler.onError(nowNanos, sequence, kind.describe());
  }

  /** Sends an error about {@code v} to its sender, unless the rules forbid it. */
  public void sendError(
      long nowNanos, int type, int code, int parameter, PacketView v, Correspondent c) {
    boolean evenMulticast = type == Icmp6.PARAMETER_PROBLEM && code == Icmp6.UNKNOWN_OPTION;
    if (!Icmp6Error.isAllowed(v, evenMulticast)) {
      return;
    }
    if (!errors.tryTake(nowNanos)) {
      counters.drop(DropReason.ICMP_RATE_LIMITED);
      return;
    }
    boolean withNonce = c != null && c.isIlnp();
    int overhead = withNonce ? Ip6Output.overhead(c) : Ip6.HEADER_BYTES;
    int bytes = Icmp6Error.bytes(v, overhead);
    ByteBuf buf =
        withNonce
            ? out.start(c, new LocatorPair(v.dstL64, v.srcL64), Ip6.PROTO_ICMP6, bytes)
            : out.startPlain(v.dstL64, v.dstNid, v.srcL64, v.srcNid, Ip6.PROTO_ICMP6, bytes);
    int upper = buf.writerIndex();
    Icmp6Error.write(buf, type, code, parameter, v, overhead);
    out.finish(buf, upper, Ip6.PROTO_ICMP6, Icmp6.CHECKSUM_OFFSET, false);
    counters.add(Counter.ICMP_ERRORS_OUT);
  }

  /** Open echo sessions. */
  public int echoSessions() {
    return sessions.size();
  }
}

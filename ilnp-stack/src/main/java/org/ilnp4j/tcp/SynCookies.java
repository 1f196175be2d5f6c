package org.ilnp4j.tcp;

import java.util.random.RandomGenerator;
import org.ilnp4j.ilnp.Nonce;
import org.ilnp4j.time.NanoClock;
import org.ilnp4j.util.KeyedHash;
import org.ilnp4j.util.Seq;
import org.ilnp4j.wire.PacketView;
import org.ilnp4j.wire.TcpHeader;

/**
 * SYN cookies (RFC 4987 §3.6): under pressure a SYN is answered without remembering it. The initial
 * sequence number is a keyed hash of all that names the connection, the caller's sequence number
 * included, and of a slow clock; what comes back in the acknowledgement proves the caller, and
 * shows what it had offered:
 *
 * <ul>
 *   <li>in the sequence number, a size just below its MSS and whether it uses timestamps;
 *   <li>in the low bits of our timestamp, window scale, SACK and ECN. A caller without timestamps
 *       goes without these.
 * </ul>
 *
 * <p>In ILNP mode the two nonces are hashed and no Locator is, so that a caller may move in
 * between; in classic mode both addresses are.
 */
final class SynCookies {
  /** A cookie is good until the end of the period after its own. */
  static final long PERIOD_NANOS = NanoClock.seconds(64);

  /** Eight sizes: none, the least IPv4 and IPv6 ones, tunnels, PPPoE, Ethernet, jumbo frames. */
  private static final int[] MSS = {
    Sender.LEAST_MSS, 536, Sender.DEFAULT_MSS, 1360, 1400, 1432, 1440, 8940
  };

  private static final int TIMESTAMPS = 1 << 3;

  /** MSS and timestamps take four bits of the sequence number, the hash the others. */
  private static final int OFFER_BITS = 0xf;

  private static final int NO_SCALE = 0xf;
  private static final int SACK = 1 << 4;
  private static final int ECN = 1 << 5;
  private static final int OPTION_BITS = 0x3f;

  private final KeyedHash hash;
  private long issuedNanos = -2 * PERIOD_NANOS;

  SynCookies(RandomGenerator random) {
    hash = new KeyedHash(random);
  }

  /** True while an acknowledgement may answer a cookie. */
  boolean areOut(long nowNanos) {
    return nowNanos - issuedNanos < 2 * PERIOD_NANOS;
  }

  /**
   * The initial sequence number to answer a SYN with.
   *
   * @param offered what the SYN offers, cut down to what is kept
   * @param nonceOut what the answer carries; null in classic mode
   */
  int issue(long nowNanos, PacketView v, TcpHeader syn, SynOptions offered, Nonce nonceOut) {
    issuedNanos = nowNanos;
    int offer = offered.hasTimestamps() ? TIMESTAMPS : 0;
    int most = offered.mss() < 0 ? Sender.DEFAULT_MSS : offered.mss();
    for (int i = 1; i < MSS.length && MSS[i] <= most; i++) {
      offer = offer & TIMESTAMPS | i;
    }
    return cookie(nowNanos / PERIOD_NANOS, v, syn, syn.seq, offer, nonceOut);
  }

  /**
   * What the caller's SYN had offered, if the segment, an ACK without SYN or RST, answers a cookie;
   * else null.
   *
   * @param nonceOut what the cookie must have carried; null in classic mode
   */
  SynOptions check(long nowNanos, PacketView v, TcpHeader h, Nonce nonceOut) {
    int isn = h.ack - 1;
    int offer = isn & OFFER_BITS;
    long period = nowNanos / PERIOD_NANOS;
    if (!areOut(nowNanos)
        || (isn != cookie(period, v, h, h.seq - 1, offer, nonceOut)
            && isn != cookie(period - 1, v, h, h.seq - 1, offer, nonceOut))) {
      return null;
    }
    boolean timestamps = (offer & TIMESTAMPS) != 0;
    int scale = h.tsEcr & NO_SCALE;
    return new SynOptions(
        MSS[offer & ~TIMESTAMPS],
        timestamps && scale != NO_SCALE ? scale : -1,
        timestamps && (h.tsEcr & SACK) != 0,
        timestamps,
        h.tsVal,
        h.window,
        /* ecnSetup= */ timestamps && (h.tsEcr & ECN) != 0);
  }

  private int cookie(
      long period, PacketView v, TcpHeader h, int callerIsn, int offer, Nonce nonceOut) {
    long ports = (long) h.srcPort << 48 | (long) h.dstPort << 32 | callerIsn & 0xffff_ffffL;
    long sum = hash.hash(v.srcNid, v.dstNid, ports);
    if (nonceOut == null) {
      sum = hash.hash(sum, v.srcL64, v.dstL64);
    } else {
      long high = (long) v.nonceHigh << 32 | nonceOut.high() & 0xffff_ffffL;
      sum = hash.hash(sum, high, v.nonceLow);
      sum = hash.hash(sum, nonceOut.low(), 1);
    }
    sum = hash.hash(sum, period, offer);
    return (int) sum & ~OFFER_BITS | offer;
  }

  /**
   * What can be kept of an offer with this configuration. Without timestamps to keep it in, only
   * the segment size.
   */
  static SynOptions keep(SynOptions offered, TcpConfig config) {
    boolean kept = offered.hasTimestamps() && config.timestamps();
    return new SynOptions(
        offered.mss(),
        kept && config.windowScaling() ? offered.windowScale() : -1,
        kept && config.sack() && offered.sackPermitted(),
        kept,
        offered.tsVal(),
        offered.window(),
        kept && config.ecn() != EcnMode.OFF && offered.ecnSetup());
  }

  /** The timestamp of the answer: at most {@code timestamp}, its low bits saying what is kept. */
  static int mark(int timestamp, SynOptions kept) {
    int bits = kept.windowScale() < 0 ? NO_SCALE : kept.windowScale();
    bits |= kept.sackPermitted() ? SACK : 0;
    bits |= kept.ecnSetup() ? ECN : 0;
    int marked = timestamp & ~OPTION_BITS | bits;
    return Seq.gt(marked, timestamp) ? marked - OPTION_BITS - 1 : marked;
  }
}

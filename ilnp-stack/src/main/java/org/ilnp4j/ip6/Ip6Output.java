package org.ilnp4j.ip6;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import org.ilnp4j.ilnp.Correspondent;
import org.ilnp4j.ilnp.LocatorPair;
import org.ilnp4j.ilnp.Nonce;
import org.ilnp4j.util.Counter;
import org.ilnp4j.util.Counters;
import org.ilnp4j.wire.Ip6;
import org.ilnp4j.wire.NonceOption;

/**
 * Builds and sends IPv6 packets. {@link #start} gives a buffer with the IPv6 header and, in ILNP
 * mode, the nonce header; the upper layer appends its own bytes; {@link #finish} fills in lengths
 * and checksum and sends. The nonce goes into every packet (RFC 6744 §6 allows it; it makes late
 * packets, moves of both sides and shared NIDs safe).
 */
public final class Ip6Output {
  /** RFC 9293 §3.9.2 leaves the value to the user; this is the usual one. */
  public static final int DEFAULT_HOP_LIMIT = 64;

  /** IPv6 header and the longest TCP header. */
  private static final int SHORT_NONCE_MARGIN_BYTES = 100;

  private final PacketSink sink;
  private final ByteBufAllocator allocator;
  private final PathMtu pathMtu;
  private final Counters counters;
  private final int hopLimit;
  private final GatheredPacket gathered = new GatheredPacket();

  public Ip6Output(
      PacketSink sink, ByteBufAllocator allocator, PathMtu pathMtu, Counters counters) {
    this(sink, allocator, pathMtu, counters, DEFAULT_HOP_LIMIT);
  }

  /**
   * @param hopLimit of every packet, 1 to 255
   */
  public Ip6Output(
      PacketSink sink,
      ByteBufAllocator allocator,
      PathMtu pathMtu,
      Counters counters,
      int hopLimit) {
    this.sink = sink;
    this.allocator = allocator;
    this.pathMtu = pathMtu;
    this.counters = counters;
    this.hopLimit = hopLimit;
  }

  public ByteBufAllocator allocator() {
    return allocator;
  }

  public PathMtu pathMtu() {
    return pathMtu;
  }

  /** Octets of the largest packet that {@link #gather} may make; 0 when the device takes none. */
  public int gatherBytes() {
    return sink.gatherBytes();
  }

  /**
   * The largest payload of a segment that may be cut from a super-segment to {@code c}. A Linux
   * router checks whether the segments fit by a TCP header length that it reads from the octet 52
   * behind the start of the packet. There a long nonce has a nibble that makes the result right,
   * and a packet without nonce its true length; but with a short nonce stands the sequence number,
   * which may make the segments look 60 octets longer than they are.
   *
   * @param mtu of the path, octets
   */
  public static int mostCutBytes(Correspondent c, int mtu) {
    Nonce n = c.nonceOut();
    return n == null || n.length() == NonceOption.LONG ? mtu : mtu - SHORT_NONCE_MARGIN_BYTES;
  }

  /** Octets before the upper layer in packets to {@code c}: 40, 48 or 56. */
  public static int overhead(Correspondent c) {
    return overhead(c.nonceOut());
  }

  private static int overhead(Nonce n) {
    return Ip6.HEADER_BYTES + (n == null ? 0 : NonceOption.headerBytes(n.length()));
  }

  /**
   * Starts a packet to {@code c} on {@code pair}. The caller owns the buffer until {@link #finish}.
   *
   * @param upperBytes room needed behind the headers, octets
   */
  public ByteBuf start(Correspondent c, LocatorPair pair, int protocol, int upperBytes) {
    return start(c, pair, protocol, upperBytes, 0);
  }

  /** {@link #start} with a traffic class, 0 to 255. */
  public ByteBuf start(
      Correspondent c, LocatorPair pair, int protocol, int upperBytes, int trafficClass) {
    return start(
        pair.localL64(),
        c.localNid,
        pair.remoteL64(),
        c.remoteNid,
        c.nonceOut(),
        protocol,
        upperBytes,
        trafficClass);
  }

  /**
   * Starts a packet without session, as an answer to a stranger.
   *
   * @param nonce null for none
   */
  public ByteBuf start(
      long srcL64,
      long srcNid,
      long dstL64,
      long dstNid,
      Nonce nonce,
      int protocol,
      int upperBytes,
      int trafficClass) {
    ByteBuf buf = allocator.directBuffer(overhead(nonce) + upperBytes);
    int next = nonce == null ? protocol : Ip6.PROTO_DEST_OPTS;
    Ip6.write(buf, trafficClass, 0, next, hopLimit, srcL64, srcNid, dstL64, dstNid);
    if (nonce != null) {
      NonceOption.write(buf, protocol, nonce.length(), nonce.high(), nonce.low());
    }
    return buf;
  }

  /** Starts a packet without nonce or session, as an answer to a stranger. */
  public ByteBuf startPlain(
      long srcL64, long srcNid, long dstL64, long dstNid, int protocol, int upperBytes) {
    return start(srcL64, srcNid, dstL64, dstNid, null, protocol, upperBytes, 0);
  }

  /**
   * Completes and sends a packet.
   *
   * @param upperIndex absolute index of the upper-layer header
   * @param checksumOffset of the checksum field within it; the field holds zero
   * @param nidOnly true for ILNP transport: Locators are left out of the pseudo-header
   */
  public void finish(
      ByteBuf buf, int upperIndex, int protocol, int checksumOffset, boolean nidOnly) {
    Ip6.complete(buf, upperIndex, protocol, checksumOffset, nidOnly);
    counters.add(Counter.PACKETS_OUT);
    counters.add(Counter.BYTES_OUT, buf.readableBytes());
    sink.transmit(buf);
  }

  /**
   * Makes a packet of complete headers and pieces of payload that the caller adds; only if {@link
   * #gatherBytes} is not 0, and one at a time.
   *
   * @param head from {@link #start}; owned by the caller until {@link #finishGathered}
   * @param upperIndex absolute index of the upper-layer header
   * @param segmentBytes payload of each segment that the device cuts
   */
  public GatheredPacket gather(ByteBuf head, int upperIndex, int segmentBytes) {
    gathered.start(head, upperIndex, segmentBytes);
    return gathered;
  }

  /** Completes and sends what {@link #gather} began; see {@link #finish}. */
  public void finishGathered(
      ByteBuf head, int upperIndex, int protocol, int checksumOffset, boolean nidOnly) {
    Ip6.completePartly(
        head, upperIndex, gathered.payloadBytes(), protocol, checksumOffset, nidOnly);
    gathered.checksum(checksumOffset, nidOnly);
    counters.add(Counter.PACKETS_OUT);
    counters.add(Counter.BYTES_OUT, gathered.bytes());
    sink.transmit(gathered);
    gathered.clear();
    head.release();
  }
}

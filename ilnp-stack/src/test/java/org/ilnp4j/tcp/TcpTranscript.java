package org.ilnp4j.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.ilnp4j.ilnp.Correspondent;
import org.ilnp4j.ilnp.LocalLocator;
import org.ilnp4j.time.NanoClock;
import org.ilnp4j.util.DropReason;
import org.ilnp4j.wire.Checksum;
import org.ilnp4j.wire.Ip6;
import org.ilnp4j.wire.NonceOption;
import org.ilnp4j.wire.PacketView;
import org.ilnp4j.wire.TcpHeader;

/**
 * One engine against a peer that is a script. Segments are written as words: flags (letters of
 * {@code S F R P A U E W}, E for ECE and W for CWR), then {@code seq= ack= len= win= mss= ws=
 * sackok ts= sack=a-b}. Sequence numbers are relative to each side's SYN, which is 0. What {@link
 * #expect} does not mention is not compared; {@code ts=no}, {@code mss=no} and the like expect
 * absence.
 *
 * <p>Words for the receiving direction only: {@code nonce=no}, {@code nonce=wrong}, {@code
 * sum=ipv6}, {@code sum=bad}, {@code from=L64 hex}, {@code nid=N}: another peer, with a nonce of
 * its own, {@code value=N}: another nonce.
 */
final class TcpTranscript {
  static final long US = 0x02144ffffeabcd01L;
  static final long PEER = 0x02144ffffeabcd02L;
  static final long OUR_L64 = 0x20010db800010001L;
  static final long OTHER_L64 = 0x20010db800030003L;
  static final long PEER_L64 = 0x20010db800020002L;
  static final int OUR_PORT = 80;
  static final int PEER_PORT = 40000;

  /** What left the engine. */
  static final class Sent {
    final TcpHeader h = new TcpHeader();
    final long atNanos;
    final boolean nonce;
    final int nonceHigh;
    final long srcL64;
    final long dstL64;
    final boolean nidOnly;
    final int packetBytes;
    final byte[] payload;
    final int ecn;

    /** The whole of it. */
    final ByteBuf packet;

    Sent copy() {
      return new Sent(packet.copy(), atNanos);
    }

    Sent(ByteBuf sent, long atNanos) {
      this.atNanos = atNanos;
      packet = Unpooled.buffer().writeBytes(sent, sent.readerIndex(), sent.readableBytes());
      PacketView v = new PacketView();
      assertThat(v.parse(packet)).isNull();
      assertThat(h.parse(packet, v.upperIndex, v.upperLength)).isNull();
      ecn = Ip6.ecn(v.trafficClass);
      nonce = v.hasNonce();
      nonceHigh = v.nonceHigh;
      srcL64 = v.srcL64;
      dstL64 = v.dstL64;
      nidOnly = Checksum.isValid(v.sumNidOnly());
      assertThat(nidOnly || Checksum.isValid(v.sumIpv6())).as("checksum").isTrue();
      packetBytes = packet.readableBytes();
      payload = new byte[h.payloadLength];
      packet.getBytes(h.payloadIndex, payload);
    }
  }

  final TestNode node;
  final boolean ilnp;
  final int peerIsn;
  final Deque<Sent> sent = new ArrayDeque<>();
  final List<String> events = new ArrayList<>();
  long now;
  int ourIsn;
  boolean ourIsnKnown;
  int ourPort = OUR_PORT;
  int peerPort = PEER_PORT;
  TcpConnection connection;
  TcpPending pending;
  TcpListener listener;
  DropReason dropped;
  Correspondent peer;

  /** Answer SYNs as soon as they come. */
  boolean autoAccept = true;

  /** Read what comes as soon as it comes. */
  boolean autoRead = true;

  final StringBuilder received = new StringBuilder();
  private int received0;
  private boolean timestamps;
  private int lastTsVal;

  TcpTranscript(boolean ilnp) {
    this(ilnp, TcpConfig.DEFAULT.withBuffers(65536, 65535), 0x7000_0000, 1500);
  }

  TcpTranscript(boolean ilnp, TcpConfig config, int peerIsn, int mtu) {
    this.ilnp = ilnp;
    this.peerIsn = peerIsn;
    node =
        new TestNode(
            "us",
            US,
            mtu,
            config,
            99,
            packet -> {
              sent.add(new Sent(packet, now));
              packet.release();
            });
    node.addLocator(OUR_L64, LocalLocator.State.ACTIVE);
  }

  final TcpHandler handler =
      new TcpHandler() {
        @Override
        public void onConnected(long nowNanos, TcpConnection c) {
          events.add("connected");
        }

        @Override
        public void onReadable(long nowNanos, TcpConnection c) {
          if (autoRead) {
            readAll();
          }
          events.add(c.isEndOfStream() ? "end" : "readable");
        }

        @Override
        public void onWritable(long nowNanos, TcpConnection c) {
          events.add("writable");
        }

        @Override
        public void onStalled(long nowNanos, TcpConnection c) {
          events.add("stalled");
        }

        @Override
        public void onClosed(long nowNanos, TcpConnection c, TcpCloseReason reason) {
          events.add("closed " + reason);
        }
      };

  int readAll() {
    return read(Integer.MAX_VALUE);
  }

  /** Reads up to {@code most} octets; counts and checks them. */
  int read(int most) {
    int n = 0;
    while (n < most) {
      ByteBuf b = connection.read(now, Math.min(4096, most - n));
      if (b == null) {
        break;
      }
      n += b.readableBytes();
      while (b.isReadable()) {
        assertThat(b.readByte()).isEqualTo(octet(1 + received0));
        received0++;
      }
      b.release();
    }
    return n;
  }

  /** Octets read so far. */
  int readBytes() {
    return received0;
  }

  /** The octet at a relative sequence number. */
  static byte octet(int seq) {
    return (byte) (seq * 7 + (seq >>> 8));
  }

  // ---- fixtures -------------------------------------------------------------------------------

  TcpTranscript listen() {
    listener =
        node.engine.listen(
            OUR_PORT,
            (nowNanos, p) -> {
              pending = p;
              events.add("syn");
              if (autoAccept) {
                connection = p.accept(nowNanos, handler);
              }
            });
    return this;
  }

  /** Opens a connection; the SYN is in {@link #sent}. */
  TcpTranscript connect() {
    peer =
        ilnp
            ? node.ilcc.open(now, PEER, List.of(PEER_L64), NanoClock.seconds(1000))
            : node.ilcc.openClassic(now, OUR_L64, PEER, PEER_L64);
    peerPort = 80;
    connection = node.engine.connect(now, peer, 80, handler);
    ourPort = connection.localPort();
    turn();
    return this;
  }

  /** An established passive connection without options but MSS 1000; window 10000. */
  TcpTranscript established() {
    return established("mss=1000 win=10000");
  }

  TcpTranscript established(String options) {
    return established(options, 0);
  }

  /** As above; the handshake shows so long a round trip. */
  TcpTranscript established(String options, long rttMs) {
    listen();
    receive("S seq=0 " + options);
    expect("SA seq=0 ack=1");
    after(rttMs);
    String window = " win=10000";
    for (String w : options.split(" ")) {
      window = w.startsWith("win=") ? " " + w : window;
    }
    receive("A seq=1 ack=1" + window);
    expectNothing();
    assertThat(connection.state()).isEqualTo(TcpState.ESTABLISHED);
    assertThat(events).containsExactly("syn", "connected");
    events.clear();
    return this;
  }

  /** Uses up the acknowledgements that are not delayed at a connection's start: 16 octets come. */
  TcpTranscript beyondQuickAcks() {
    for (int seq = 1; seq <= AckPolicy.QUICK_ACKS; seq++) {
      receive("A seq=" + seq + " ack=1 len=1").expect("A seq=1 len=0 ack=" + (seq + 1));
    }
    return this;
  }

  /** Brings the connection from ESTABLISHED to a state. */
  TcpTranscript in(TcpState state) {
    established();
    switch (state) {
      case ESTABLISHED:
        break;
      case FIN_WAIT_1:
        shutdown();
        expect("FA seq=1 ack=1");
        break;
      case FIN_WAIT_2:
        shutdown();
        expect("FA seq=1 ack=1");
        receive("A seq=1 ack=2");
        break;
      case CLOSE_WAIT:
        receive("FA seq=1 ack=1");
        expect("A seq=1 ack=2");
        break;
      case LAST_ACK:
        receive("FA seq=1 ack=1");
        expect("A seq=1 ack=2");
        shutdown();
        expect("FA seq=1 ack=2");
        break;
      case CLOSING:
        shutdown();
        expect("FA seq=1 ack=1");
        receive("FA seq=1 ack=1");
        expect("A seq=2 ack=2");
        break;
      case TIME_WAIT:
        shutdown();
        expect("FA seq=1 ack=1");
        receive("FA seq=1 ack=2");
        expect("A seq=2 ack=2");
        break;
      default:
        throw new IllegalArgumentException(state.name());
    }
    assertThat(connection.state()).isEqualTo(state);
    expectNothing();
    events.clear();
    return this;
  }

  // ---- time and user --------------------------------------------------------------------------

  /** Lets the time pass, timers firing when they are due. */
  TcpTranscript after(long millis) {
    return afterNanos(NanoClock.millis(millis));
  }

  TcpTranscript afterNanos(long nanos) {
    long until = now + nanos;
    while (node.timers.nextDeadlineNanos() <= until) {
      now = Math.max(now, node.timers.nextDeadlineNanos());
      node.timers.advance(now);
      turn();
    }
    now = until;
    return this;
  }

  TcpTranscript turn() {
    node.engine.endTurn(now);
    return this;
  }

  /** The user writes; octets continue those written before. */
  TcpTranscript send(int bytes) {
    connection.send(now, Unpooled.wrappedBuffer(new byte[bytes]));
    return turn();
  }

  TcpTranscript shutdown() {
    connection.shutdownOutput(now);
    return turn();
  }

  TcpTranscript close() {
    connection.close(now);
    return turn();
  }

  TcpTranscript abort() {
    connection.abort(now);
    return turn();
  }

  // ---- segments in ----------------------------------------------------------------------------

  /** The peer's segment arrives and the turn ends. */
  TcpTranscript receive(String words) {
    receiveNoTurn(words);
    return turn();
  }

  TcpTranscript receiveNoTurn(String words) {
    node.receive(now, packet(words));
    return this;
  }

  private ByteBuf packet(String words) {
    TcpHeader h = new TcpHeader().clear();
    h.srcPort = peerPort;
    h.dstPort = ourPort;
    h.window = 10000;
    int seq = 0;
    int length = 0;
    boolean nonce = ilnp;
    boolean wrongNonce = false;
    boolean nidOnly = ilnp;
    boolean badSum = false;
    boolean ts = timestamps;
    long from = PEER_L64;
    long nid = PEER;
    int nonceValue = 0x0badcafe;
    int tsVal = (int) (now / NanoClock.millis(1)) + 5000;
    int tsEcr = lastTsVal;
    int ecn = 0;
    for (String w : words.trim().split(" +")) {
      String[] kv = w.split("=", 2);
      String v = kv.length > 1 ? kv[1] : "";
      switch (kv[0]) {
        case "seq":
          seq = Integer.parseInt(v);
          break;
        case "ack":
          h.ack = ourIsn + Integer.parseInt(v);
          break;
        case "len":
          length = Integer.parseInt(v);
          break;
        case "win":
          h.window = Integer.parseInt(v);
          break;
        case "mss":
          h.mss = Integer.parseInt(v);
          break;
        case "ws":
          h.windowScale = Integer.parseInt(v);
          break;
        case "sackok":
          h.sackPermitted = true;
          break;
        case "sack":
          for (String block : v.split(",")) {
            String[] lr = block.split("-");
            h.sackLeft[h.sackCount] = ourIsn + Integer.parseInt(lr[0]);
            h.sackRight[h.sackCount++] = ourIsn + Integer.parseInt(lr[1]);
          }
          break;
        case "ts":
          ts = !v.equals("no");
          if (ts) {
            String[] te = v.split(":");
            tsVal = Integer.parseInt(te[0]);
            tsEcr = te.length > 1 ? Integer.parseInt(te[1]) : tsEcr;
          }
          break;
        case "nonce":
          nonce = !v.equals("no");
          wrongNonce = v.equals("wrong");
          if (!nonce) {
            nidOnly = false;
          }
          break;
        case "sum":
          nidOnly = v.equals("nid");
          badSum = v.equals("bad");
          break;
        case "ecn":
          ecn = ecnField(v);
          break;
        case "from":
          from = Long.parseUnsignedLong(v, 16);
          break;
        case "uto":
          h.userTimeoutSeconds = Integer.parseInt(v);
          break;
        case "nid":
          nid = PEER + Long.parseLong(v);
          nonceValue += Integer.parseInt(v);
          break;
        case "value":
          nonceValue += Integer.parseInt(v);
          break;
        case "sport":
          h.srcPort = Integer.parseInt(v);
          break;
        case "dport":
          h.dstPort = Integer.parseInt(v);
          break;
        case "urg":
          h.urgent = Integer.parseInt(v);
          break;
        default:
          h.flags = flags(w);
      }
    }
    h.seq = peerIsn + seq;
    if (ts) {
      h.hasTimestamps = true;
      h.tsVal = tsVal;
      h.tsEcr = tsEcr;
    }
    if (h.has(TcpHeader.SYN)) {
      timestamps = h.hasTimestamps;
    }
    ByteBuf b = node.allocator.directBuffer(2048 + length);
    Ip6.write(b, ecn, 0, nonce ? Ip6.PROTO_DEST_OPTS : Ip6.PROTO_TCP, 64, from, nid, OUR_L64, US);
    if (nonce) {
      NonceOption.write(b, Ip6.PROTO_TCP, 4, wrongNonce ? 0x0bad0bad : nonceValue, 0);
    }
    int upper = b.writerIndex();
    h.write(b);
    for (int i = 0; i < length; i++) {
      b.writeByte(octet(seq + i + (h.has(TcpHeader.SYN) ? 1 : 0)));
    }
    Ip6.complete(b, upper, Ip6.PROTO_TCP, TcpHeader.CHECKSUM_OFFSET, nidOnly);
    if (badSum) {
      b.setShort(upper + TcpHeader.CHECKSUM_OFFSET, b.getShort(upper + 16) ^ 0x5555);
    }
    return b;
  }

  private static final String FLAGS = "FSRPAUEW";

  private static int ecnField(String v) {
    return switch (v) {
      case "no" -> 0;
      case "ect0" -> Ip6.ECN_ECT0;
      case "ect1" -> Ip6.ECN_ECT1;
      case "ce" -> Ip6.ECN_CE;
      default -> throw new IllegalArgumentException("what is \"ecn=" + v + "\"?");
    };
  }

  private static int flags(String letters) {
    int f = 0;
    for (char c : letters.toCharArray()) {
      int bit = FLAGS.indexOf(c);
      if (bit < 0) {
        throw new IllegalArgumentException("what is \"" + letters + "\"?");
      }
      f |= 1 << bit;
    }
    return f;
  }

  // ---- segments out ---------------------------------------------------------------------------

  TcpTranscript expectNothing() {
    if (!sent.isEmpty()) {
      fail("expected nothing, but sent " + describe(sent.peek()));
    }
    return this;
  }

  /** The next segment sent, compared with the words. */
  Sent expect(String words) {
    Sent s = sent.poll();
    if (s == null) {
      throw new AssertionError("expected " + words + ", but nothing was sent");
    }
    if (s.h.has(TcpHeader.SYN) && !ourIsnKnown) {
      ourIsn = s.h.seq;
      ourIsnKnown = true;
    }
    if (s.h.hasTimestamps) {
      lastTsVal = s.h.tsVal;
    }
    String text = words + " in " + describe(s);
    for (String w : words.trim().split(" +")) {
      String[] kv = w.split("=", 2);
      String v = kv.length > 1 ? kv[1] : "";
      boolean no = v.equals("no");
      switch (kv[0]) {
        case "seq":
          assertThat(s.h.seq - ourIsn).as("seq of %s", text).isEqualTo(Integer.parseInt(v));
          break;
        case "ack":
          assertThat(s.h.ack - peerIsn).as("ack of %s", text).isEqualTo(Integer.parseInt(v));
          break;
        case "len":
          assertThat(s.h.payloadLength).as("len of %s", text).isEqualTo(Integer.parseInt(v));
          break;
        case "win":
          assertThat(s.h.window).as("win of %s", text).isEqualTo(Integer.parseInt(v));
          break;
        case "mss":
          assertThat(s.h.mss).as("mss of %s", text).isEqualTo(no ? -1 : Integer.parseInt(v));
          break;
        case "ws":
          assertThat(s.h.windowScale).as("ws of %s", text).isEqualTo(no ? -1 : Integer.parseInt(v));
          break;
        case "sackok":
          assertThat(s.h.sackPermitted).as("sackok of %s", text).isEqualTo(!no);
          break;
        case "sack":
          assertThat(sackText(s.h)).as("sack of %s", text).isEqualTo(v);
          break;
        case "ts":
          assertThat(s.h.hasTimestamps).as("ts of %s", text).isEqualTo(!no);
          if (!no && !v.isEmpty()) {
            assertThat(s.h.tsEcr).as("ts echo of %s", text).isEqualTo(Integer.parseInt(v));
          }
          break;
        case "ecn":
          assertThat(s.ecn).as("ECN field of %s", text).isEqualTo(ecnField(v));
          break;
        case "uto":
          assertThat(s.h.userTimeoutSeconds)
              .as("uto of %s", text)
              .isEqualTo(no ? -1 : Integer.parseInt(v));
          break;
        case "nonce":
          assertThat(s.nonce).as("nonce of %s", text).isEqualTo(!no);
          break;
        default:
          int mask = 0xff & ~(TcpHeader.PSH | TcpHeader.URG);
          assertThat(s.h.flags & mask).as("flags of %s", text).isEqualTo(flags(w) & mask);
          if (w.contains("P")) {
            assertThat(s.h.has(TcpHeader.PSH)).as("PSH of %s", text).isTrue();
          }
      }
    }
    return s;
  }

  private String sackText(TcpHeader h) {
    StringBuilder out = new StringBuilder();
    for (int i = 0; i < h.sackCount; i++) {
      out.append(i == 0 ? "" : ",")
          .append(h.sackLeft[i] - peerIsn)
          .append('-')
          .append(h.sackRight[i] - peerIsn);
    }
    return h.sackCount == 0 ? "no" : out.toString();
  }

  String describe(Sent s) {
    StringBuilder f = new StringBuilder();
    for (int i = 0; i < FLAGS.length(); i++) {
      if ((s.h.flags & 1 << i) != 0) {
        f.append(FLAGS.charAt(i));
      }
    }
    return String.format(
        "[%s seq=%d ack=%d len=%d win=%d sack=%s at %.3f ms]",
        f,
        s.h.seq - ourIsn,
        s.h.ack - peerIsn,
        s.h.payloadLength,
        s.h.window,
        sackText(s.h),
        s.atNanos / 1e6);
  }

  long dropped(DropReason reason) {
    return node.counters.get(reason);
  }

  TcpTranscript expectEvents(String... expected) {
    assertThat(events).containsExactly(expected);
    events.clear();
    return this;
  }

  TcpTranscript expectState(TcpState state) {
    assertThat(connection.state()).isEqualTo(state);
    return this;
  }

  /** Ends everything; nothing may be left. */
  void end() {
    node.engine.abortAll(now);
    turn();
    sent.clear();
    assertThat(node.engine.connections()).as("connections").isZero();
    assertThat(node.timers.armed()).as("timers").isZero();
    assertThat(node.ilcc.all()).allMatch(c -> c.sessions() == 0);
    assertThat(node.usedMemory()).as("buffers").isZero();
    assertThat(node.engine.memory().usedBytes()).as("budget").isZero();
  }
}

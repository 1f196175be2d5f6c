package org.ilnp4j.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import java.util.Random;
import org.ilnp4j.util.Counter;
import org.ilnp4j.util.DropReason;
import org.ilnp4j.wire.Ip6;
import org.ilnp4j.wire.NonceOption;
import org.ilnp4j.wire.TcpHeader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Blind attacks, malformed and hostile input (RFC 5961, tcp.md B3). */
class TcpRobustnessTest {
  @Test
  void shouldBuildChallengesFromItsOwnNumbersAndLimitThem() {
    TcpTranscript t = new TcpTranscript(true).established();
    t.receive("S seq=31000").expect("A seq=1 ack=1");
    for (int i = 0; i < 100; i++) {
      t.receive("R seq=" + (100 + i));
      t.receive("SA seq=" + (100 + i) + " ack=50");
    }
    t.expectNothing();
    t.after(250);
    t.receive("R seq=100").expect("A seq=1 ack=1");
    assertThat(t.node.counters.get(Counter.TCP_CHALLENGE_ACKS)).isEqualTo(2);
    t.expectState(TcpState.ESTABLISHED);
    t.end();
  }

  @Test
  void shouldAcceptOnlyAcknowledgementsOfTheLastWindow() {
    TcpTranscript t = new TcpTranscript(false).established("mss=1000 win=10000");
    t.receive("A seq=1 ack=2 len=10").expect("A seq=1 ack=1"); // of what was not sent
    t.after(300);
    t.receive("A seq=1 ack=-10001 len=10").expect("A seq=1 ack=1");
    assertThat(t.dropped(DropReason.TCP_BAD_ACK)).isEqualTo(2);
    assertThat(t.readBytes()).isZero();
    t.receive("A seq=1 ack=-9999 len=10"); // old, within a window
    assertThat(t.readBytes()).isEqualTo(10);
    t.end();
  }

  @Test
  void shouldTakeOlderAcknowledgementsWhenANonceProvesTheSender() {
    TcpTranscript t = new TcpTranscript(true).established("mss=1000 win=10000");
    t.receive("A seq=1 ack=-90001 len=10");
    assertThat(t.readBytes()).isEqualTo(10);
    t.receive("A seq=11 ack=2 len=10"); // but never one of what was not sent
    assertThat(t.readBytes()).isEqualTo(10);
    t.end();
  }

  @Test
  void shouldNotAnswerAnAnswerForEver() {
    TcpTranscript t = new TcpTranscript(true).established();
    for (int i = 0; i < 50; i++) {
      t.receive("A seq=-40 ack=1");
    }
    assertThat(t.sent).hasSize(1);
    t.end();
  }

  @Test
  void shouldDeliverUrgentDataInline() {
    TcpTranscript t = new TcpTranscript(true).established();
    t.receive("AU seq=1 ack=1 len=20 urg=5");
    t.receive("AU seq=21 ack=1 len=20 urg=60000");
    assertThat(t.readBytes()).isEqualTo(40);
    t.end();
  }

  @Test
  void shouldDropWrongNoncesAndUnknownLocators() {
    TcpTranscript t = new TcpTranscript(true).established();
    t.receive("A seq=1 ack=1 len=10 nonce=wrong");
    t.receive("A seq=1 ack=1 len=10 nonce=no sum=nid from=20010db800050005");
    assertThat(t.dropped(DropReason.NONCE_WRONG)).isEqualTo(1);
    assertThat(t.dropped(DropReason.NONCE_MISSING_UNKNOWN_LOCATOR)).isEqualTo(1);
    t.receive("A seq=1 ack=1 len=10 from=20010db800050005");
    assertThat(t.readBytes()).isEqualTo(10);
    t.after(40);
    t.end();
  }

  @Test
  void shouldFollowThePeerToANewLocatorAndSayWhereItIs() {
    TcpTranscript t = new TcpTranscript(true).established();
    t.receive("A seq=1 ack=1 len=10 from=20010db800050005");
    t.expect("A ack=11"); // one packet may be from a flipped bit
    t.receive("A seq=11 ack=1 len=10 from=20010db800050005");
    assertThat(t.expect("A ack=21").dstL64).isEqualTo(0x20010db800050005L);
    t.end();
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void shouldSurviveRandomSegments(boolean ilnp) {
    for (int seed = 0; seed < 300; seed++) {
      Random random = new Random(seed);
      TcpTranscript t = new TcpTranscript(ilnp);
      t.listen();
      if (random.nextBoolean()) {
        t.receive("S seq=0 mss=1000 sackok ts=5 ws=" + random.nextInt(15));
        t.expect("SA");
        t.receive("A seq=1 ack=1");
        if (random.nextBoolean()) {
          t.send(random.nextInt(20_000) + 1);
        }
        if (random.nextInt(4) == 0) {
          t.shutdown();
        }
      }
      for (int i = 0; i < 300; i++) {
        t.node.receive(t.now, garbage(t, random));
        if (random.nextInt(3) == 0) {
          t.turn();
        }
        if (random.nextInt(20) == 0) {
          t.after(random.nextInt(2000));
        }
        assertThat(t.sent.size()).as("seed %d: answers without end", seed).isLessThan(5000);
        if (random.nextInt(10) == 0) {
          t.sent.clear();
        }
      }
      t.turn();
      t.end();
    }
  }

  /** A segment to the connection, or nearly; numbers close to the right ones, or anywhere. */
  private static ByteBuf garbage(TcpTranscript t, Random random) {
    TcpHeader h = new TcpHeader().clear();
    h.srcPort = TcpTranscript.PEER_PORT + (random.nextInt(10) == 0 ? 1 : 0);
    h.dstPort = TcpTranscript.OUR_PORT + (random.nextInt(20) == 0 ? 1 : 0);
    h.seq = random.nextInt(5) == 0 ? random.nextInt() : t.peerIsn + random.nextInt(4000) - 100;
    h.ack = random.nextInt(5) == 0 ? random.nextInt() : t.ourIsn + random.nextInt(3000) - 10;
    h.flags = random.nextInt(3) == 0 ? random.nextInt(256) : TcpHeader.ACK;
    if (random.nextInt(8) != 0) {
      h.flags &= ~TcpHeader.RST;
    }
    h.window = random.nextInt(3) == 0 ? 0 : random.nextInt(65536);
    h.urgent = random.nextInt(65536);
    if (random.nextInt(4) != 0) {
      h.hasTimestamps = true;
      h.tsVal = random.nextInt(5) == 0 ? random.nextInt() : 5000 + random.nextInt(100);
      h.tsEcr = random.nextInt();
    }
    for (int i = random.nextInt(5); i > 0 && h.sackCount < h.sackRoom(); i--) {
      h.sackLeft[h.sackCount] = t.ourIsn + random.nextInt(30_000) - 1000;
      h.sackRight[h.sackCount] = h.sackLeft[h.sackCount] + random.nextInt(5000) - 100;
      h.sackCount++;
    }
    h.mss = random.nextInt(10) == 0 ? random.nextInt(65536) : -1;
    h.windowScale = random.nextInt(20) == 0 ? random.nextInt(256) : -1;
    int length = random.nextInt(3) == 0 ? random.nextInt(1400) : 0;
    ByteBuf b = t.node.allocator.directBuffer(2048);
    Ip6.write(
        b,
        0,
        0,
        t.ilnp ? Ip6.PROTO_DEST_OPTS : Ip6.PROTO_TCP,
        64,
        TcpTranscript.PEER_L64,
        TcpTranscript.PEER,
        TcpTranscript.OUR_L64,
        TcpTranscript.US);
    if (t.ilnp) {
      NonceOption.write(b, Ip6.PROTO_TCP, 4, 0x0badcafe, 0);
    }
    int upper = b.writerIndex();
    if (h.sackCount > h.sackRoom()) {
      h.sackCount = h.sackRoom();
    }
    h.write(b);
    for (int i = 0; i < length; i++) {
      b.writeByte(TcpTranscript.octet(h.seq - t.peerIsn + i));
    }
    if (random.nextInt(10) == 0) {
      // options that lie about their length
      int at = upper + 20 + random.nextInt(Math.max(1, h.headerBytes() - 20));
      b.setByte(Math.min(at, b.writerIndex() - 1), random.nextInt(256));
    }
    Ip6.complete(b, upper, Ip6.PROTO_TCP, TcpHeader.CHECKSUM_OFFSET, t.ilnp);
    return b;
  }
}

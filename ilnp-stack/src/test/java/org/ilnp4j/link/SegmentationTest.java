package org.ilnp4j.link;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.ilnp4j.ilnp.Nonce;
import org.ilnp4j.ip6.GatheredPacket;
import org.ilnp4j.ip6.Ip6Output;
import org.ilnp4j.ip6.PathMtu;
import org.ilnp4j.util.Counters;
import org.ilnp4j.wire.Checksum;
import org.ilnp4j.wire.Ip6;
import org.ilnp4j.wire.PacketView;
import org.ilnp4j.wire.TcpHeader;
import org.junit.jupiter.api.Test;

class SegmentationTest {
  private static final int FLAGS = TcpHeader.ACK | TcpHeader.PSH | TcpHeader.FIN | TcpHeader.CWR;

  private final CountingAllocator buffers = new CountingAllocator();
  private final List<ByteBuf> cut = new ArrayList<>();
  private final Ip6Output out =
      new Ip6Output(
          new Segmentation(cut::add, buffers.allocator()),
          buffers.allocator(),
          new PathMtu(1500),
          new Counters());

  private void send(boolean nidOnly, int seq, int segmentBytes, int payload) {
    Nonce nonce = nidOnly ? Nonce.random(12, new Random(1)) : null;
    ByteBuf head = out.start(1L << 60, 2, 3L << 60, 4, nonce, Ip6.PROTO_TCP, 60, 0);
    int upper = head.writerIndex();
    TcpHeader h = new TcpHeader().clear();
    h.seq = seq;
    h.flags = FLAGS;
    h.hasTimestamps = true;
    h.tsVal = 77;
    h.write(head);
    ByteBuf data = buffers.allocator().directBuffer(payload);
    for (int i = 0; i < payload; i++) {
      data.writeByte(i * 31);
    }
    GatheredPacket p = out.gather(head, upper, segmentBytes);
    int half = payload / 2;
    p.add(data, 0, half);
    p.add(data, half, payload - half);
    out.finishGathered(head, upper, Ip6.PROTO_TCP, TcpHeader.CHECKSUM_OFFSET, nidOnly);
    data.release();
  }

  private void check(boolean nidOnly, int seq, int segmentBytes, int payload) {
    PacketView view = new PacketView();
    TcpHeader h = new TcpHeader();
    int at = 0;
    for (ByteBuf packet : cut) {
      assertThat(view.parse(packet)).isNull();
      assertThat(view.hasNonce()).isEqualTo(nidOnly);
      assertThat(Checksum.isValid(nidOnly ? view.sumNidOnly() : view.sumIpv6())).isTrue();
      assertThat(h.parse(packet, view.upperIndex, view.upperLength)).isNull();
      assertThat(h.seq).isEqualTo(seq + at);
      assertThat(h.tsVal).isEqualTo(77);
      boolean last = at + h.payloadLength == payload;
      assertThat(h.payloadLength).isEqualTo(Math.min(segmentBytes, payload - at));
      assertThat(h.has(TcpHeader.CWR)).isEqualTo(at == 0);
      assertThat(h.has(TcpHeader.PSH)).isEqualTo(last);
      assertThat(h.has(TcpHeader.FIN)).isEqualTo(last);
      for (int i = 0; i < h.payloadLength; i++) {
        assertThat(packet.getByte(h.payloadIndex + i)).isEqualTo((byte) ((at + i) * 31));
      }
      at += h.payloadLength;
      packet.release();
    }
    assertThat(at).isEqualTo(payload);
    cut.clear();
    buffers.assertAllReleased();
  }

  @Test
  void shouldCutAsTheKernelDoes() {
    for (boolean nidOnly : new boolean[] {true, false}) {
      for (int payload : new int[] {1, 1411, 1412, 1413, 2824, 14_121, 63_540}) {
        for (int seq : new int[] {0, -1000, 0x7fff_fff0}) {
          send(nidOnly, seq, 1412, payload);
          assertThat(cut).hasSize((payload + 1411) / 1412);
          check(nidOnly, seq, 1412, payload);
        }
      }
    }
  }
}

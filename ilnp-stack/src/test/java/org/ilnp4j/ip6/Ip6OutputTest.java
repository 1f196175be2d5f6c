package org.ilnp4j.ip6;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.ilnp4j.ilnp.Correspondent;
import org.ilnp4j.ilnp.Correspondents;
import org.ilnp4j.ilnp.LocatorPair;
import org.ilnp4j.ilnp.Nonce;
import org.ilnp4j.testing.BufferLeaks;
import org.ilnp4j.util.Counter;
import org.ilnp4j.util.Counters;
import org.ilnp4j.wire.Checksum;
import org.ilnp4j.wire.Hex;
import org.ilnp4j.wire.Icmp6;
import org.ilnp4j.wire.Icmp6Error;
import org.ilnp4j.wire.Ip6;
import org.ilnp4j.wire.LocatorUpdate;
import org.ilnp4j.wire.PacketView;
import org.ilnp4j.wire.SpecPackets;
import org.ilnp4j.wire.TcpHeader;
import org.ilnp4j.wire.Udp;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Builds the packets of {@link SpecPackets} byte for byte. */
class Ip6OutputTest {
  private static final Nonce SHORT = new Nonce(4, SpecPackets.MN_NONCE, 0);
  private static final Nonce LONG = new Nonce(12, SpecPackets.MN_NONCE, SpecPackets.MN_NONCE_LOW);
  private static final LocatorPair OLD = new LocatorPair(SpecPackets.MN_OLD, SpecPackets.CN_L64);
  private static final LocatorPair NEW = new LocatorPair(SpecPackets.MN_NEW, SpecPackets.CN_L64);

  @RegisterExtension final BufferLeaks buffers = new BufferLeaks();

  private final List<ByteBuf> sent = new ArrayList<>();
  private final Counters counters = new Counters();
  private final Ip6Output out =
      new Ip6Output(sent::add, buffers.allocator(), new PathMtu(1500), counters);

  @AfterEach
  void releaseSent() {
    sent.forEach(ByteBuf::release);
  }

  private void assertSent(String dump) {
    assertThat(Hex.dump(sent.get(sent.size() - 1))).isEqualTo(Hex.normalize(dump));
  }

  private static Correspondent cn(LocatorPair path, Nonce nonce) {
    return Correspondents.ilnp(SpecPackets.MN, path, SpecPackets.CN, nonce);
  }

  private void sendSyn(Nonce nonce) {
    Correspondent c = cn(OLD, nonce);
    ByteBuf buf = out.start(c, c.path(), Ip6.PROTO_TCP, 24);
    int upper = buf.writerIndex();
    assertThat(upper).isEqualTo(Ip6Output.overhead(c));
    TcpHeader tcp = new TcpHeader().clear();
    tcp.srcPort = 40000;
    tcp.dstPort = 8080;
    tcp.seq = 0x01020304;
    tcp.flags = TcpHeader.SYN;
    tcp.window = 65535;
    tcp.mss = 1440;
    tcp.write(buf);
    out.finish(buf, upper, Ip6.PROTO_TCP, TcpHeader.CHECKSUM_OFFSET, true);
  }

  @Test
  void shouldSendWithTheHopLimitAskedFor() {
    Ip6Output far = new Ip6Output(sent::add, buffers.allocator(), new PathMtu(1500), counters, 255);
    ByteBuf buf = far.startPlain(SpecPackets.MN_OLD, 1, SpecPackets.CN_L64, 2, Ip6.PROTO_TCP, 20);
    int upper = buf.writerIndex();
    new TcpHeader().clear().write(buf);
    far.finish(buf, upper, Ip6.PROTO_TCP, TcpHeader.CHECKSUM_OFFSET, false);
    assertThat(sent.get(0).getUnsignedByte(Ip6.HOP_LIMIT)).isEqualTo((short) 255);
  }

  @Test
  void shouldBuildSynWithShortNonce() {
    sendSyn(SHORT);
    assertSent(SpecPackets.SYN);
    assertThat(counters.get(Counter.PACKETS_OUT)).isEqualTo(1);
    assertThat(counters.get(Counter.BYTES_OUT)).isEqualTo(72);
  }

  @Test
  void shouldBuildSynWithLongNonce() {
    sendSyn(LONG);
    assertSent(SpecPackets.SYN_LONG_NONCE);
  }

  @Test
  void shouldBuildUdpDatagram() {
    Correspondent c = cn(OLD, SHORT);
    ByteBuf buf = out.start(c, c.path(), Ip6.PROTO_UDP, 13);
    int upper = buf.writerIndex();
    Udp.write(buf, 40000, 9000, 5);
    buf.writeCharSequence("hello", StandardCharsets.US_ASCII);
    out.finish(buf, upper, Ip6.PROTO_UDP, Udp.CHECKSUM_OFFSET, true);
    assertSent(SpecPackets.UDP_HELLO);
  }

  private void sendUpdate(int n, long[] l64, int[] preference, int[] lifetimeSeconds) {
    Correspondent c = cn(NEW, SHORT);
    ByteBuf buf = out.start(c, c.path(), Ip6.PROTO_ICMP6, LocatorUpdate.bytes(n));
    int upper = buf.writerIndex();
    LocatorUpdate.write(buf, LocatorUpdate.ADVERTISEMENT, n, l64, preference, lifetimeSeconds);
    out.finish(buf, upper, Ip6.PROTO_ICMP6, Icmp6.CHECKSUM_OFFSET, false);
  }

  @Test
  void shouldBuildHardLocatorUpdate() {
    sendUpdate(1, new long[] {SpecPackets.MN_NEW}, new int[] {10}, new int[] {30});
    assertSent(SpecPackets.LU_HARD);
  }

  @Test
  void shouldBuildSoftLocatorUpdateAndEchoItAsAcknowledgement() {
    sendUpdate(
        2,
        new long[] {SpecPackets.MN_NEW, SpecPackets.MN_OLD},
        new int[] {10, 20},
        new int[] {30, 12});
    assertSent(SpecPackets.LU_SOFT);

    PacketView view = new PacketView();
    assertThat(view.parse(sent.get(0))).isNull();
    LocatorUpdate update = new LocatorUpdate();
    assertThat(update.parse(view.buf, view.upperIndex, view.upperLength)).isNull();
    Correspondent mn =
        Correspondents.ilnp(
            SpecPackets.CN,
            new LocatorPair(SpecPackets.CN_L64, view.srcL64),
            view.srcNid,
            new Nonce(4, SpecPackets.CN_NONCE, 0));
    ByteBuf ack = out.start(mn, mn.path(), Ip6.PROTO_ICMP6, LocatorUpdate.bytes(update.count));
    int upper = ack.writerIndex();
    update.write(ack, LocatorUpdate.ACKNOWLEDGEMENT);
    out.finish(ack, upper, Ip6.PROTO_ICMP6, Icmp6.CHECKSUM_OFFSET, false);
    assertSent(SpecPackets.LU_SOFT_ACK);
  }

  @Test
  void shouldBuildParameterProblemOfHostWithoutIlnp() {
    PacketView view = new PacketView();
    assertThat(view.parse(Hex.parse(SpecPackets.SYN))).isNull();
    int bytes = Icmp6Error.bytes(view, Ip6.HEADER_BYTES);
    ByteBuf buf =
        out.startPlain(
            SpecPackets.CN_L64,
            SpecPackets.CN,
            SpecPackets.MN_OLD,
            SpecPackets.MN,
            Ip6.PROTO_ICMP6,
            bytes);
    int upper = buf.writerIndex();
    Icmp6Error.write(
        buf,
        Icmp6.PARAMETER_PROBLEM,
        Icmp6.UNKNOWN_OPTION,
        view.nonceOffset,
        view,
        Ip6.HEADER_BYTES);
    assertThat(buf.writerIndex() - upper).isEqualTo(bytes);
    out.finish(buf, upper, Ip6.PROTO_ICMP6, Icmp6.CHECKSUM_OFFSET, false);
    assertSent(SpecPackets.PARAMETER_PROBLEM);
  }

  @Test
  void shouldLeaveNonceOutForClassicCorrespondentAndSumFullAddresses() {
    Correspondent c = Correspondents.classic(SpecPackets.MN, OLD, SpecPackets.CN);
    assertThat(Ip6Output.overhead(c)).isEqualTo(Ip6.HEADER_BYTES);
    ByteBuf buf = out.start(c, c.path(), Ip6.PROTO_TCP, 20);
    int upper = buf.writerIndex();
    new TcpHeader().clear().write(buf);
    out.finish(buf, upper, Ip6.PROTO_TCP, TcpHeader.CHECKSUM_OFFSET, false);
    PacketView view = new PacketView();
    assertThat(view.parse(buf)).isNull();
    assertThat(view.hasNonce()).isFalse();
    assertThat(view.upperLength).isEqualTo(20);
    assertThat(Checksum.isValid(view.sumIpv6())).isTrue();
    assertThat(Checksum.isValid(view.sumNidOnly())).isFalse();
  }

  @Test
  void shouldSendUdpChecksumZeroAsAllOnes() {
    Correspondent c = cn(OLD, SHORT);
    // Ports chosen so that the sum comes out as 0xffff and its complement as zero.
    ByteBuf probe = out.start(c, c.path(), Ip6.PROTO_UDP, 8);
    int upper = probe.writerIndex();
    Udp.write(probe, 0, 9000, 0);
    out.finish(probe, upper, Ip6.PROTO_UDP, Udp.CHECKSUM_OFFSET, true);
    int srcPort = probe.getUnsignedShort(upper + Udp.CHECKSUM_OFFSET);

    ByteBuf buf = out.start(c, c.path(), Ip6.PROTO_UDP, 8);
    Udp.write(buf, srcPort, 9000, 0);
    out.finish(buf, upper, Ip6.PROTO_UDP, Udp.CHECKSUM_OFFSET, true);
    assertThat(buf.getUnsignedShort(upper + Udp.CHECKSUM_OFFSET)).isEqualTo(0xffff);
    PacketView view = new PacketView();
    assertThat(view.parse(buf)).isNull();
    assertThat(Udp.check(view)).isNull();
    assertThat(Checksum.isValid(view.sumNidOnly())).isTrue();
  }
}

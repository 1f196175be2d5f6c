package org.ilnp4j.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.ilnp4j.wire.Packets.multicastPacket;
import static org.ilnp4j.wire.Packets.packet;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import org.ilnp4j.util.DropReason;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** ICMPv6 (RFC 4443), its errors and what they quote, and UDP (RFC 768). */
class IcmpAndUdpTest {
  private final PacketView view = new PacketView();
  private final QuotedPacket quoted = new QuotedPacket();

  private void parse(ByteBuf packet) {
    assertThat(view.parse(packet)).isNull();
  }

  // --- ICMPv6

  @Test
  void shouldWriteAndReadEcho() {
    ByteBuf out = Unpooled.buffer();
    Icmp6.writeEcho(out, Icmp6.ECHO_REQUEST, 0xfffe, 0x18001);
    assertThat(Hex.dump(out)).isEqualTo("80 00 00 00 ff fe 80 01");
    assertThat(Icmp6.type(out, 0)).isEqualTo(128);
    assertThat(Icmp6.code(out, 0)).isZero();
    assertThat(Icmp6.echoIdentifier(out, 0)).isEqualTo(0xfffe);
    assertThat(Icmp6.echoSequence(out, 0)).isEqualTo(0x8001);
  }

  @Test
  void shouldTellErrorsFromInformation() {
    assertThat(Icmp6.isError(Icmp6.PARAMETER_PROBLEM)).isTrue();
    assertThat(Icmp6.isError(127)).isTrue();
    assertThat(Icmp6.isError(Icmp6.ECHO_REQUEST)).isFalse();
    assertThat(Icmp6.isError(Icmp6.LOCATOR_UPDATE)).isFalse();
  }

  @Test
  void shouldRefuseShortAndCorruptMessages() {
    for (int n = 0; n < 8; n++) {
      parse(packet().upper(Ip6.PROTO_ICMP6, "80".repeat(n)));
      assertThat(Icmp6.check(view)).isEqualTo(DropReason.ICMP_TRUNCATED);
    }
    parse(packet().upper(Ip6.PROTO_ICMP6, "80 00 12 34 0000 0000"));
    assertThat(Icmp6.check(view)).isEqualTo(DropReason.ICMP_CHECKSUM);
  }

  // --- errors we send

  private ByteBuf write(PacketView invoking, int overhead) {
    ByteBuf out = Unpooled.buffer();
    Icmp6Error.write(out, Icmp6.DEST_UNREACHABLE, Icmp6.PORT_UNREACHABLE, 0, invoking, overhead);
    assertThat(out.readableBytes()).isEqualTo(Icmp6Error.bytes(invoking, overhead));
    return out;
  }

  @Test
  void shouldQuoteShortPacketWhole() {
    parse(packet().udp());
    ByteBuf error = write(view, 40);
    assertThat(error.readableBytes()).isEqualTo(8 + 48);
    assertThat(Hex.dump(error, 8, 48)).isEqualTo(Hex.dump(view.buf, 0, 48));
  }

  @Test
  void shouldQuoteAsMuchAsTheMinimumMtuHolds() {
    parse(packet().upper(Ip6.PROTO_UDP, "0001 0002 05dc ffff" + "ab".repeat(1492)));
    assertThat(write(view, 40).readableBytes()).isEqualTo(1280 - 40);
    assertThat(write(view, 48).readableBytes()).isEqualTo(1280 - 48);
    assertThat(write(view, 56).readableBytes()).isEqualTo(1280 - 56);
  }

  @Test
  void shouldQuoteNothingBehindThePacket() {
    parse(Unpooled.wrappedBuffer(packet().udp(), Unpooled.wrappedBuffer(new byte[100])));
    assertThat(write(view, 40).readableBytes()).isEqualTo(8 + 48);
  }

  @Test
  void shouldNotMoveTheIndexesOfTheInvokingPacket() {
    ByteBuf packet = packet().udp();
    parse(packet);
    write(view, 40);
    assertThat(packet.readerIndex()).isZero();
    assertThat(packet.readableBytes()).isEqualTo(48);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 100, 127, Icmp6.REDIRECT})
  void shouldNotAnswerErrorsAndRedirects(int type) {
    parse(packet().upper(Ip6.PROTO_ICMP6, String.format("%02x00000000000000", type)));
    assertThat(Icmp6Error.isAllowed(view, false)).isFalse();
  }

  @Test
  void shouldAnswerOtherPackets() {
    parse(packet().udp());
    assertThat(Icmp6Error.isAllowed(view, false)).isTrue();
    parse(packet().upper(Ip6.PROTO_ICMP6, "8000000000000000"));
    assertThat(Icmp6Error.isAllowed(view, false)).isTrue();
    parse(packet().upper(Ip6.PROTO_ICMP6, ""));
    assertThat(Icmp6Error.isAllowed(view, false)).as("type unknown").isFalse();
  }

  @Test
  void shouldAnswerMulticastOnlyWhereAllowed() {
    parse(multicastPacket().udp());
    assertThat(Icmp6Error.isAllowed(view, false)).isFalse();
    assertThat(Icmp6Error.isAllowed(view, true)).isTrue();
  }

  @Test
  void shouldNotAnswerSourceThatIsNoNode() {
    ByteBuf solicitation = packet().upper(Ip6.PROTO_ICMP6, "87 00 0000 00000000");
    solicitation.setLong(Ip6.SRC_L64, 0);
    solicitation.setLong(Ip6.SRC_NID, 0);
    parse(solicitation);
    assertThat(Icmp6Error.isAllowed(view, true)).isFalse();
  }

  // --- errors we get

  @Test
  void shouldReadQuoteAsFarAsItGoes() {
    byte[] syn = Hex.bytes(SpecPackets.SYN);
    for (int n = 0; n <= syn.length; n++) {
      ByteBuf cut = Unpooled.wrappedBuffer(java.util.Arrays.copyOf(syn, n));
      DropReason drop = quoted.parse(cut, 0, n);
      String as = n + " octets";
      assertThat(drop == null).as(as).isEqualTo(n >= 48);
      assertThat(quoted.ip.hasNonce()).as(as).isEqualTo(n >= 48);
      assertThat(quoted.hasPorts()).as(as).isEqualTo(n >= 52);
      assertThat(quoted.hasSeq).as(as).isEqualTo(n >= 56);
      assertThat(quoted.srcPort).as(as).isEqualTo(n >= 52 ? 40000 : -1);
      assertThat(quoted.sentBytes).as(as).isEqualTo(n >= 48 ? syn.length : 0);
      assertThat(quoted.seq).as(as).isEqualTo(n >= 56 ? 0x01020304 : 0);
    }
  }

  @Test
  void shouldReadQuotedDatagramAndEcho() {
    ByteBuf hello = Hex.parse(SpecPackets.UDP_HELLO);
    assertThat(quoted.parse(hello, 0, hello.readableBytes())).isNull();
    assertThat(quoted.dstPort).isEqualTo(9000);
    assertThat(quoted.hasSeq).isFalse();
    ByteBuf echo = packet().upper(Ip6.PROTO_ICMP6, "80 00 0000 0001 0002");
    assertThat(quoted.parse(echo, 0, echo.readableBytes())).isNull();
    assertThat(quoted.hasPorts()).isFalse();
    assertThat(quoted.ip.protocol).isEqualTo(Ip6.PROTO_ICMP6);
    assertThat(Icmp6.echoSequence(echo, quoted.ip.upperIndex)).isEqualTo(2);
  }

  @Test
  void shouldNotReadBeyondTheQuote() {
    // The quote ends early, but the buffer goes on: with bytes that are none of its.
    ByteBuf buf = Hex.parse(SpecPackets.SYN);
    assertThat(quoted.parse(buf, 0, 50)).isNull();
    assertThat(quoted.hasPorts()).isFalse();
    assertThat(quoted.ip.upperLength).isEqualTo(2);
    // The length field says less than is there.
    buf.setShort(Ip6.PAYLOAD_LENGTH, 10);
    assertThat(quoted.parse(buf, 0, 72)).isNull();
    assertThat(quoted.ip.upperLength).isEqualTo(2);
  }

  @Test
  void shouldRefuseQuoteThatIsNoPacket() {
    assertThat(quoted.parse(Unpooled.EMPTY_BUFFER, 0, 0)).isEqualTo(DropReason.IP_TRUNCATED);
    assertThat(quoted.parse(Unpooled.wrappedBuffer(new byte[48]), 0, 48))
        .isEqualTo(DropReason.IP_BAD_VERSION);
    assertThat(quoted.isNonceAt(0)).isFalse();
  }

  // --- UDP

  private DropReason checkUdp(String body) {
    parse(packet().upper(Ip6.PROTO_UDP, body));
    return Udp.check(view);
  }

  @Test
  void shouldCheckLengthsOfDatagram() {
    assertThat(checkUdp("0001 0002 0008 ffff")).isNull();
    assertThat(checkUdp("0001 0002 0008 ff")).isEqualTo(DropReason.UDP_TRUNCATED);
    assertThat(checkUdp("0001 0002 0007 ffff")).isEqualTo(DropReason.UDP_TRUNCATED);
    assertThat(checkUdp("0001 0002 0000 ffff")).isEqualTo(DropReason.UDP_TRUNCATED);
    assertThat(checkUdp("0001 0002 0009 ffff")).isEqualTo(DropReason.UDP_TRUNCATED);
    assertThat(checkUdp("0001 0002 ffff ffff")).isEqualTo(DropReason.UDP_TRUNCATED);
  }

  @Test
  void shouldRefuseZeroChecksum() {
    assertThat(checkUdp("0001 0002 0008 0000")).isEqualTo(DropReason.UDP_CHECKSUM);
  }

  @Test
  void shouldSumOnlyWhatBelongsToTheDatagram() {
    ByteBuf hello = Hex.parse(SpecPackets.UDP_HELLO);
    ByteBuf longer = Unpooled.wrappedBuffer(hello, Hex.parse("deadbeef"));
    longer.setShort(Ip6.PAYLOAD_LENGTH, 21 + 4);
    parse(longer);
    assertThat(view.upperLength).isEqualTo(17);
    assertThat(Udp.check(view)).isNull();
    assertThat(view.upperLength).isEqualTo(13);
    assertThat(Checksum.isValid(view.sumNidOnly())).isTrue();
  }
}

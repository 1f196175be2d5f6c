package org.ilnp4j.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.ilnp4j.wire.Packets.multicastPacket;
import static org.ilnp4j.wire.Packets.packet;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import org.ilnp4j.util.DropReason;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The header walk (RFC 8200 §4) and the nonce rules of RFC 6744 §2. */
class PacketViewTest {
  private static final String NONCE_4 = "8b 04 a1 b2 c3 d4";
  private static final String NONCE_12 = "8b 0c a1 b2 c3 d4 e5 f6 07 18 29 3a 4b 5c";

  private final PacketView view = new PacketView();

  private void assertAccepted(ByteBuf packet) {
    assertThat(view.parse(packet)).isNull();
    assertThat(view.protocol).isEqualTo(Ip6.PROTO_UDP);
    assertThat(view.upperLength).isEqualTo(8);
    assertThat(view.upperIndex + view.upperLength).isEqualTo(packet.writerIndex());
  }

  private void assertDropped(ByteBuf packet, DropReason reason) {
    assertThat(view.parse(packet)).isEqualTo(reason);
    assertThat(view.problemCode).as("no Parameter Problem").isEqualTo(-1);
  }

  private void assertProblem(ByteBuf packet, DropReason reason, int code, int pointer) {
    assertThat(view.parse(packet)).isEqualTo(reason);
    assertThat(view.problemCode).isEqualTo(code);
    assertThat(view.problemPointer).isEqualTo(pointer);
  }

  // --- the nonce

  @Test
  void shouldAcceptBothNonceLengths() {
    assertAccepted(packet().destOpts(NONCE_4).udp());
    assertThat(view.nonceLength).isEqualTo(4);
    assertThat(view.nonceLow).isZero();
    assertAccepted(packet().destOpts(NONCE_12).udp());
    assertThat(view.nonceLength).isEqualTo(12);
    assertThat(view.nonceHigh).isEqualTo(0xa1b2c3d4);
    assertThat(view.nonceLow).isEqualTo(0xe5f60718_293a4b5cL);
  }

  @Test
  void shouldFindNonceBehindOtherOptions() {
    // Pad1, PadN and an option to be skipped when unknown, then the nonce.
    assertAccepted(
        packet().destOpts("00 01 01 00 1e 03 01 02 03 00 00 00" + NONCE_4 + "01 02 00 00").udp());
    assertThat(view.nonceHigh).isEqualTo(0xa1b2c3d4);
    assertThat(view.nonceOffset).isEqualTo(40 + 2 + 12);
  }

  @Test
  void shouldFindNonceBehindOtherHeaders() {
    assertAccepted(
        packet()
            .hopByHop("01 04 00 00 00 00")
            .ext(43, "00 04 00 00000000")
            .destOpts(NONCE_4)
            .udp());
    assertThat(view.nonceOffset).isEqualTo(40 + 8 + 8 + 2);
  }

  @Test
  void shouldFindNonceBehindAtomicFragmentHeader() {
    assertAccepted(packet().ext(44, "00 0000 12345678").destOpts(NONCE_4).udp());
    assertThat(view.hasNonce()).isTrue();
  }

  @Test
  void shouldTreatTwoNoncesAsFailedAuthentication() {
    assertDropped(packet().destOpts(NONCE_4 + NONCE_4 + "0000").udp(), DropReason.NONCE_TWICE);
    assertDropped(packet().destOpts(NONCE_4).destOpts(NONCE_4).udp(), DropReason.NONCE_TWICE);
    assertDropped(packet().destOpts(NONCE_4).destOpts(NONCE_12).udp(), DropReason.NONCE_TWICE);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 3, 5, 8, 11, 13, 16, 255})
  void shouldRefuseOtherNonceLengths(int length) {
    int padded = (2 + 2 + length + 7) / 8 * 8;
    String body =
        String.format("8b%02x", length) + "5a".repeat(length) + "00".repeat(padded - 4 - length);
    assertDropped(packet().destOpts(body).udp(), DropReason.NONCE_BAD_LENGTH);
  }

  @Test
  void shouldNotKnowNonceInHopByHopOptions() {
    assertProblem(packet().hopByHop(NONCE_4).udp(), DropReason.EXT_UNKNOWN_OPTION, 2, 42);
    assertThat(view.hasNonce()).isFalse();
  }

  @Test
  void shouldForgetNonceOfThePacketBefore() {
    assertAccepted(packet().destOpts(NONCE_12).udp());
    assertAccepted(packet().udp());
    assertThat(view.hasNonce()).isFalse();
    assertThat(view.nonceHigh).isZero();
    assertThat(view.nonceLow).isZero();
    assertThat(view.nonceOffset).isZero();
  }

  // --- options

  /** The two high bits choose: skip, discard, discard and report, report unless multicast. */
  @Test
  void shouldTreatUnknownOptionsByTheirHighBits() {
    String skip = "1e 02 0000 0100";
    String discard = "5e 02 0000 0100";
    String report = "9e 02 0000 0100";
    String reportUnicast = "de 02 0000 0100";
    DropReason unknown = DropReason.EXT_UNKNOWN_OPTION;
    assertAccepted(packet().destOpts(skip).udp());
    assertDropped(packet().destOpts(discard).udp(), unknown);
    assertProblem(packet().destOpts(report).udp(), unknown, 2, 42);
    assertProblem(packet().destOpts(reportUnicast).udp(), unknown, 2, 42);
    // The same in hop-by-hop options, and behind another header.
    assertAccepted(packet().hopByHop(skip).udp());
    assertDropped(packet().hopByHop(discard).udp(), unknown);
    assertProblem(packet().hopByHop(skip).destOpts(report).udp(), unknown, 2, 50);
    assertProblem(packet().destOpts("0100 00 9e 01 00").udp(), unknown, 2, 45);
    // To many: only the third kind is reported.
    assertProblem(multicastPacket().destOpts(report).udp(), unknown, 2, 42);
    assertDropped(multicastPacket().destOpts(reportUnicast).udp(), unknown);
  }

  @Test
  void shouldRefuseOptionThatRunsOutOfItsHeader() {
    assertDropped(packet().destOpts("1e 05 00 00 00 00").udp(), DropReason.EXT_BAD_OPTION);
    assertDropped(packet().destOpts("8b 05 00 00 00 00").udp(), DropReason.EXT_BAD_OPTION);
    assertDropped(packet().destOpts("01 ff 00 00 00 00").udp(), DropReason.EXT_BAD_OPTION);
    // An option type in the last octet has no room for its length.
    assertDropped(packet().destOpts("01 03 00 00 00 1e").udp(), DropReason.EXT_BAD_OPTION);
  }

  @Test
  void shouldRefuseMoreOptionsThanAnyoneSends() {
    // Empty options of two octets each; three fill the first unit of eight, four each more.
    assertThat(PacketView.MAX_OPTIONS).isEqualTo(16);
    assertAccepted(packet().destOpts("1e00".repeat(15)).udp());
    assertDropped(packet().destOpts("1e00".repeat(19)).udp(), DropReason.EXT_TOO_MANY);
    // The limit is for the packet, not for one header.
    assertDropped(
        packet().destOpts("1e00".repeat(15)).destOpts("1e00".repeat(3)).udp(),
        DropReason.EXT_TOO_MANY);
  }

  @Test
  void shouldAcceptAnyNumberOfSinglePads() {
    assertAccepted(packet().destOpts("00".repeat(6 + 8 * 255)).udp());
  }

  // --- order and kinds of headers

  @Test
  void shouldRefuseHopByHopThatIsNotFirst() {
    DropReason order = DropReason.EXT_BAD_ORDER;
    // The pointer names the next-header octet that announces it.
    assertProblem(packet().destOpts(NONCE_4).hopByHop("01 04 00 00 00 00").udp(), order, 1, 40);
    assertProblem(
        packet().hopByHop("01 04 00 00 00 00").hopByHop("01 04 00 00 00 00").udp(), order, 1, 40);
  }

  @Test
  void shouldAcceptRoutingHeaderOnlyWithNoSegmentsLeft() {
    assertAccepted(packet().ext(43, "00 00 00 00000000").udp());
    assertProblem(packet().ext(43, "00 00 01 00000000").udp(), DropReason.ROUTING_HEADER, 0, 42);
    assertDropped(multicastPacket().ext(43, "00 00 01 00000000").udp(), DropReason.ROUTING_HEADER);
  }

  @ParameterizedTest
  @CsvSource({"0001", "0008", "fff8", "fff9"})
  void shouldDropFragments(String offsetAndMore) {
    assertDropped(packet().ext(44, "00" + offsetAndMore + "12345678").udp(), DropReason.FRAGMENT);
  }

  @Test
  void shouldIgnoreReservedBitsOfFragmentHeader() {
    assertAccepted(packet().ext(44, "ff 0006 12345678").udp());
  }

  @Test
  void shouldReportUnknownNextHeader() {
    DropReason unknown = DropReason.EXT_UNKNOWN_HEADER;
    assertProblem(packet().upper(200, "00".repeat(8)), unknown, 1, 6);
    assertProblem(packet().upper(Ip6.PROTO_AH, "00".repeat(24)), unknown, 1, 6);
    assertProblem(packet().destOpts(NONCE_4).upper(200, "00".repeat(8)), unknown, 1, 40);
    assertDropped(multicastPacket().upper(200, "00".repeat(8)), unknown);
  }

  @Test
  void shouldStopAfterManyExtensionHeaders() {
    Packets legal = packet();
    for (int i = 0; i < PacketView.MAX_EXTENSION_HEADERS; i++) {
      legal.destOpts("01 04 00 00 00 00");
    }
    assertAccepted(legal.udp());
    Packets tooMany = packet();
    for (int i = 0; i <= PacketView.MAX_EXTENSION_HEADERS; i++) {
      tooMany.destOpts("01 04 00 00 00 00");
    }
    assertDropped(tooMany.udp(), DropReason.EXT_TOO_MANY);
  }

  @ParameterizedTest
  @ValueSource(ints = {Ip6.PROTO_TCP, Ip6.PROTO_ICMP6, Ip6.PROTO_ESP, Ip6.PROTO_NONE})
  void shouldHandEveryKnownUpperLayerUp(int protocol) {
    assertThat(view.parse(packet().destOpts(NONCE_4).upper(protocol, ""))).isNull();
    assertThat(view.protocol).isEqualTo(protocol);
    assertThat(view.upperLength).isZero();
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 43, 44, 60})
  void shouldRefuseExtensionHeaderThatIsCutOff(int type) {
    for (int n = 0; n < 7; n++) {
      assertDropped(
          packet().ext(type, "00".repeat(n)).upper(Ip6.PROTO_NONE, ""), DropReason.EXT_TRUNCATED);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 43, 60})
  void shouldRefuseExtensionHeaderLongerThanThePacket(int type) {
    assertDropped(
        packet().ext(type, "01 00 00 00000000").upper(17, "00"), DropReason.EXT_TRUNCATED);
    assertDropped(packet().ext(type, "ff 00 00 00000000").udp(), DropReason.EXT_TRUNCATED);
  }

  // --- the fixed header

  @Test
  void shouldRefuseWhatIsNoIpv6Packet() {
    assertDropped(Unpooled.EMPTY_BUFFER, DropReason.IP_TRUNCATED);
    assertDropped(Unpooled.wrappedBuffer(new byte[39]), DropReason.IP_TRUNCATED);
    assertDropped(Unpooled.wrappedBuffer(new byte[40]), DropReason.IP_BAD_VERSION);
    ByteBuf ipv4 = packet().udp();
    ipv4.setByte(0, 0x45);
    assertDropped(ipv4, DropReason.IP_BAD_VERSION);
    ByteBuf tooLong = packet().udp();
    tooLong.setShort(Ip6.PAYLOAD_LENGTH, 9);
    assertDropped(tooLong, DropReason.IP_BAD_LENGTH);
  }

  @Test
  void shouldTakeOctetsBehindThePacketForPadding() {
    ByteBuf padded = Unpooled.wrappedBuffer(packet().udp(), Unpooled.wrappedBuffer(new byte[30]));
    assertThat(view.parse(padded)).isNull();
    assertThat(view.length).isEqualTo(48);
    assertThat(view.upperLength).isEqualTo(8);
  }

  @Test
  void shouldWorkAtAnyReaderIndex() {
    ByteBuf syn = Hex.parse(SpecPackets.SYN);
    ByteBuf shifted = Unpooled.wrappedBuffer(Unpooled.wrappedBuffer(new byte[10]), syn);
    shifted.skipBytes(10);
    assertThat(view.parse(shifted)).isNull();
    assertThat(view.start).isEqualTo(10);
    assertThat(view.upperIndex).isEqualTo(58);
    assertThat(view.nonceOffset).as("offset from the IPv6 header").isEqualTo(42);
    assertThat(Checksum.isValid(view.sumNidOnly())).isTrue();
    assertThat(shifted.readerIndex()).isEqualTo(10);
  }

  @Test
  void shouldReadTrafficClassAndIgnoreFlowLabel() {
    ByteBuf packet = packet().udp();
    packet.setInt(0, 0x6000_0000 | 0xb9 << 20 | 0xabcde);
    assertAccepted(packet);
    assertThat(view.trafficClass).isEqualTo(0xb9);
  }

  @ParameterizedTest
  @CsvSource({
    "ff020000:00000000, 1:1, IP_BAD_SOURCE",
    "0:0, 0:1, IP_BAD_SOURCE", // loopback
    "0:0, 0:0, IP_BAD_SOURCE" // unspecified
  })
  void shouldRefuseSourcesNoPacketMayHave(String l64, String nid, DropReason reason) {
    ByteBuf packet = packet().udp();
    packet.setLong(Ip6.SRC_L64, words(l64));
    packet.setLong(Ip6.SRC_NID, words(nid));
    assertDropped(packet, reason);
  }

  @Test
  void shouldLetNeighbourDiscoverySpeakWithoutAddress() {
    ByteBuf solicitation = multicastPacket().upper(Ip6.PROTO_ICMP6, "85 00 0000 00000000");
    solicitation.setLong(Ip6.SRC_L64, 0);
    solicitation.setLong(Ip6.SRC_NID, 0);
    assertThat(view.parse(solicitation)).isNull();
  }

  @ParameterizedTest
  @ValueSource(longs = {0, 1})
  void shouldRefuseUnspecifiedAndLoopbackDestination(long nid) {
    ByteBuf packet = packet().udp();
    packet.setLong(Ip6.DST_L64, 0);
    packet.setLong(Ip6.DST_NID, nid);
    assertDropped(packet, DropReason.IP_NOT_FOR_US);
  }

  @Test
  void shouldShowNothingOfThePacketBeforeWhenRefused() {
    assertAccepted(packet().destOpts(NONCE_12).udp());
    assertThat(view.parse(Unpooled.wrappedBuffer(new byte[8]))).isEqualTo(DropReason.IP_TRUNCATED);
    assertThat(view.upperLength).isZero();
    assertThat(view.length).isZero();
    assertThat(view.protocol).isEqualTo(Ip6.PROTO_NONE);
    assertThat(view.srcNid).isZero();
    assertThat(view.hasNonce()).isFalse();
  }

  private static long words(String text) {
    String[] w = text.split(":", -1);
    return Long.parseLong(w[0], 16) << 32 | Long.parseLong(w[1], 16);
  }
}

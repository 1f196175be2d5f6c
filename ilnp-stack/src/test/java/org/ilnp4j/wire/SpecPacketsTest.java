package org.ilnp4j.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The packets of {@link SpecPackets}, parsed; building them is tested in {@code ip6}. */
class SpecPacketsTest {
  private final PacketView view = new PacketView();
  private final TcpHeader tcp = new TcpHeader();
  private final LocatorUpdate update = new LocatorUpdate();

  private ByteBuf accept(String dump) {
    ByteBuf buf = Hex.parse(dump);
    assertThat(view.parse(buf)).isNull();
    assertThat(view.length).isEqualTo(buf.readableBytes());
    return buf;
  }

  private void assertPath(long srcL64, long srcNid, long dstL64, long dstNid) {
    assertThat(new long[] {view.srcL64, view.srcNid, view.dstL64, view.dstNid})
        .containsExactly(srcL64, srcNid, dstL64, dstNid);
  }

  private void assertNonce(int length, int high, long low) {
    assertThat(view.hasNonce()).isTrue();
    assertThat(view.nonceLength).isEqualTo(length);
    assertThat(view.nonceHigh).isEqualTo(high);
    assertThat(view.nonceLow).isEqualTo(low);
    assertThat(view.nonceOffset).isEqualTo(42);
  }

  /** The checksum that belongs there when the pseudo-header holds these Locators. */
  private int checksum(int checksumOffset, long srcL64, long dstL64) {
    ByteBuf upper = view.buf.copy(view.upperIndex, view.upperLength);
    upper.setShort(checksumOffset, 0);
    return Checksum.finish(
        Checksum.pseudoHeader(
                srcL64, view.srcNid, dstL64, view.dstNid, view.upperLength, view.protocol)
            + Checksum.sum(upper, 0, view.upperLength));
  }

  private void assertSyn() {
    assertThat(view.protocol).isEqualTo(Ip6.PROTO_TCP);
    assertThat(tcp.parse(view.buf, view.upperIndex, view.upperLength)).isNull();
    assertThat(tcp.srcPort).isEqualTo(40000);
    assertThat(tcp.dstPort).isEqualTo(8080);
    assertThat(tcp.seq).isEqualTo(0x01020304);
    assertThat(tcp.ack).isZero();
    assertThat(tcp.flags).isEqualTo(TcpHeader.SYN);
    assertThat(tcp.window).isEqualTo(65535);
    assertThat(tcp.mss).isEqualTo(1440);
    assertThat(tcp.windowScale).isEqualTo(-1);
    assertThat(tcp.hasTimestamps).isFalse();
    assertThat(tcp.payloadLength).isZero();
    assertThat(tcp.sequenceLength()).isEqualTo(1);
    assertThat(Checksum.isValid(view.sumNidOnly())).isTrue();
    assertThat(Checksum.isValid(view.sumIpv6())).isFalse();
  }

  @Test
  void shouldReadSynWithShortNonce() {
    accept(SpecPackets.SYN);
    assertPath(SpecPackets.MN_OLD, SpecPackets.MN, SpecPackets.CN_L64, SpecPackets.CN);
    assertThat(view.hopLimit).isEqualTo(64);
    assertThat(view.trafficClass).isZero();
    assertNonce(4, SpecPackets.MN_NONCE, 0);
    assertSyn();
  }

  @Test
  void shouldReadSynWithLongNonce() {
    accept(SpecPackets.SYN_LONG_NONCE);
    assertNonce(12, SpecPackets.MN_NONCE, SpecPackets.MN_NONCE_LOW);
    assertSyn();
  }

  @ParameterizedTest
  @CsvSource({"20010db800010001, 4169", "20010db800030003, 4165"})
  void shouldSumSynWithNidsOnlyWhateverItsLocators(String source, String ordinary) {
    accept(SpecPackets.SYN);
    long srcL64 = Long.parseUnsignedLong(source, 16);
    assertThat(checksum(TcpHeader.CHECKSUM_OFFSET, 0, 0)).isEqualTo(0x9ce1);
    assertThat(checksum(TcpHeader.CHECKSUM_OFFSET, srcL64, view.dstL64))
        .isEqualTo(Integer.parseInt(ordinary, 16));
    view.buf.setLong(Ip6.SRC_L64, srcL64);
    assertThat(view.parse(view.buf)).isNull();
    assertThat(Checksum.isValid(view.sumNidOnly())).isTrue();
  }

  @Test
  void shouldReadUdpDatagram() {
    accept(SpecPackets.UDP_HELLO);
    assertThat(view.protocol).isEqualTo(Ip6.PROTO_UDP);
    assertNonce(4, SpecPackets.MN_NONCE, 0);
    assertThat(Udp.check(view)).isNull();
    assertThat(Udp.srcPort(view.buf, view.upperIndex)).isEqualTo(40000);
    assertThat(Udp.dstPort(view.buf, view.upperIndex)).isEqualTo(9000);
    assertThat(Hex.dump(view.buf, view.upperIndex + 8, view.upperLength - 8))
        .isEqualTo("68 65 6c 6c 6f");
    assertThat(Checksum.isValid(view.sumNidOnly())).isTrue();
    assertThat(checksum(Udp.CHECKSUM_OFFSET, 0, 0)).isEqualTo(0xc116);
    assertThat(checksum(Udp.CHECKSUM_OFFSET, view.srcL64, view.dstL64)).isEqualTo(0x659e);
  }

  private void acceptUpdate(String dump) {
    accept(dump);
    assertThat(view.protocol).isEqualTo(Ip6.PROTO_ICMP6);
    assertThat(Icmp6.check(view)).isNull();
    assertThat(Icmp6.type(view.buf, view.upperIndex)).isEqualTo(Icmp6.LOCATOR_UPDATE);
    assertThat(update.parse(view.buf, view.upperIndex, view.upperLength)).isNull();
  }

  @Test
  void shouldReadHardLocatorUpdate() {
    acceptUpdate(SpecPackets.LU_HARD);
    assertPath(SpecPackets.MN_NEW, SpecPackets.MN, SpecPackets.CN_L64, SpecPackets.CN);
    assertThat(update.operation).isEqualTo(LocatorUpdate.ADVERTISEMENT);
    assertThat(update.count).isEqualTo(1);
    assertThat(update.l64[0]).isEqualTo(SpecPackets.MN_NEW);
    assertThat(update.preference[0]).isEqualTo(10);
    assertThat(update.lifetimeSeconds[0]).isEqualTo(30);
  }

  @Test
  void shouldSumLocatorUpdateOverFullAddresses() {
    accept(SpecPackets.LU_HARD);
    assertThat(checksum(Icmp6.CHECKSUM_OFFSET, view.srcL64, view.dstL64)).isEqualTo(0x9dc9);
    // What two wrong implementations would give.
    assertThat(checksum(Icmp6.CHECKSUM_OFFSET, 0, 0)).isEqualTo(0xf945);
    ByteBuf upper = view.buf.copy(view.upperIndex, view.upperLength);
    upper.setShort(Icmp6.CHECKSUM_OFFSET, 0);
    assertThat(Checksum.finish(Checksum.sum(upper, 0, view.upperLength))).isEqualTo(0x3517);
  }

  @Test
  void shouldReadSoftLocatorUpdateAndItsAcknowledgement() {
    acceptUpdate(SpecPackets.LU_SOFT);
    assertNonce(4, SpecPackets.MN_NONCE, 0);
    assertThat(update.operation).isEqualTo(LocatorUpdate.ADVERTISEMENT);
    long[] l64 = {SpecPackets.MN_NEW, SpecPackets.MN_OLD};
    int[] preference = {10, 20};
    int[] lifetime = {30, 12};
    assertThat(update.lists(2, l64, preference, lifetime)).isTrue();

    acceptUpdate(SpecPackets.LU_SOFT_ACK);
    assertPath(SpecPackets.CN_L64, SpecPackets.CN, SpecPackets.MN_NEW, SpecPackets.MN);
    assertNonce(4, SpecPackets.CN_NONCE, 0);
    assertThat(update.operation).isEqualTo(LocatorUpdate.ACKNOWLEDGEMENT);
    assertThat(update.lists(2, l64, preference, lifetime)).isTrue();
    assertThat(update.lists(1, l64, preference, lifetime)).isFalse();
    assertThat(update.lists(2, l64, preference, new int[] {30, 13})).isFalse();
    assertThat(update.lists(2, l64, new int[] {10, 21}, lifetime)).isFalse();
    assertThat(update.lists(2, new long[] {l64[1], l64[0]}, preference, lifetime)).isFalse();
  }

  @Test
  void shouldReadParameterProblemAndTheSynItQuotes() {
    accept(SpecPackets.PARAMETER_PROBLEM);
    assertThat(view.hasNonce()).isFalse();
    assertThat(Icmp6.check(view)).isNull();
    assertThat(Icmp6.type(view.buf, view.upperIndex)).isEqualTo(Icmp6.PARAMETER_PROBLEM);
    assertThat(Icmp6.code(view.buf, view.upperIndex)).isEqualTo(Icmp6.UNKNOWN_OPTION);
    assertThat(Icmp6.parameter(view.buf, view.upperIndex)).isEqualTo(42);
    QuotedPacket quoted = new QuotedPacket();
    assertThat(quoted.parse(view.buf, view.upperIndex + 8, view.upperLength - 8)).isNull();
    assertThat(quoted.isNonceAt(42)).isTrue();
    assertThat(quoted.isNonceAt(40)).isFalse();
    assertThat(quoted.ip.nonceHigh).isEqualTo(SpecPackets.MN_NONCE);
    assertThat(quoted.ip.srcNid).isEqualTo(SpecPackets.MN);
    assertThat(quoted.ip.dstNid).isEqualTo(SpecPackets.CN);
    assertThat(quoted.hasPorts()).isTrue();
    assertThat(quoted.srcPort).isEqualTo(40000);
    assertThat(quoted.dstPort).isEqualTo(8080);
    assertThat(quoted.hasSeq).isTrue();
    assertThat(quoted.seq).isEqualTo(0x01020304);
  }

  @Test
  void shouldNameNonceOptionWhenAskedForParameterProblem() {
    // The option type made unknown (bits 10 kept): what a host without ILNP sees in the nonce.
    ByteBuf syn = Hex.parse(SpecPackets.SYN);
    syn.setByte(42, 0x8c);
    assertThat(view.parse(syn)).isNotNull();
    assertThat(view.problemCode).isEqualTo(Icmp6.UNKNOWN_OPTION);
    assertThat(view.problemPointer).isEqualTo(42);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        SpecPackets.SYN,
        SpecPackets.SYN_LONG_NONCE,
        SpecPackets.UDP_HELLO,
        SpecPackets.LU_HARD,
        SpecPackets.LU_SOFT,
        SpecPackets.LU_SOFT_ACK,
        SpecPackets.PARAMETER_PROBLEM
      })
  void shouldRefuseEveryTruncation(String dump) {
    byte[] whole = Hex.bytes(dump);
    for (int n = 0; n < whole.length; n++) {
      ByteBuf cut = io.netty.buffer.Unpooled.wrappedBuffer(java.util.Arrays.copyOf(whole, n));
      assertThat(view.parse(cut)).as("%d octets", n).isNotNull();
      assertThat(view.upperLength).isZero();
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        SpecPackets.SYN,
        SpecPackets.UDP_HELLO,
        SpecPackets.LU_SOFT,
        SpecPackets.PARAMETER_PROBLEM
      })
  void shouldNoticeEveryFlippedBitOfTheUpperLayer(String dump) {
    ByteBuf buf = accept(dump);
    boolean icmp = view.protocol == Ip6.PROTO_ICMP6;
    for (int bit = 0; bit < 8 * view.upperLength; bit++) {
      int at = view.upperIndex + bit / 8;
      buf.setByte(at, buf.getByte(at) ^ 1 << bit % 8);
      assertThat(Checksum.isValid(icmp ? view.sumIpv6() : view.sumNidOnly()))
          .as("bit %d", bit)
          .isFalse();
      buf.setByte(at, buf.getByte(at) ^ 1 << bit % 8);
    }
  }
}

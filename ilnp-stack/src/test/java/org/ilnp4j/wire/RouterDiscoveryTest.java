package org.ilnp4j.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.List;
import org.ilnp4j.util.DropReason;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Router Advertisements and Solicitations (RFC 4861 §4.1, §4.2, §6.1). */
class RouterDiscoveryTest {
  /** As radvd sends it: hop limit 64, O flag, lifetime 1800, SLLA, MTU 1500, prefix, interval. */
  private static final String RA =
      """
      86 00 00 00 40 40 07 08 00 00 00 00 00 00 00 00
      01 01 02 00 00 00 00 0a
      05 01 00 00 00 00 05 dc
      03 04 40 c0 00 00 00 3c 00 00 00 1e 00 00 00 00
      20 01 0d b8 00 01 00 01 00 00 00 00 00 00 00 00
      07 01 00 00 00 00 0b b8
      """;

  private static final String FIXED = "86 00 00 00 40 00 00 1e 00 00 00 00 00 00 00 00";

  private static RouterAdvertisement.Parsed parse(String message) {
    ByteBuf buf = Hex.parse(message);
    return RouterAdvertisement.parse(buf, 0, buf.readableBytes());
  }

  private static RouterAdvertisement accept(String message) {
    RouterAdvertisement.Parsed parsed = parse(message);
    assertThat(parsed.drop()).isNull();
    return parsed.advertisement();
  }

  private static void assertRefused(String message, DropReason reason) {
    RouterAdvertisement.Parsed parsed = parse(message);
    assertThat(parsed.drop()).isEqualTo(reason);
    assertThat(parsed.advertisement()).isNull();
  }

  @Test
  void shouldReadAdvertisementAndWriteTheSameBytes() {
    RouterAdvertisement ra = accept(RA);
    assertThat(ra)
        .isEqualTo(
            new RouterAdvertisement(
                64,
                0x40,
                1800,
                List.of(new PrefixInformation(64, true, true, 60, 30, SpecPackets.MN_OLD)),
                1500,
                0x0200_0000_000aL,
                3000));
    assertThat(ra.prefixes().get(0).isLocator()).isTrue();
    ByteBuf out = Unpooled.buffer();
    ra.write(out);
    assertThat(Hex.dump(out)).isEqualTo(Hex.normalize(RA));
    assertThat(ra.bytes()).isEqualTo(out.readableBytes());
  }

  @Test
  void shouldReadAdvertisementWithoutOptions() {
    RouterAdvertisement ra = accept(FIXED);
    assertThat(ra.prefixes()).isEmpty();
    assertThat(ra.mtu()).isZero();
    assertThat(ra.sourceLinkLayer()).isEqualTo(RouterAdvertisement.NO_LINK_LAYER);
    assertThat(ra.advertisementIntervalMillis()).isZero();
    assertThat(ra.routerLifetimeSeconds()).isEqualTo(30);
    ByteBuf out = Unpooled.buffer();
    ra.write(out);
    assertThat(Hex.dump(out)).isEqualTo(Hex.normalize(FIXED));
  }

  @Test
  void shouldKeepInfiniteLifetimes() {
    RouterAdvertisement ra =
        RouterAdvertisement.ofLocator(
            SpecPackets.MN_NEW, PrefixInformation.INFINITE, 65535, 0xffff_ffffL);
    ByteBuf out = Unpooled.buffer();
    ra.write(out);
    RouterAdvertisement read = accept(Hex.dump(out));
    assertThat(read).isEqualTo(ra);
    assertThat(read.prefixes().get(0).validSeconds()).isEqualTo(PrefixInformation.INFINITE);
    assertThat(read.prefixes().get(0).preferredSeconds()).isEqualTo(0xffff_ffffL);
  }

  @Test
  void shouldDiscardMessageWithOptionOfLengthZero() {
    assertRefused(FIXED + "\n03 00 40 c0 00 00 00 00", DropReason.RA_BAD_OPTION);
    assertRefused(FIXED + "\n63 00 00 00 00 00 00 00", DropReason.RA_BAD_OPTION);
  }

  @Test
  void shouldDiscardMessageWithOptionThatRunsPastTheEnd() {
    assertRefused(FIXED + "\n63 02 00 00 00 00 00 00", DropReason.RA_BAD_OPTION);
    assertRefused(FIXED + "\n05 01 00 00", DropReason.RA_BAD_OPTION);
    assertRefused(FIXED + "\n05", DropReason.RA_BAD_OPTION);
  }

  @Test
  void shouldDiscardTruncatedMessages() {
    byte[] whole = Hex.bytes(RA);
    List<Integer> optionEnds = List.of(16, 24, 32, 64, 72);
    for (int n = 0; n < whole.length; n++) {
      ByteBuf cut = Unpooled.wrappedBuffer(java.util.Arrays.copyOf(whole, n));
      DropReason expected =
          optionEnds.contains(n)
              ? null
              : n < 16 ? DropReason.RA_TRUNCATED : DropReason.RA_BAD_OPTION;
      assertThat(RouterAdvertisement.parse(cut, 0, n).drop())
          .as("%d octets", n)
          .isEqualTo(expected);
    }
  }

  @ParameterizedTest
  @CsvSource({"03, 01", "03, 05", "05, 02", "07, 02"})
  void shouldDiscardKnownOptionsOfWrongLength(String type, String units) {
    int bytes = 8 * Integer.parseInt(units, 16);
    assertRefused(FIXED + "\n" + type + units + "00".repeat(bytes - 2), DropReason.RA_BAD_OPTION);
  }

  @Test
  void shouldSkipUnknownOptionsAndLongLinkLayerAddresses() {
    RouterAdvertisement ra =
        accept(
            FIXED
                + "\n19 03"
                + "00".repeat(22)
                + "\n01 02"
                + "11".repeat(14)
                + "\n0501000000000578");
    assertThat(ra.mtu()).isEqualTo(1400);
    assertThat(ra.sourceLinkLayer()).isEqualTo(RouterAdvertisement.NO_LINK_LAYER);
  }

  @Test
  void shouldLimitTheNumberOfOptions() {
    String prefix = "03 04 40 c0 0000003c 0000001e 00000000 20010db800010001 0000000000000000";
    assertThat(accept(FIXED + ("\n" + prefix).repeat(32)).prefixes()).hasSize(32);
    assertRefused(FIXED + ("\n" + prefix).repeat(33), DropReason.RA_BAD_OPTION);
    assertRefused(FIXED + "\n6301000000000000".repeat(33), DropReason.RA_BAD_OPTION);
  }

  @Test
  void shouldRefuseOtherCodes() {
    assertRefused("86 01" + FIXED.substring(5), DropReason.ICMP_UNKNOWN_TYPE);
  }

  @ParameterizedTest
  @CsvSource({
    "255, fe80000000000000, ",
    "254, fe80000000000000, RA_HOP_LIMIT",
    "64, fe80000000000000, RA_HOP_LIMIT",
    "255, 20010db800010001, RA_SOURCE",
    "255, 0000000000000000, RA_SOURCE",
    "255, fec0000000000000, RA_SOURCE"
  })
  void shouldListenToNeighboursOnly(int hopLimit, String srcL64, DropReason reason) {
    assertThat(RouterAdvertisement.checkSender(hopLimit, Long.parseUnsignedLong(srcL64, 16)))
        .isEqualTo(reason);
  }

  @ParameterizedTest
  @CsvSource({
    "64, true, 60, 30, 20010db800010001, true",
    "64, true, 0, 0, 20010db800010001, true", // withdrawn, still about a Locator
    "64, false, 60, 30, 20010db800010001, false", // not for address configuration
    "64, true, 30, 60, 20010db800010001, false", // preferred longer than valid
    "48, true, 60, 30, 20010db800010000, false",
    "65, true, 60, 30, 20010db800010001, false",
    "64, true, 60, 30, fe80000000000000, false",
    "64, true, 60, 30, ff0e000000000000, false",
    "64, true, 60, 30, 0000000000000000, false"
  })
  void shouldTellLocatorsFromOtherPrefixes(
      int bits, boolean autonomous, long valid, long preferred, String l64, boolean locator) {
    long prefix = Long.parseUnsignedLong(l64, 16);
    assertThat(new PrefixInformation(bits, true, autonomous, valid, preferred, prefix).isLocator())
        .isEqualTo(locator);
  }

  @Test
  void shouldIgnoreBitsBehindThePrefix() {
    assertThat(new PrefixInformation(48, true, true, 1, 1, SpecPackets.MN_OLD).l64())
        .isEqualTo(0x2001_0db8_0001_0000L);
    assertThat(new PrefixInformation(0, true, true, 1, 1, -1L).l64()).isZero();
    assertThat(new PrefixInformation(128, true, true, 1, 1, -1L).l64()).isEqualTo(-1L);
  }

  @Test
  void shouldRefuseIllegalPrefixes() {
    String prefix129 = "\n03 04 81 c0 0000003c 0000001e 00000000 20010db800010001 0000000000000000";
    assertRefused(FIXED + prefix129, DropReason.RA_BAD_OPTION);
    assertThatThrownBy(() -> new PrefixInformation(129, true, true, 1, 1, 1))
        .hasMessageContaining("129");
    assertThatThrownBy(() -> PrefixInformation.locator(1, -1, 1)).hasMessageContaining("-1");
    assertThatThrownBy(() -> PrefixInformation.locator(1, 1, 1L << 32))
        .hasMessageContaining("4294967296");
  }

  @Test
  void shouldWriteAndCheckSolicitations() {
    ByteBuf out = Unpooled.buffer();
    RouterSolicitation.write(out, 0x0214_4fab_cd01L);
    assertThat(Hex.dump(out))
        .isEqualTo(Hex.normalize("85 00 00 00 00 00 00 00 01 01 02 14 4f ab cd 01"));
    assertThat(out.readableBytes()).isEqualTo(RouterSolicitation.bytes(0x0214_4fab_cd01L));
    assertThat(RouterSolicitation.check(out, 0, 16)).isNull();
    assertThat(RouterSolicitation.check(out, 0, 15)).isEqualTo(DropReason.RA_BAD_OPTION);
    assertThat(RouterSolicitation.check(out, 0, 7)).isEqualTo(DropReason.ICMP_TRUNCATED);
    out.setByte(9, 0);
    assertThat(RouterSolicitation.check(out, 0, 16)).isEqualTo(DropReason.RA_BAD_OPTION);
    out.setByte(1, 1);
    assertThat(RouterSolicitation.check(out, 0, 16)).isEqualTo(DropReason.ICMP_UNKNOWN_TYPE);

    out.clear();
    RouterSolicitation.write(out, RouterAdvertisement.NO_LINK_LAYER);
    assertThat(Hex.dump(out)).isEqualTo("85 00 00 00 00 00 00 00");
    assertThat(RouterSolicitation.check(out, 0, 8)).isNull();
  }
}

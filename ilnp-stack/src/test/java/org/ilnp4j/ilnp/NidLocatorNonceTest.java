package org.ilnp4j.ilnp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.Unpooled;
import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import org.ilnp4j.wire.Hex;
import org.ilnp4j.wire.NonceOption;
import org.ilnp4j.wire.PacketView;
import org.ilnp4j.wire.SpecPackets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class NidLocatorNonceTest {
  // --- NIDs

  @Test
  void shouldMakeNidFromMac() {
    byte[] mac = {0x00, 0x14, 0x4f, (byte) 0xab, (byte) 0xcd, 0x01};
    assertThat(Nid.fromMac(mac)).isEqualTo(0x0214_4fff_feab_cd01L);
    byte[] local = {0x02, 0, 0, 0, 0, (byte) 0xff};
    assertThat(Nid.fromMac(local)).as("U bit flipped to local").isEqualTo(0x0000_00ff_fe00_00ffL);
    byte[] high = {(byte) 0xfc, (byte) 0xff, (byte) 0xff, (byte) 0x80, 0, 0};
    assertThat(Nid.fromMac(high)).isEqualTo(0xfeff_ffff_fe80_0000L);
  }

  @Test
  void shouldRefuseMacThatIsNoInterface() {
    assertThatThrownBy(() -> Nid.fromMac(new byte[] {0x01, 0, 0x5e, 0, 0, 1}))
        .hasMessageContaining("group bit");
    assertThatThrownBy(() -> Nid.fromMac(new byte[6])).hasMessageContaining("zero");
    assertThatThrownBy(() -> Nid.fromMac(new byte[8])).hasMessageContaining("8");
  }

  @ParameterizedTest
  @CsvSource({
    "0214:4fff:feab:cd01, 214:4fff:feab:cd01",
    "214:4FFF:FEAB:CD01, 214:4fff:feab:cd01",
    "0:0:0:1, 0:0:0:1",
    "feff:ffff:ffff:ffff, feff:ffff:ffff:ffff"
  })
  void shouldReadAndWriteNids(String text, String written) {
    long nid = Nid.parse(text);
    assertThat(Nid.format(nid)).isEqualTo(written);
    assertThat(Nid.parse(Nid.format(nid))).isEqualTo(nid);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        ":",
        ":::",
        "::",
        "::1",
        "1::2",
        "214:4fff:feab",
        "214:4fff:feab:cd01:1",
        "214:4fff:feab:",
        "214:4fff:feab:cd01 ",
        "214:4fff:feab:g",
        "02144:fff:feab:cd01",
        "+14:4fff:feab:cd01",
        "-1:4fff:feab:cd01",
        "2001:db8:1:1::/64",
        "214-4fff-feab-cd01"
      })
  void shouldRefuseOtherTextWithOneClearLine(String text) {
    assertThatThrownBy(() -> Nid.parse(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("NID \"" + text + "\"")
        .hasMessageNotContaining("\n");
  }

  @ParameterizedTest
  @ValueSource(strings = {"0:0:0:0", "100:0:0:1", "ff00:0:0:0", "0314:4fff:feab:cd01"})
  void shouldRefuseNidThatNamesNoSingleNode(String text) {
    assertThatThrownBy(() -> Nid.parse(text)).hasMessageContaining("single node");
  }

  @Test
  void shouldDrawRandomNidsOfLocalScope() {
    Random random = new Random(6741);
    Set<Long> seen = new HashSet<>();
    for (int i = 0; i < 10_000; i++) {
      long nid = Nid.random(random);
      assertThat(nid >>> 56 & 0x03).as("neither universal nor group").isZero();
      assertThat(Nid.parse(Nid.format(nid))).isEqualTo(nid);
      seen.add(nid);
    }
    assertThat(seen).hasSize(10_000);
  }

  // --- Locators

  @ParameterizedTest
  @CsvSource({
    "2001:db8:1:1, 2001:db8:1:1",
    "2001:0db8:0001:0001, 2001:db8:1:1",
    "2001:db8:1:1::/64, 2001:db8:1:1",
    "fd00:0:0:1, fd00:0:0:1"
  })
  void shouldReadAndWriteLocators(String text, String written) {
    assertThat(Locator.format(Locator.parse(text))).isEqualTo(written);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "2001:db8::",
        "2001:db8:1:1::",
        "2001:db8:1:1::1",
        "2001:db8:1:1/64",
        "2001:db8:1::/64",
        "::/64",
        "2001:db8:1:1::/48"
      })
  void shouldRefuseOtherPrefixes(String text) {
    assertThatThrownBy(() -> Locator.parse(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("Locator");
  }

  @ParameterizedTest
  @ValueSource(strings = {"fe80:0:0:0", "0:0:0:0", "ff0e:0:0:0"})
  void shouldRefuseLocatorNothingCanBeSentTo(String text) {
    assertThatThrownBy(() -> Locator.parse(text))
        .hasMessageContaining("\"" + text + "\"")
        .hasMessageContaining("cannot be routed");
  }

  @Test
  void shouldJoinLocatorAndNidToAddress() throws Exception {
    String text = Locator.address(SpecPackets.MN_OLD, SpecPackets.MN);
    assertThat(text).isEqualTo("2001:db8:1:1:214:4fff:feab:cd01");
    assertThat(Unpooled.wrappedBuffer(java.net.InetAddress.getByName(text).getAddress()))
        .isEqualTo(Hex.parse("2001 0db8 0001 0001 0214 4fff feab cd01"));
  }

  // --- nonces

  @Test
  void shouldFixOneNibbleOfLongNonces() {
    Random random = new Random(12);
    Set<Long> lows = new HashSet<>();
    for (int i = 0; i < 10_000; i++) {
      Nonce nonce = Nonce.random(NonceOption.LONG, random);
      // On the wire: octet 8 of the nonce has 5 in its high nibble.
      var header = Unpooled.buffer();
      NonceOption.write(header, 6, nonce.length(), nonce.high(), nonce.low());
      assertThat(header.getUnsignedByte(4 + 8) >>> 4).isEqualTo(5);
      lows.add(nonce.low());
    }
    assertThat(lows).hasSize(10_000);
  }

  @Test
  void shouldNeverDrawZero() {
    int[] next = {0, 0, 7};
    int[] i = {0};
    Random scripted =
        new Random() {
          @Override
          public int nextInt() {
            return next[i[0]++];
          }
        };
    assertThat(Nonce.random(4, scripted)).isEqualTo(new Nonce(4, 7, 0));
  }

  @ParameterizedTest
  @ValueSource(ints = {-4, 0, 3, 5, 8, 16})
  void shouldHaveFourOrTwelveOctets(int length) {
    assertThatThrownBy(() -> new Nonce(length, 1, 1)).hasMessageContaining(String.valueOf(length));
    assertThatThrownBy(() -> Nonce.random(length, new Random(1)))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void shouldMatchOnlyTheSameLengthAndValue() {
    PacketView view = new PacketView();
    view.parse(Hex.parse(SpecPackets.SYN_LONG_NONCE));
    Nonce nonce = Nonce.of(view);
    assertThat(nonce).isEqualTo(new Nonce(12, SpecPackets.MN_NONCE, SpecPackets.MN_NONCE_LOW));
    assertThat(nonce.matches(view)).isTrue();
    for (int bit = 0; bit < 64; bit++) {
      assertThat(new Nonce(12, nonce.high(), nonce.low() ^ 1L << bit).matches(view)).isFalse();
      assertThat(new Nonce(12, nonce.high() ^ 1 << bit % 32, nonce.low()).matches(view)).isFalse();
    }
    assertThat(new Nonce(4, nonce.high(), 0).matches(view)).isFalse();
    view.parse(Hex.parse(SpecPackets.SYN));
    assertThat(nonce.matches(view)).isFalse();
    assertThat(new Nonce(4, SpecPackets.MN_NONCE, 0).matches(view)).isTrue();
  }

  @Test
  void shouldNeverShowItsValue() {
    Nonce nonce = new Nonce(12, SpecPackets.MN_NONCE, SpecPackets.MN_NONCE_LOW);
    assertThat(nonce.toString()).isEqualTo("nonce/12");
    Correspondent c =
        Correspondents.ilnp(
            SpecPackets.MN,
            new LocatorPair(SpecPackets.MN_OLD, SpecPackets.CN_L64),
            SpecPackets.CN,
            nonce);
    assertThat(c.toString().toLowerCase(java.util.Locale.ROOT))
        .doesNotContain("a1b2")
        .doesNotContain(Integer.toString(nonce.high()))
        .doesNotContain(Long.toString(nonce.low()));
  }
}

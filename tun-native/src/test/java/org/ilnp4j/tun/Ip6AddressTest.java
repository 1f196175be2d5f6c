package org.ilnp4j.tun;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class Ip6AddressTest {
  @ParameterizedTest
  @ValueSource(
      strings = {
        "::",
        "::1",
        "fe80::1",
        "2001:db8::",
        "2001:db8:1:0:2:3:4:5",
        "2001:db8::1:0:0:1",
        "ff02::2",
        "1:2:3:4:5:6:7:8",
        "2001:0:0:1::1"
      })
  void shouldPrintWhatItParsed(String text) {
    assertThat(Ip6Address.parse(text)).hasToString(text);
  }

  @Test
  void shouldKeepHalvesInNetworkOrder() {
    assertThat(Ip6Address.parse("2001:db8:1:2:3:4:5:6"))
        .isEqualTo(new Ip6Address(0x20010db8_00010002L, 0x00030004_00050006L));
    assertThat(Ip6Address.parse("fe80::1").isLinkLocal()).isTrue();
    assertThat(Ip6Address.parse("fec0::1").isLinkLocal()).isFalse();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "10.0.0.1", "example.org", "fe80::1%lo", ":::", "1::2::3", "::ffff:1.2.3.4"})
  void shouldRefuseWhatIsNoAddress(String text) {
    assertThatThrownBy(() -> Ip6Address.parse(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("\"" + text + "\" is not an IPv6 address");
  }
}

package org.ilnp4j.util;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class PrintableTest {
  @Test
  void shouldReplaceWhatEndsOrDisguisesALine() {
    assertThat(Printable.of("a\r\nb\u001b[2Jc\u0085d\u2028e\u202ef\ud800g"))
        .isEqualTo("a??b?[2Jc?d?e?f?g");
    assertThat(Printable.of("k\u00f6ln \ud83d\ude00 x")).isEqualTo("k\u00f6ln \ud83d\ude00 x");
  }
}

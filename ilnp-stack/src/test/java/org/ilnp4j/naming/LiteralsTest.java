package org.ilnp4j.naming;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.util.concurrent.ImmediateEventExecutor;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LiteralsTest {
  @Test
  void shouldPrintNothingOfANameThatBreaksTheLine() {
    for (String name : new String[] {"a\nb\u001b", "x:\ny", "1@\n", "\n@2001:db8:1:1"}) {
      assertThat(new Literals().resolve(name, ImmediateEventExecutor.INSTANCE).cause().getMessage())
          .doesNotContain("\n", "\u001b")
          .contains("?");
    }
  }

  private static final long NID = 0x0214_4fff_feab_cd01L;

  @Test
  void shouldReadNidAtLocators() {
    String text = "0214:4fff:feab:cd01@2001:db8:1:1,2001:db8:2:1";

    assertThat(Literals.parse(text))
        .isEqualTo(
            new Destination(text, NID, List.of(0x2001_0db8_0001_0001L, 0x2001_0db8_0002_0001L)));
  }

  @Test
  void shouldSplitAddressesIntoLocatorAndNid() {
    Destination d = Literals.parse("2001:db8:1:1:214:4fff:feab:cd01");

    assertThat(d.nid()).isEqualTo(NID);
    assertThat(d.locators()).containsExactly(0x2001_0db8_0001_0001L);
    assertThat(Literals.parse("fd00::1:2:3:4").locators()).containsExactly(0xfd00_0000_0000_0000L);
  }

  @Test
  void shouldAcceptAnyInterfaceIdentifierOfClassicNodes() {
    assertThat(Literals.parse("2001:db8::ffff:ffff:ffff:1").nid())
        .isEqualTo(0xffff_ffff_ffff_0001L);
  }

  @ParameterizedTest
  @ValueSource(strings = {"server", "server.example", "10.0.0.1", ""})
  void shouldLeaveNamesToOthers(String text) {
    assertThat(Literals.parse(text)).isNull();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "::",
        "::1",
        "fe80::1",
        "ff02::1",
        "2001:db8::",
        "2001:db8:::1",
        "1:2:3",
        "a:b",
        "@",
        "1@2",
        "0214:4fff:feab:cd01@",
        "@2001:db8:1:1",
        "::ffff:10.0.0.1",
        "2001:db8::1%eth0",
        "0314:4fff:feab:cd01@2001:db8:1:1"
      })
  void shouldRefuseWhatCannotBeADestination(String text) {
    assertThatThrownBy(() -> Literals.parse(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("\"");
  }
}

package org.ilnp4j.sim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import org.junit.jupiter.api.Test;

class ForwardingTableTest extends SimTestBase {
  private final ForwardingTable table = new ForwardingTable();
  private final Recorder node = new Recorder("node");
  private final SimPort a = network.port(node, "a");
  private final SimPort b = network.port(node, "b");
  private final SimPort c = network.port(node, "c");

  @Test
  void shouldPreferTheLongestPrefixWhateverTheOrderOfEntry() {
    table.put(l64(1), 64, b);
    table.put(0, 0, a);
    table.put(l64(1), 5, 128, c);
    assertThat(table.lookup(l64(9), 5)).isSameAs(a);
    assertThat(table.lookup(l64(1), 6)).isSameAs(b);
    assertThat(table.lookup(l64(1), 5)).isSameAs(c);
    assertThat(table.remove(l64(1), 5, 128)).isTrue();
    assertThat(table.remove(l64(1), 5, 128)).isFalse();
    assertThat(table.lookup(l64(1), 5)).isSameAs(b);
  }

  @Test
  void shouldMatchPrefixesThatEndInsideEitherHalf() {
    table.put(0x2001_0db8_0000_0000L, 32, a);
    table.put(l64(1), 0x1234_0000_0000_0000L, 80, b);
    assertThat(table.lookup(0x2001_0db8_ffff_ffffL, 1)).isSameAs(a);
    assertThat(table.lookup(0x2001_0db9_0000_0000L, 1)).isNull();
    assertThat(table.lookup(l64(1), 0x1234_ffff_0000_0000L)).isSameAs(b);
    assertThat(table.lookup(l64(1), 0x1235_0000_0000_0000L)).isSameAs(a);
  }

  @Test
  void shouldReplaceARouteToTheSamePrefix() {
    table.put(l64(1), 64, a);
    table.put(l64(1) | 0, 64, b);
    assertThat(table.lookup(l64(1), 1)).isSameAs(b);
    table.remove(l64(1), 0, 64);
    assertThat(table.lookup(l64(1), 1)).isNull();
  }

  @Test
  void shouldHaveALimit() {
    for (int i = 0; i < ForwardingTable.MAX_ROUTES; i++) {
      table.put(l64(i), 64, a);
    }
    assertThatIllegalStateException().isThrownBy(() -> table.put(l64(5000), 64, a));
  }
}

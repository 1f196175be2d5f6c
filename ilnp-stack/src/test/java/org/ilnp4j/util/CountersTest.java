package org.ilnp4j.util;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.Map;
import org.junit.jupiter.api.Test;

class CountersTest {
  private final Counters counters = new Counters();

  @Test
  void shouldCountEventsAndDropsApart() {
    counters.add(Counter.PACKETS_IN);
    counters.add(Counter.BYTES_IN, 1500);
    counters.add(Counter.BYTES_IN, 40);
    counters.drop(DropReason.NONCE_WRONG);
    counters.drop(DropReason.NONCE_WRONG);
    counters.drop(DropReason.FRAGMENT);
    assertThat(counters.get(Counter.PACKETS_IN)).isEqualTo(1);
    assertThat(counters.get(Counter.BYTES_IN)).isEqualTo(1540);
    assertThat(counters.get(DropReason.NONCE_WRONG)).isEqualTo(2);
    assertThat(counters.totalDrops()).isEqualTo(3);
    assertThat(counters.get(Counter.PACKETS_OUT)).isZero();
  }

  @Test
  void shouldShowWhatIsNotZeroInDeclarationOrder() {
    assertThat(counters.nonZero()).isEmpty();
    counters.drop(DropReason.FRAGMENT);
    counters.add(Counter.LU_SENT, 3);
    counters.add(Counter.PACKETS_IN, 7);
    assertThat(counters.nonZero())
        .containsExactly(
            Map.entry("packets-in", 7L), Map.entry("lu-sent", 3L), Map.entry("drop-fragment", 1L));
  }

  @Test
  void shouldGiveEveryCounterALabelOfItsOwn() {
    assertThat(Arrays.stream(Counter.values()).map(Counter::label))
        .doesNotHaveDuplicates()
        .allMatch(l -> l.matches("[a-z0-9-]+"));
    assertThat(Arrays.stream(DropReason.values()).map(DropReason::label))
        .doesNotHaveDuplicates()
        .allMatch(l -> l.matches("[a-z0-9-]+"));
    assertThat(DropReason.NONCE_WRONG.label()).isEqualTo("nonce-wrong");
  }
}

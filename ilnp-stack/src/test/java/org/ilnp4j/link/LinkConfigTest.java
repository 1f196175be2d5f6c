package org.ilnp4j.link;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;

class LinkConfigTest {
  @Test
  void shouldChangeOnlyWhatIsAsked() {
    LinkConfig slow = LinkConfig.of(1_000_000, 5).withLoss(0.25).withMtu(1400);
    LinkConfig fast = slow.withRate(9_000_000);
    assertThat(slow.rateBitsPerSecond()).isEqualTo(1_000_000);
    assertThat(fast.rateBitsPerSecond()).isEqualTo(9_000_000);
    assertThat(fast.delayNanos()).isEqualTo(5);
    assertThat(fast.loss()).isEqualTo(0.25);
    assertThat(fast.mtu()).isEqualTo(1400);
    assertThat(fast.queuePackets()).isEqualTo(LinkConfig.DEFAULT_QUEUE_PACKETS);
  }

  @Test
  void shouldSayWhatIsWrongWithAValue() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> LinkConfig.PERFECT.withLoss(1.5))
        .withMessage("link loss: 1.5 is not within 0 to 1");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> LinkConfig.PERFECT.withCorrupt(Double.NaN))
        .withMessageContaining("corrupt");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> LinkConfig.PERFECT.withRate(-1))
        .withMessageContaining("rate in bit/s: -1");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> LinkConfig.PERFECT.withDelay(Long.MAX_VALUE));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> LinkConfig.PERFECT.withMtu(1279))
        .withMessage("link MTU 1279 is below 1280");
  }
}

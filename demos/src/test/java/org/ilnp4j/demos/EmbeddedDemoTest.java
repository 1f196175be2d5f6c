package org.ilnp4j.demos;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** The main job without privilege: simulated links, everything else real. */
class EmbeddedDemoTest {
  @Test
  void shouldDownloadIntactAcrossBothMovesInOneProcess() throws Exception {
    try (EmbeddedDemoNetwork net = new EmbeddedDemoNetwork(1, 100)) {
      DemoReport report = new DemoRun(net, 90_000_000, System.out, false).run();
      assertThat(report.sha256Ok()).isTrue();
      assertThat(report.handoffs())
          .extracting(DemoReport.HandoffReport::kind)
          .containsExactly("soft", "hard");
      // The links are simulated: nothing is lost there by chance.
      assertThat(report.handoffs().get(0).lostPackets()).isZero();
      assertThat(report.handoffs().get(1).outageMillis()).isGreaterThanOrEqualTo(500);
    }
  }
}

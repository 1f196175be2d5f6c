package org.ilnp4j.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import org.ilnp4j.time.NanoClock;
import org.junit.jupiter.api.Test;

class TcpTransferTest {
  @Test
  void shouldCarryDataBothWaysAndCloseInIlnpMode() {
    Pair pair = new Pair(1, true, TcpConfig.DEFAULT);
    pair.open(1_000_000, 300_000);
    pair.net.await(NanoClock.seconds(30), pair::isDone);
    pair.assertIntact();
    assertThat(pair.client.connection.info(pair.net.now).retransmittedSegments()).isZero();
    pair.net.assertNoLeaks();
  }

  @Test
  void shouldCarryDataBothWaysAndCloseInClassicMode() {
    Pair pair = new Pair(2, false, TcpConfig.DEFAULT);
    pair.open(1_000_000, 300_000);
    pair.net.await(NanoClock.seconds(30), pair::isDone);
    pair.assertIntact();
    pair.net.assertNoLeaks();
  }
}

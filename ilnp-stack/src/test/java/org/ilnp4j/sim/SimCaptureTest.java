package org.ilnp4j.sim;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import org.ilnp4j.link.FaultInjector.Cut;
import org.ilnp4j.link.PcapWriter;
import org.ilnp4j.mobility.MobilityObserver;
import org.ilnp4j.sim.EmbeddedNetwork.Scene;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SimCaptureTest extends SimTestBase {
  @Test
  void shouldRecordWhatOneNodeSendsAndReceivesAcrossAMove(@TempDir Path dir) throws IOException {
    Path file = dir.resolve("mobile.pcap");
    int[] seen = {0};
    EmbeddedNetwork scene = new EmbeddedNetwork(network, Scene.DEFAULT, MobilityObserver.NONE);
    try (PcapWriter writer = PcapWriter.open(file, 0, 100, Long.MAX_VALUE)) {
      network.observe(new SimCapture(scene.mobile(), writer));
      network.runUntil(scene::isReady, SECOND);
      BulkFlow flow = new BulkFlow(scene, buffers.allocator(), 2_000_000);
      flow.start(80);
      network.at(100 * MS, () -> scene.access(0).down(Cut.DROP));
      network.at(150 * MS, () -> scene.access(1).up());
      assertThat(network.runUntil(flow::isClosed, 20 * SECOND)).isTrue();
      assertThat(writer.skipped()).isZero();
      seen[0] = (int) writer.written();
    }
    ByteBuffer pcap = ByteBuffer.wrap(Files.readAllBytes(file));
    pcap.position(24);
    int records = 0;
    long last = 0;
    int updates = 0;
    while (pcap.hasRemaining()) {
      long stamp = pcap.getInt() * 1_000_000_000L + pcap.getInt();
      assertThat(stamp).isGreaterThanOrEqualTo(last);
      last = stamp;
      int kept = pcap.getInt();
      int length = pcap.getInt();
      assertThat(kept).isEqualTo(Math.min(length, 100));
      assertThat(pcap.get(pcap.position()) & 0xf0).isEqualTo(0x60);
      // A Locator Update stands behind a 16-octet nonce header.
      if (pcap.get(pcap.position() + 6) == 60 && pcap.get(pcap.position() + 40) == 58) {
        updates += (pcap.get(pcap.position() + 56) & 0xff) == 156 ? 1 : 0;
      }
      pcap.position(pcap.position() + kept);
      records++;
    }
    assertThat(records).isEqualTo(seen[0]).isGreaterThan(2000);
    assertThat(updates).isGreaterThanOrEqualTo(2);
  }
}

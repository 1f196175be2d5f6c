package org.ilnp4j.link;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.netty.buffer.ByteBuf;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.ilnp4j.time.ManualClock;
import org.ilnp4j.time.NanoClock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PcapWriterTest {
  private static final String FILE_HEADER = "a1b23c4d000200040000000000000000";

  private final CountingAllocator buffers = new CountingAllocator();
  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

  @AfterEach
  void leavesNothingBehind() {
    buffers.assertAllReleased();
  }

  private PcapWriter writer(int snapBytes, long maxBytes) {
    return new PcapWriter("test", Channels.newChannel(bytes), 0, snapBytes, maxBytes);
  }

  private void write(PcapWriter writer, long nowNanos, int packetBytes) {
    ByteBuf packet = buffers.packet(packetBytes, 0xabcd);
    writer.write(nowNanos, packet);
    assertThat(packet.readableBytes()).isEqualTo(packetBytes);
    packet.release();
  }

  @Test
  void shouldWriteNanosecondPcapOfLinkTypeIpv6() {
    PcapWriter writer =
        new PcapWriter(
            "test",
            Channels.newChannel(bytes),
            NanoClock.seconds(1_700_000_000),
            PcapWriter.MAX_SNAP_BYTES,
            Long.MAX_VALUE);
    write(writer, NanoClock.seconds(3) + 5, 44);
    writer.close();
    assertThat(HexFormat.of().formatHex(bytes.toByteArray()))
        .isEqualTo(
            FILE_HEADER
                + "00040000" // snap length
                + "000000e5" // 229
                + "6553f103" // 1 700 000 003 s
                + "00000005" // 5 ns
                + "0000002c0000002c"
                + "60000000"
                + "00043b40"
                + "20010db8000100000000000000000001"
                + "20010db8000200000000000000000002"
                + "0000abcd");
  }

  @Test
  void shouldCutPacketsAtTheSnapLengthAndKeepTheirTrueLength() {
    PcapWriter writer = writer(60, Long.MAX_VALUE);
    write(writer, 0, 1500);
    writer.close();
    ByteBuffer file = ByteBuffer.wrap(bytes.toByteArray());
    assertThat(file.remaining()).isEqualTo(24 + 16 + 60);
    assertThat(file.getInt(24 + 8)).isEqualTo(60);
    assertThat(file.getInt(24 + 12)).isEqualTo(1500);
  }

  @Test
  void shouldWritePacketsLargerThanItsBuffer() {
    PcapWriter writer = writer(PcapWriter.MAX_SNAP_BYTES, Long.MAX_VALUE);
    write(writer, 0, 60_000);
    write(writer, 0, 65_575);
    write(writer, 0, 200_000);
    writer.close();
    byte[] file = bytes.toByteArray();
    assertThat(file.length).isEqualTo(24 + 3 * 16 + 60_000 + 65_575 + 200_000);
    assertThat(ByteBuffer.wrap(file).getInt(file.length - 4)).isEqualTo(0xabcd);
  }

  @Test
  void shouldStopAtItsSizeLimitAndOnlyCount() {
    PcapWriter writer = writer(PcapWriter.MAX_SNAP_BYTES, 24 + 2 * 116);
    for (int i = 0; i < 5; i++) {
      write(writer, i, 100);
    }
    assertThat(writer.isStopped()).isTrue();
    assertThat(writer.written()).isEqualTo(2);
    assertThat(writer.skipped()).isEqualTo(3);
    writer.close();
    assertThat(bytes.size()).isEqualTo(24 + 2 * 116);
  }

  @Test
  void shouldStopWithoutThrowingWhenTheDiskIsFull() {
    List<String> calls = new ArrayList<>();
    WritableByteChannel full =
        new WritableByteChannel() {
          @Override
          public int write(ByteBuffer src) throws IOException {
            calls.add("write");
            throw new IOException("No space left on device");
          }

          @Override
          public boolean isOpen() {
            return true;
          }

          @Override
          public void close() {
            calls.add("close");
          }
        };
    PcapWriter writer = new PcapWriter("test", full, 0, PcapWriter.MAX_SNAP_BYTES, Long.MAX_VALUE);
    for (int i = 0; i < 100; i++) {
      write(writer, i, 1500);
    }
    assertThat(writer.isStopped()).isTrue();
    assertThat(writer.skipped()).isPositive();
    assertThat(writer.written() + writer.skipped()).isEqualTo(100);
    writer.close();
    assertThat(calls).containsExactly("write", "close");
  }

  @Test
  void shouldTapBothDirectionsIntoOneFile(@TempDir Path dir) throws IOException {
    Path file = dir.resolve("tap.pcap");
    ManualClock clock = new ManualClock();
    List<String> seen = new ArrayList<>();
    try (PcapWriter writer = PcapWriter.open(file, 0)) {
      PcapTap tap = new PcapTap(writer, clock, buffers.allocator());
      LinkHandler handler =
          tap.tap(
              new LinkHandler() {
                @Override
                public void onPacket(ByteBuf packet, boolean checksumVouched, int segmentBytes) {
                  seen.add("in");
                  packet.release();
                }

                @Override
                public void onBatchEnd() {
                  seen.add("end");
                }

                @Override
                public void onFailure(Exception cause) {
                  seen.add(cause.getMessage());
                }
              });
      tap.tap(
              p -> {
                seen.add("out");
                p.release();
              })
          .transmit(buffers.packet(100, 1));
      clock.advance(1);
      handler.onPacket(buffers.packet(200, 2), false, 0);
      handler.onBatchEnd();
      handler.onFailure(new IOException("gone"));
    }
    assertThat(seen).containsExactly("out", "in", "end", "gone");
    assertThat(Files.size(file)).isEqualTo(24 + 16 + 100 + 16 + 200);
  }

  @Test
  void shouldRefuseASnapLengthThatCutsTheHeader() {
    assertThatIllegalArgumentException().isThrownBy(() -> writer(39, 1000));
  }
}

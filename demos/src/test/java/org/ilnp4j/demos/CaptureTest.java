package org.ilnp4j.demos;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.ilnp4j.demos.lab.Lab;
import org.ilnp4j.demos.lab.MobileLab;
import org.ilnp4j.tun.testing.RequiresRoot;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What an independent dissector makes of a capture of both moves. */
@RequiresRoot(programs = {"radvd", "curl", "tshark"})
class CaptureTest {
  private static final int PCAP_HEADER_BYTES = 24;
  private static final int RECORD_HEADER_BYTES = 16;
  private static final String MULTICAST_LISTENER_REPORT = "143";

  @TempDir Path dir;

  private record Frame(
      String nonce, String icmpType, String reserved, String stream, String checksum) {}

  @Test
  void shouldBeReadByTsharkAsOneSessionAcrossBothMoves() throws Exception {
    Lab lab = new Lab();
    lab.keepFilesIn(dir);
    try (NetnsNetwork net = new NetnsNetwork(new MobileLab(lab, 40), "256 KiB")) {
      assertThat(new DemoRun(net, 32_000_000, System.out, false).run().sha256Ok()).isTrue();
    }
    Path capture = dir.resolve("mobile.pcap");
    List<Frame> frames = tshark(capture);
    assertThat(frames).hasSizeGreaterThan(1000);
    assertThat(frames).as("a nonce in every ILNP packet").allMatch(f -> !f.nonce.isEmpty());
    List<Frame> updates = frames.stream().filter(f -> f.icmpType.equals("156")).toList();
    // tshark has no name for the operation octet; it is the first of its two reserved fields.
    assertThat(updates).as("Locator Updates").anyMatch(f -> f.reserved.startsWith("01"));
    assertThat(updates).as("acknowledgements").anyMatch(f -> f.reserved.startsWith("02"));

    Path zeroed = dir.resolve("zeroed.pcap");
    zeroLocators(capture, zeroed);
    List<Frame> tcp = tshark(zeroed).stream().filter(f -> !f.stream.isEmpty()).toList();
    assertThat(tcp.stream().filter(f -> !f.checksum.equals("1")))
        .as("TCP checksums over NIDs")
        .isEmpty();
    assertThat(tcp.stream().map(Frame::stream).distinct())
        .as("one TCP stream across both moves")
        .hasSize(1);
    assertThat(sourceLocators(capture)).as("it was seen on both links").hasSize(2);
  }

  private static List<Frame> tshark(Path capture) throws Exception {
    List<Frame> frames = new ArrayList<>();
    for (String line :
        run(
            capture,
            "ipv6.opt.ilnp_nonce",
            "icmpv6.type",
            "icmpv6.reserved",
            "tcp.stream",
            "tcp.checksum.status")) {
      String[] f = line.split("\\|", -1);
      // The kernel greets the TUN device with multicast listener reports of its own.
      if (!f[1].equals(MULTICAST_LISTENER_REPORT)) {
        frames.add(new Frame(f[0], f[1], f[2], f[3], f[4]));
      }
    }
    return frames;
  }

  /** Locators from which the mobile node sent TCP. */
  private static List<String> sourceLocators(Path capture) throws Exception {
    return run(capture, "ipv6.src", "tcp.dstport").stream()
        .filter(l -> l.endsWith("|" + NetnsNetwork.PUBLISHED_PORT))
        .map(l -> l.substring(0, l.indexOf(":214")))
        .distinct()
        .toList();
  }

  private static List<String> run(Path capture, String... fields) throws Exception {
    List<String> command =
        new ArrayList<>(
            List.of(
                "tshark",
                "-r",
                capture.toString(),
                "-o",
                "tcp.check_checksum:TRUE",
                "-T",
                "fields",
                "-E",
                "separator=|"));
    for (String field : fields) {
      command.add("-e");
      command.add(field);
    }
    Path out = capture.resolveSibling("tshark.txt");
    Process p =
        new ProcessBuilder(command)
            .redirectOutput(out.toFile())
            .redirectError(capture.resolveSibling("tshark.log").toFile())
            .start();
    assertThat(p.waitFor(120, TimeUnit.SECONDS)).isTrue();
    assertThat(p.exitValue()).as(Files.readString(capture.resolveSibling("tshark.log"))).isZero();
    return Files.readAllLines(out);
  }

  /** Copies a capture with both Locators of every packet zero, as the checksum rule sees them. */
  private static void zeroLocators(Path from, Path to) throws IOException {
    byte[] b = Files.readAllBytes(from);
    int at = PCAP_HEADER_BYTES;
    while (at < b.length) {
      // Big-endian, as the captures are written.
      int length = ByteBuffer.wrap(b).getInt(at + 8);
      int packet = at + RECORD_HEADER_BYTES;
      Arrays.fill(b, packet + 8, packet + 16, (byte) 0);
      Arrays.fill(b, packet + 24, packet + 32, (byte) 0);
      at = packet + length;
    }
    Files.write(to, b);
  }
}

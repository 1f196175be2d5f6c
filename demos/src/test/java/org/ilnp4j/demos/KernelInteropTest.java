package org.ilnp4j.demos;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.ilnp4j.demos.lab.Lab;
import org.ilnp4j.demos.lab.MobileLab;
import org.ilnp4j.tun.testing.RequiresRoot;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Classic IPv6 mode against the kernel's TCP: 100 MB each way, the kernel once as server and once
 * as client. The kernel knows no nonce, refuses it with a Parameter Problem, and gets a plain SYN.
 * Both sides ask for ECN, and a router marks one packet in a thousand that allows it: the marks
 * pass through kernel and TUN device, and both TCPs understand each other's answers.
 */
@RequiresRoot(programs = {"radvd", "curl", "nc", "nft"})
class KernelInteropTest {
  private static final long BYTES = 100_000_000;
  private static final int LIMIT_SECONDS = 120;
  private static final String KERNEL = "2001:db8:c:c::77";

  @TempDir static Path dir;
  private static NetnsNetwork net;
  private static Path file;
  private static String sha256;

  @BeforeAll
  static void buildNetwork() throws Exception {
    net =
        new NetnsNetwork(
            new MobileLab(new Lab(), 1000),
            "4 MiB",
            "ecn = \"on\"\n",
            "[[publish]]\nport = 9000\nto = \"127.0.0.1:9100\"\n");
    net.awaitReady();
    // The kernel of the correspondent's namespace, beside the daemon there.
    net.lab().lab.ip(net.lab().cn, "addr", "add", KERNEL + "/64", "dev", "e0", "nodad");
    net.lab()
        .lab
        .exec(
            net.lab().core,
            "nft",
            "add table ip6 marks;" + marking("prerouting") + marking("output"));
    for (String ns : List.of(net.lab().core, net.lab().cn)) {
      net.lab().lab.sysctl(ns, "net/ipv4/tcp_ecn", "1"); // the kernel asks as well
    }
    file = dir.resolve("data");
    byte[] data = new byte[(int) BYTES];
    new SplittableRandom(7).nextBytes(data);
    Files.write(file, data);
    sha256 = digest(Files.newInputStream(file));
  }

  private static String marking(String hook) {
    return String.format(
        "add chain ip6 marks %1$s { type filter hook %1$s priority 0; };"
            + "add rule ip6 marks %1$s ip6 ecn ect0 numgen inc mod 1000 0 ip6 ecn set ce;",
        hook);
  }

  @AfterAll
  static void close() {
    net.close();
  }

  private static String digest(InputStream in) throws IOException {
    MessageDigest d = ContentServer.newDigest();
    byte[] buffer = new byte[1 << 16];
    try (in) {
      for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
        d.update(buffer, 0, n);
      }
    }
    return HexFormat.of().formatHex(d.digest());
  }

  /** Starts nc with its input from a file and its output to another; either may be null. */
  private static Process nc(String ns, Path input, Path output, String... args) throws Exception {
    StringBuilder command = new StringBuilder("exec nc");
    for (String arg : args) {
      command.append(" '").append(arg).append('\'');
    }
    command.append(" <").append(input == null ? "/dev/null" : input);
    command.append(" >").append(output == null ? "/dev/null" : output);
    return new ProcessBuilder("ip", "netns", "exec", ns, "sh", "-c", command.toString())
        .redirectError(dir.resolve("nc.log").toFile())
        .start();
  }

  private static void await(Process p) throws Exception {
    try {
      assertThat(p.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS)).as("nc ends").isTrue();
      assertThat(p.exitValue()).as(() -> "nc: " + read(dir.resolve("nc.log"))).isZero();
    } finally {
      p.destroyForcibly();
    }
  }

  private static String read(Path log) {
    try {
      return Files.readString(log);
    } catch (IOException e) {
      return e.toString();
    }
  }

  private static void awaitListening(String ns, int port) throws Exception {
    long limit = System.nanoTime() + TimeUnit.SECONDS.toNanos(LIMIT_SECONDS);
    while (!net.lab().lab.exec(ns, "ss", "-ltn").contains(":" + port + " ")) {
      assertThat(System.nanoTime()).isLessThan(limit);
      TimeUnit.MILLISECONDS.sleep(20);
    }
  }

  @Test
  void shouldSendToKernelServer() throws Exception {
    Path received = dir.resolve("sent-to-kernel");
    Process server = nc(net.lab().cn, null, received, "-6", "-l", "-N", KERNEL, "9001");
    awaitListening(net.lab().cn, 9001);
    await(nc(net.lab().mn, file, null, "-N", "-X", "5", "-x", NetnsNetwork.SOCKS, KERNEL, "9001"));
    await(server);
    assertThat(digest(Files.newInputStream(received))).isEqualTo(sha256);
    assertThat(net.mobileCounter("tcp-classic-fallbacks")).isPositive();
    assertThat(net.mobileCounter("tcp-ecn-reductions")).isPositive();
  }

  @Test
  void shouldReceiveFromKernelServer() throws Exception {
    Path received = dir.resolve("received-from-kernel");
    Process server = nc(net.lab().cn, file, null, "-6", "-l", "-N", KERNEL, "9002");
    awaitListening(net.lab().cn, 9002);
    await(nc(net.lab().mn, null, received, "-X", "5", "-x", NetnsNetwork.SOCKS, KERNEL, "9002"));
    await(server);
    assertThat(digest(Files.newInputStream(received))).isEqualTo(sha256);
    assertThat(net.mobileCounter("tcp-ecn-marks")).isPositive();
  }

  @Test
  void shouldServeKernelClientThatSends() throws Exception {
    Path received = dir.resolve("served-upload");
    Process service = nc(net.lab().cn, null, received, "-l", "-N", "127.0.0.1", "9100");
    awaitListening(net.lab().cn, 9100);
    // Another host's kernel reaches the published port as plain IPv6.
    await(nc(net.lab().core, file, null, "-6", "-N", address(), "9000"));
    await(service);
    assertThat(digest(Files.newInputStream(received))).isEqualTo(sha256);
    assertThat(correspondentCounter("tcp-ecn-marks")).isPositive();
  }

  @Test
  void shouldServeKernelClientThatReceives() throws Exception {
    Path received = dir.resolve("served-download");
    Process client =
        new ProcessBuilder(
                List.of(
                    "ip",
                    "netns",
                    "exec",
                    net.lab().core,
                    "curl",
                    "-sS",
                    "-o",
                    received.toString(),
                    "-w",
                    "%{http_code}",
                    "http://[" + address() + "]:" + NetnsNetwork.PUBLISHED_PORT + "/" + BYTES))
            .redirectErrorStream(true)
            .start();
    String status = new String(client.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(status).isEqualTo("200");
    assertThat(digest(Files.newInputStream(received)))
        .isEqualTo(HexFormat.of().formatHex(ContentServer.sha256(BYTES)));
    assertThat(correspondentCounter("tcp-ecn-reductions")).isPositive();
  }

  private static long correspondentCounter(String name) throws IOException {
    return net.correspondentStatus().counters().getOrDefault(name, 0L);
  }

  private static String address() {
    return MobileLab.CORRESPONDENT_L64 + ":" + MobileLab.CORRESPONDENT_NID;
  }
}

package org.ilnp4j.demos;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.jr.ob.JSON;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.ilnp4j.demos.lab.Lab;
import org.ilnp4j.demos.lab.MobileLab;
import org.ilnp4j.demos.lab.Shell;
import org.ilnp4j.tun.testing.RequiresRoot;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Unmodified programs whose sessions live through a soft and a hard handoff, in network namespaces
 * with real daemons, radvd and TUN devices.
 */
@RequiresRoot(programs = {"radvd", "curl", "ssh", "sshd", "iperf3", "proxychains4", "nc"})
class MovingSessionsTest {
  private static final int LIMIT_SECONDS = 90;
  private static final int SSH_PORT = 22;
  private static final int IPERF_PORT = 5201;

  private static NetnsNetwork net;

  @BeforeAll
  static void buildNetwork() throws Exception {
    MobileLab lab = new MobileLab(new Lab(), 100);
    net = new NetnsNetwork(lab, "512 KiB", publish(SSH_PORT, 2222) + publish(IPERF_PORT, 5201));
    net.awaitReady();
  }

  private static String publish(int port, int localPort) {
    return "[[publish]]\nport = " + port + "\nto = \"127.0.0.1:" + localPort + "\"\n";
  }

  @AfterAll
  static void shouldLeaveNothingBehind() throws IOException {
    Path directory = net.lab().lab.directory();
    net.close();
    assertThat(Shell.run("ip", "netns", "list"))
        .doesNotContain("ilnp-" + ProcessHandle.current().pid() + "-");
    assertThat(directory).doesNotExist();
  }

  /** Each test begins with link 1 up and link 2 down. */
  @AfterEach
  void backToFirstLink() throws Exception {
    net.firstLinkUp();
    net.secondLinkDown();
    long limit = System.nanoTime() + TimeUnit.SECONDS.toNanos(LIMIT_SECONDS);
    while (!net.activeLink().equals("w1")) {
      assertThat(System.nanoTime()).isLessThan(limit);
      TimeUnit.MILLISECONDS.sleep(20);
    }
  }

  /** Link 2 comes up, the node moves there softly, link 1 goes; then a hard move back. */
  private void moveSoftThenHard() throws Exception {
    int before = net.moveCount();
    net.secondLinkUp();
    awaitMoves(before + 1);
    assertThat(net.lastMove().kind()).isEqualTo("soft");
    assertThat(net.lastMove().to()).isEqualTo("w2");
    net.firstLinkDown();
    TimeUnit.MILLISECONDS.sleep(300);
    net.secondLinkDown();
    TimeUnit.MILLISECONDS.sleep(500);
    net.firstLinkUp();
    awaitMoves(before + 2);
    assertThat(net.lastMove().kind()).isEqualTo("hard");
    assertThat(net.lastMove().to()).isEqualTo("w1");
  }

  private static void awaitMoves(int count) throws Exception {
    long limit = System.nanoTime() + TimeUnit.SECONDS.toNanos(LIMIT_SECONDS);
    while (net.moveCount() < count) {
      assertThat(System.nanoTime()).as("handoff in time").isLessThan(limit);
      TimeUnit.MILLISECONDS.sleep(10);
    }
  }

  @Test
  void shouldDownloadIntactWithCurlAcrossBothMoves() throws Exception {
    DemoReport report = new DemoRun(net, 80_000_000, System.out, false).run();
    assertThat(report.sha256Ok()).isTrue();
    assertThat(report.bytes()).isEqualTo(80_000_000);
    assertThat(report.handoffs())
        .extracting(DemoReport.HandoffReport::kind)
        .containsExactly("soft", "hard");
    assertThat(report.handoffs().get(0).lostPackets()).isZero();
    String json = JSON.std.asString(report.toMap());
    Map<String, Object> map = JSON.std.mapFrom(json);
    assertThat(map)
        .containsKeys("bytes", "sha256_ok", "goodput_mbit_s", "rtt_ms", "handoffs", "claims");
    assertThat((List<?>) map.get("handoffs"))
        .allSatisfy(
            h ->
                assertThat(((Map<?, ?>) h).keySet().stream().map(String::valueOf))
                    .contains(
                        "kind",
                        "gap_ms",
                        "outage_ms",
                        "lost_packets",
                        "retransmitted_segments",
                        "lu_rtt_ms"));
  }

  @Test
  void shouldKeepInteractiveSshSessionAcrossBothMoves(@TempDir Path dir) throws Exception {
    Path hostKey = dir.resolve("host");
    Path userKey = dir.resolve("user");
    for (Path key : List.of(hostKey, userKey)) {
      Shell.run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key.toString());
    }
    Files.createDirectories(Path.of("/run/sshd"));
    net.lab()
        .lab
        .spawn(
            net.lab().cn,
            "sshd",
            List.of(
                "/usr/sbin/sshd",
                "-D",
                "-e",
                "-f",
                "/dev/null",
                "-p",
                "2222",
                "-h",
                hostKey.toString(),
                "-o",
                "ListenAddress=127.0.0.1",
                "-o",
                "AuthorizedKeysFile=" + userKey + ".pub",
                "-o",
                "StrictModes=no",
                "-o",
                "UsePAM=no",
                "-o",
                "PidFile=none"));
    awaitListening(2222);
    Process ssh =
        new ProcessBuilder(
                "ip",
                "netns",
                "exec",
                net.lab().mn,
                "ssh",
                "-F",
                "/dev/null",
                "-i",
                userKey.toString(),
                "-o",
                "StrictHostKeyChecking=no",
                "-o",
                "UserKnownHostsFile=/dev/null",
                "-o",
                "LogLevel=ERROR",
                "-o",
                "ProxyCommand=nc -X 5 -x " + NetnsNetwork.SOCKS + " %h %p",
                "root@" + NetnsNetwork.CORRESPONDENT,
                "sh")
            .redirectError(dir.resolve("ssh.log").toFile())
            .start();
    try (OutputStream to = ssh.getOutputStream();
        BufferedReader from =
            new BufferedReader(
                new InputStreamReader(ssh.getInputStream(), StandardCharsets.UTF_8))) {
      String shell = ask(to, from, "echo shell $$", dir);
      assertThat(shell).startsWith("shell ");
      moveSoftThenHard();
      // The same shell answers: it is the same session.
      assertThat(ask(to, from, "echo shell $$", dir)).isEqualTo(shell);
      to.write("exit 7\n".getBytes(StandardCharsets.UTF_8));
      to.flush();
      assertThat(ssh.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS)).isTrue();
      assertThat(ssh.exitValue()).isEqualTo(7);
    } finally {
      ssh.destroyForcibly();
    }
  }

  private static String ask(OutputStream to, BufferedReader from, String command, Path dir)
      throws IOException {
    to.write((command + "\n").getBytes(StandardCharsets.UTF_8));
    to.flush();
    String line = from.readLine();
    assertThat(line).as(() -> "ssh: " + read(dir.resolve("ssh.log"))).isNotNull();
    return line;
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      return e.toString();
    }
  }

  @Test
  void shouldKeepIperf3RunningThroughProxychainsAcrossBothMoves(@TempDir Path dir)
      throws Exception {
    net.lab()
        .lab
        .spawn(
            net.lab().cn,
            "iperf3-server",
            List.of("iperf3", "-s", "-1", "-B", "127.0.0.1", "-p", "5201"));
    Path proxychains = dir.resolve("proxychains.conf");
    Files.writeString(
        proxychains, "strict_chain\nproxy_dns\nquiet_mode\n[ProxyList]\nsocks5 127.0.0.1 1080\n");
    awaitListening(5201);
    Process client =
        net.lab()
            .lab
            .spawnPiped(
                net.lab().mn,
                "iperf3",
                List.of(
                    "proxychains4",
                    "-f",
                    proxychains.toString(),
                    "iperf3",
                    "-c",
                    NetnsNetwork.CORRESPONDENT,
                    "-p",
                    "" + IPERF_PORT,
                    "-t",
                    "6",
                    "-J"));
    TimeUnit.SECONDS.sleep(1);
    moveSoftThenHard();
    String output = new String(client.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(client.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS)).isTrue();
    assertThat(client.exitValue()).as(output).isZero();
    Map<String, Object> end = map(JSON.std.mapFrom(output), "end");
    Number received = (Number) map(end, "sum_received").get("bytes");
    assertThat(received.longValue()).isGreaterThan(1_000_000);
    List<Double> rates = new ArrayList<>();
    for (Object interval : (List<?>) JSON.std.mapFrom(output).get("intervals")) {
      rates.add(((Number) map(cast(interval), "sum").get("bits_per_second")).doubleValue());
    }
    assertThat(rates.get(rates.size() - 1)).as("still running at the end: %s", rates).isPositive();
  }

  private static void awaitListening(int port) throws Exception {
    long limit = System.nanoTime() + TimeUnit.SECONDS.toNanos(LIMIT_SECONDS);
    while (!net.lab().lab.exec(net.lab().cn, "ss", "-ltn").contains(":" + port + " ")) {
      assertThat(System.nanoTime()).isLessThan(limit);
      TimeUnit.MILLISECONDS.sleep(50);
    }
  }

  @SuppressWarnings("unchecked")
  private static Map<String, Object> cast(Object o) {
    return (Map<String, Object>) o;
  }

  private static Map<String, Object> map(Map<String, Object> m, String key) {
    return cast(m.get(key));
  }
}

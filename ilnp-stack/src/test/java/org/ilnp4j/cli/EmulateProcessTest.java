package org.ilnp4j.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.BufferedReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.ilnp4j.daemon.control.ControlClient;
import org.ilnp4j.daemon.control.EmulatorView;
import org.ilnp4j.tun.testing.Eventually;
import org.ilnp4j.tun.testing.Netns;
import org.ilnp4j.tun.testing.RequiresRoot;
import org.ilnp4j.util.UserError;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code ilnp emulate} as a process: asked, changed, ended in every way. */
@RequiresRoot
class EmulateProcessTest {
  private static final Duration WAIT = Duration.ofSeconds(10);

  /** The command line without daemons. */
  static final class Program {
    private Program() {}

    public static void main(String[] args) {
      System.exit(Ilnp.commandLine(null, level -> {}).execute(args));
    }
  }

  @TempDir Path directory;

  private Netns left;
  private Netns right;
  private Path config;
  private Path socket;

  @BeforeEach
  void open() throws Exception {
    left = Netns.create("left");
    right = Netns.create("right");
    config = directory.resolve("link.toml");
    socket = directory.resolve("link.sock");
    Files.writeString(
        config,
        """
        name = "link"
        [left]
        netns = "%s"
        addresses = ["fd00:1::1/64", "10.1.0.1/24"]
        [right]
        netns = "%s"
        routes = ["::/0"]
        [link]
        delay = "5 ms"
        [control]
        socket = "%s"
        """
            .formatted(left.name(), right.name(), socket));
  }

  @AfterEach
  void close() {
    left.close();
    right.close();
  }

  private Process start() throws Exception {
    Process p = left.startJava(Program.class, "emulate", "--config", config.toString());
    BufferedReader out = p.inputReader(StandardCharsets.UTF_8);
    assertThat(out.readLine()).isEqualTo("emulator \"link\" runs; control: " + socket);
    return p;
  }

  private List<EmulatorView> show() throws Exception {
    List<EmulatorView> views = new ArrayList<>();
    try (ControlClient c = ControlClient.connect(socket, ControlClient.Peer.EMULATOR)) {
      c.call(Map.of("command", "show"), EmulatorView.class, WAIT, views::add);
    }
    return views;
  }

  private void ask(Map<String, Object> request) throws Exception {
    try (ControlClient c = ControlClient.connect(socket, ControlClient.Peer.EMULATOR)) {
      c.call(request, EmulatorView.class, WAIT, v -> {});
    }
  }

  private boolean isUndone() {
    return !(left.exec("ip", "-o", "link") + right.exec("ip", "-o", "link")).contains("emu");
  }

  @Test
  void shouldBeAskedAndChangedWhileItRuns() throws Exception {
    Process p = start();
    assertThat(left.exec("ip", "addr")).contains("fd00:1::1/64").contains("10.1.0.1/24");
    assertThat(right.exec("ip", "-6", "route")).contains("default dev emu1 proto 176");
    assertThat(show())
        .extracting(EmulatorView::direction)
        .containsExactly("left-to-right", "right-to-left");

    ask(Map.of("command", "set", "direction", "right-to-left", "settings", Map.of("loss", "2 %")));
    assertThat(show()).extracting(v -> v.settings().get("loss")).containsExactly("0 %", "2 %");
    assertThat(show()).extracting(v -> v.settings().get("delay")).containsOnly("5 ms");

    // A wrong setting changes nothing, and is one line.
    Map<String, Object> wrong =
        Map.of(
            "command",
            "set",
            "direction",
            "both",
            "settings",
            Map.of("loss", "1 %", "delay", "long"));
    assertThatThrownBy(() -> ask(wrong))
        .isInstanceOf(UserError.class)
        .hasMessage("delay: \"long\" is not a duration; write it as \"200 ms\"");
    assertThat(show()).extracting(v -> v.settings().get("loss")).containsExactly("0 %", "2 %");

    ask(Map.of("command", "stop"));
    assertThat(p.waitFor(10, TimeUnit.SECONDS)).isTrue();
    assertThat(p.exitValue()).isZero();
    assertThat(isUndone()).isTrue();
    assertThat(socket).doesNotExist();
  }

  @Test
  void shouldLeaveNothingAfterASignalAndNothingThatHindersTheNextAfterKill() throws Exception {
    Process killed = start();
    killed.destroyForcibly().waitFor();
    // The kernel takes devices of a dead process away a little later.
    Eventually.await("the devices are gone", this::isUndone);

    Process p = start();
    p.destroy();
    assertThat(p.waitFor(10, TimeUnit.SECONDS)).isTrue();
    assertThat(p.exitValue()).isEqualTo(143);
    assertThat(isUndone()).isTrue();
    assertThat(socket).doesNotExist();
  }
}

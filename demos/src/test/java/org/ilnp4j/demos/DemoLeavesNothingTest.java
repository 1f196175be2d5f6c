package org.ilnp4j.demos;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.ilnp4j.demos.lab.Lab;
import org.ilnp4j.demos.lab.Shell;
import org.ilnp4j.tun.testing.RequiresRoot;
import org.junit.jupiter.api.Test;

/** Demonstrations and experiments that are ended in the middle of a transfer. */
@RequiresRoot(programs = {"radvd", "curl"})
class DemoLeavesNothingTest {
  @Test
  void shouldRemoveEverythingAfterCtrlC() throws Exception {
    Process demo = demoInTheMiddle();
    Shell.run("kill", "-INT", Long.toString(demo.pid()));
    assertThat(demo.waitFor(60, TimeUnit.SECONDS)).isTrue();
    assertThat(demo.exitValue()).isNotZero();
    assertThat(namespacesOf(demo)).isEmpty();
    assertThat(filesOf(demo)).isEmpty();
  }

  @Test
  void shouldRemoveAtTheNextRunWhatAKilledOneLeft() throws Exception {
    Process demo = demoInTheMiddle();
    demo.destroyForcibly();
    assertThat(demo.waitFor(60, TimeUnit.SECONDS)).isTrue();
    assertThat(namespacesOf(demo)).isNotEmpty();
    List<ProcessHandle> orphans = processesIn(namespacesOf(demo));
    assertThat(orphans).isNotEmpty();
    new Lab().close();
    assertThat(namespacesOf(demo)).isEmpty();
    assertThat(filesOf(demo)).isEmpty();
    for (ProcessHandle orphan : orphans) {
      orphan.onExit().get(20, TimeUnit.SECONDS);
    }
  }

  @Test
  void shouldRemoveEverythingAfterCtrlCInAnExperiment() throws Exception {
    Process experiment =
        inTheMiddle("1/", "experiment", "run", "tcp-grid", "--quick", "--set", "loss=0");
    Shell.run("kill", "-INT", Long.toString(experiment.pid()));
    assertThat(experiment.waitFor(60, TimeUnit.SECONDS)).isTrue();
    assertThat(experiment.exitValue()).isNotZero();
    assertThat(namespacesOf(experiment)).isEmpty();
    assertThat(filesOf(experiment)).isEmpty();
  }

  private static Process demoInTheMiddle() throws IOException {
    return inTheMiddle("downloads", "demo", "--megabytes", "1000");
  }

  /** Starts the program and comes back once it has printed a line that has {@code sign} in it. */
  private static Process inTheMiddle(String sign, String... args) throws IOException {
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                Main.class.getName()));
    command.addAll(List.of(args));
    Process demo = new ProcessBuilder(command).redirectErrorStream(true).start();
    BufferedReader out =
        new BufferedReader(new InputStreamReader(demo.getInputStream(), StandardCharsets.UTF_8));
    StringBuilder seen = new StringBuilder();
    for (String line = out.readLine(); line != null; line = out.readLine()) {
      seen.append(line).append('\n');
      if (line.contains(sign)) {
        return demo;
      }
    }
    throw new AssertionError("it ended early:\n" + seen);
  }

  private static List<String> namespacesOf(Process demo) throws IOException {
    return Stream.of(Shell.run("ip", "netns", "list").split("\n"))
        .map(line -> line.split(" ")[0])
        .filter(name -> name.startsWith("ilnp-" + demo.pid() + "-"))
        .toList();
  }

  private static List<ProcessHandle> processesIn(List<String> namespaces) throws IOException {
    Stream.Builder<ProcessHandle> found = Stream.builder();
    for (String ns : namespaces) {
      for (String pid : Shell.run("ip", "netns", "pids", ns).split("\\s+")) {
        if (!pid.isEmpty()) {
          ProcessHandle.of(Long.parseLong(pid)).ifPresent(found::add);
        }
      }
    }
    return found.build().toList();
  }

  private static List<Path> filesOf(Process demo) throws IOException {
    try (Stream<Path> files = Files.list(Path.of(System.getProperty("java.io.tmpdir")))) {
      return files
          .filter(f -> f.getFileName().toString().startsWith("ilnp-" + demo.pid() + "-"))
          .toList();
    }
  }
}

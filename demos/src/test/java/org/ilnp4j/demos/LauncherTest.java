package org.ilnp4j.demos;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The launcher in a checkout of its own, with a Java and a Maven that only write down how they were
 * called.
 */
@Timeout(60)
class LauncherTest {
  private static final Path LAUNCHER = Path.of("..", "ilnp").toAbsolutePath().normalize();

  /** Makes the jar, unless told to fail; slowly enough for two of them to overlap. */
  private static final String MAVEN =
      """
      echo build >>"$CALLS"
      sleep 0.3
      if [ -e "$CHECKOUT/fail" ]; then echo '[ERROR] planted'; exit 1; fi
      mkdir -p "$CHECKOUT/demos/target" && echo jar >"$CHECKOUT/demos/target/ilnp.jar"
      """;

  @TempDir Path dir;
  private Path checkout;
  private Path source;
  private Path jar;

  private record Result(int status, String out, String err) {}

  @BeforeEach
  void aCheckoutAndToolsThatOnlyRemember() throws IOException {
    checkout = Files.createDirectories(dir.resolve("check out"));
    Path main = Files.createDirectories(checkout.resolve("demos/src/main"));
    source = Files.writeString(main.resolve("A.java"), "class A {}");
    jar = checkout.resolve("demos/target/ilnp.jar");
    Files.writeString(checkout.resolve("pom.xml"), "<project/>");
    Files.writeString(checkout.resolve("demos/pom.xml"), "<project/>");
    Files.copy(LAUNCHER, checkout.resolve("ilnp"));
    executable(checkout.resolve("ilnp"));
    java("17.0.1");
    script("bin/mvn", MAVEN);
    // Nothing is installed by a test.
    script("bin/apt-get", "exit 0");
    script("jdk/bin/javac", "");
    // Everything counts as older than what a build makes from now on.
    try (var files = Files.walk(checkout)) {
      for (Path file : files.toList()) {
        Files.setLastModifiedTime(file, FileTime.from(Instant.now().minusSeconds(60)));
      }
    }
  }

  @Test
  void shouldBuildOnceAndThenOnlyRun() throws Exception {
    Result first = ilnp("status", "a b", "--json");
    Result second = ilnp("status");

    assertThat(first.status).isZero();
    assertThat(first.err).contains("ilnp: building").contains("ilnp: built in");
    assertThat(first.out).contains("[-jar][" + jar + "][status][a b][--json]");
    assertThat(second.err).isEmpty();
    assertThat(builds()).isEqualTo(1);
  }

  @Test
  void shouldBuildAgainWhenASourceIsNewerOrHasGone() throws Exception {
    ilnp("status");
    Files.writeString(source, "class A { int b; }");
    ilnp("status");
    assertThat(builds()).isEqualTo(2);

    Files.delete(source);
    ilnp("status");
    ilnp("status");
    assertThat(builds()).isEqualTo(3);
  }

  @Test
  void shouldNotTakeASourceForBuiltThatChangedDuringTheBuild() throws Exception {
    script("bin/mvn", MAVEN + "echo late >>\"$CHECKOUT/demos/src/main/A.java\"\n");
    ilnp("status");
    ilnp("status");

    assertThat(builds()).isEqualTo(2);
  }

  @Test
  void shouldBuildOnlyOnceWhenTwoStartTogether() throws Exception {
    List<Process> both = List.of(start("status"), start("status"));

    for (Process p : both) {
      assertThat(p.waitFor(30, TimeUnit.SECONDS)).isTrue();
      assertThat(p.exitValue()).isZero();
    }
    assertThat(builds()).isEqualTo(1);
  }

  @Test
  void shouldShowWhyABuildFailedAndLeaveNoJar() throws Exception {
    ilnp("status");
    Files.createFile(checkout.resolve("fail"));
    Files.writeString(source, "class B {}");

    Result result = ilnp("status");

    assertThat(result.status).isEqualTo(1);
    assertThat(result.out).isEmpty();
    assertThat(result.err)
        .contains("[ERROR] planted")
        .contains("the build failed (whole log: " + checkout.resolve("target/ilnp-build.log"));
    assertThat(jar).doesNotExist();
    assertThat(checkout.resolve("target").toFile().list())
        .containsExactlyInAnyOrder("ilnp-build.log", "unchecked");
  }

  @Test
  void shouldRunThroughASymbolicLink() throws Exception {
    Path link = Files.createSymbolicLink(dir.resolve("link"), Path.of("check out/ilnp"));
    Path chain = Files.createSymbolicLink(dir.resolve("chain"), link);

    Result result = run(List.of(chain.toString(), "--version"));

    assertThat(result.status).isZero();
    assertThat(result.out).contains("[" + jar + "][--version]");
  }

  @Test
  void shouldRefuseAnOldJavaWithWhatToDo() throws Exception {
    java("11.0.2");

    Result result = ilnp("status");

    assertThat(result.status).isEqualTo(3);
    assertThat(result.err)
        .hasLineCount(1)
        .contains("is Java 11, 17 or newer is needed", "JAVA_HOME", "default-jdk-headless");
    assertThat(builds()).isZero();
  }

  @Test
  void shouldInstallWhatIsMissingAsRootAndNameItOtherwise() throws Exception {
    script("bin/apt-get", "echo \"apt-get $*\" >>\"$CALLS\"");
    Files.delete(dir.resolve("jdk/bin/javac"));

    Result result = ilnp("status");

    if ("root".equals(System.getProperty("user.name"))) {
      assertThat(result.err).contains("installing from Debian's packages: default-jdk-headless");
      assertThat(Files.readAllLines(dir.resolve("calls")))
          .startsWith(
              "apt-get update", "apt-get install -y --no-install-recommends default-jdk-headless");
    } else {
      assertThat(result.status).isEqualTo(3);
      assertThat(result.err)
          .contains("missing: default-jdk-headless; install with: sudo apt-get install");
    }
  }

  @Test
  void shouldPassOnWhatTheProgramExitsWith() throws Exception {
    script("jdk/bin/java", "exit 42");

    assertThat(ilnp("status").status).isEqualTo(42);
  }

  @Test
  void shouldRunAllTestsAndSumThemUp() throws Exception {
    script(
        "bin/mvn",
        """
        echo "maven: $*"
        for kind in surefire failsafe; do
          mkdir -p "$CHECKOUT/demos/target/$kind-reports"
          cat >"$CHECKOUT/demos/target/$kind-reports/TEST-x.xml" <<'END'
        <testsuite name="x" time="0.2" tests="10" errors="1" skipped="2" failures="3">
        END
        done
        [ ! -e "$CHECKOUT/fail" ]
        """);

    Path uncheckedClass = checkout.resolve("demos/target/classes/A.class");
    Files.createDirectories(uncheckedClass.getParent());
    Files.createFile(uncheckedClass);
    Files.createFile(Files.createDirectories(checkout.resolve("target")).resolve("unchecked"));

    Result good = ilnp("test", "-Dtest=Some");
    assertThat(uncheckedClass).doesNotExist();
    assertThat(good.status).isZero();
    assertThat(good.out.lines())
        .anyMatch(line -> line.startsWith("maven: ") && line.endsWith("-Dtest=Some verify"))
        .endsWith("ilnp: 8 passed, 8 failed, 4 skipped");

    Files.createFile(checkout.resolve("fail"));
    assertThat(ilnp("test").status).isEqualTo(1);
  }

  private Result ilnp(String... args) throws Exception {
    List<String> command = new ArrayList<>(List.of(checkout.resolve("ilnp").toString()));
    command.addAll(List.of(args));
    return run(command);
  }

  private Process start(String... args) throws IOException {
    List<String> command = new ArrayList<>(List.of(checkout.resolve("ilnp").toString()));
    command.addAll(List.of(args));
    return builder(command)
        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
        .redirectError(ProcessBuilder.Redirect.DISCARD)
        .start();
  }

  private Result run(List<String> command) throws Exception {
    Path err = dir.resolve("stderr");
    Process p = builder(command).redirectError(err.toFile()).start();
    String out = new String(p.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(p.waitFor(30, TimeUnit.SECONDS)).isTrue();
    return new Result(p.exitValue(), out, Files.readString(err));
  }

  private ProcessBuilder builder(List<String> command) {
    ProcessBuilder builder = new ProcessBuilder(command);
    var environment = builder.environment();
    environment.keySet().removeIf(name -> name.startsWith("ILNP_"));
    environment.put("PATH", dir.resolve("bin") + ":" + environment.get("PATH"));
    environment.put("JAVA_HOME", dir.resolve("jdk").toString());
    environment.put("CALLS", dir.resolve("calls").toString());
    environment.put("CHECKOUT", checkout.toString());
    return builder;
  }

  /** A Java that prints its arguments, each in brackets. */
  private void java(String version) throws IOException {
    script("jdk/bin/java", "printf '[%s]' \"$@\"; echo");
    Files.writeString(dir.resolve("jdk/release"), "JAVA_VERSION=\"" + version + "\"\n");
  }

  private void script(String name, String text) throws IOException {
    Path file = dir.resolve(name);
    Files.createDirectories(file.getParent());
    Files.writeString(file, "#!/bin/sh\n" + text);
    executable(file);
  }

  private static void executable(Path file) throws IOException {
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  private int builds() throws IOException {
    Path calls = dir.resolve("calls");
    return Files.exists(calls) ? Files.readAllLines(calls).size() : 0;
  }
}

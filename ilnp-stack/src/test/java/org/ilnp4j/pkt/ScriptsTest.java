package org.ilnp4j.pkt;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** Plays our own scripts, {@code src/test/resources/pkt}: one test each, leftovers not allowed. */
class ScriptsTest {
  private static final Path SCRIPTS = Path.of("src/test/resources/pkt");

  @TestFactory
  Stream<DynamicTest> shouldPlay() {
    List<Path> scripts = PktMain.scripts(SCRIPTS);
    assertThat(scripts).isNotEmpty();
    return scripts.stream()
        .map(
            file -> {
              String name = SCRIPTS.relativize(file).toString();
              return DynamicTest.dynamicTest(
                  name,
                  file.toUri(),
                  () -> {
                    Outcome o = ScriptRunner.play(file, name, Profile.ILNP4J, List.of(), true);
                    assertThat(o.verdict())
                        .as("%s:%d %s", name, o.line(), o.reason())
                        .isEqualTo(Verdict.PASS);
                  });
            });
  }
}

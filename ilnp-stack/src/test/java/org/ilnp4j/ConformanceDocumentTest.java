package org.ilnp4j;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** {@code docs/rfc-conformance.md} stays true: what it names exists, and no entry is left out. */
class ConformanceDocumentTest {
  private static final Path ROOT = Path.of("..");
  private static final Pattern NAME = Pattern.compile("`([^` ]+)`");
  private static final Pattern TEST = Pattern.compile("(\\w+Test(?:Base)?)(?:#(\\w+))?");

  /** {@code owner/name#number}, or a commit where there is no number. */
  private static final Pattern ENTRY = Pattern.compile("([\\w.-]+/[\\w.-]+)([#@]\\w+)");

  private static final List<String> lines = new ArrayList<>();

  /** Source of each class, by its simple name. */
  private static final Map<String, String> sources = new HashMap<>();

  @BeforeAll
  static void read() throws IOException {
    lines.addAll(Files.readAllLines(ROOT.resolve("docs/rfc-conformance.md")));
    for (String module : List.of("ilnp-stack", "demos", "tun-native")) {
      try (Stream<Path> files = Files.walk(ROOT.resolve(module).resolve("src"))) {
        for (Path p :
            (Iterable<Path>) files.filter(f -> f.toString().endsWith(".java"))::iterator) {
          String file = p.getFileName().toString();
          sources.put(file.substring(0, file.length() - 5), Files.readString(p));
        }
      }
    }
  }

  private static List<String> rows() {
    return lines.stream().filter(l -> l.startsWith("| ") && !l.startsWith("| §")).toList();
  }

  private static List<String> names(String line) {
    return NAME.matcher(line).results().map(m -> m.group(1)).toList();
  }

  @Test
  void shouldNameOnlyWhatExists() {
    List<String> missing = new ArrayList<>();
    for (String name : lines.stream().flatMap(l -> names(l).stream()).distinct().toList()) {
      if (!exists(name)) {
        missing.add(name);
      }
    }
    assertThat(missing).isEmpty();
  }

  private static boolean exists(String name) {
    Matcher test = TEST.matcher(name);
    if (test.matches()) {
      String source = sources.getOrDefault(test.group(1), "");
      String method = test.group(2);
      return !source.isEmpty()
          && (method == null
              || Pattern.compile("(void|>) " + method + "\\(").matcher(source).find());
    }
    if (name.endsWith(".pkt") || name.equals("states.table")) {
      return Files.exists(Path.of("src/test/resources/pkt", name));
    }
    return name.contains("/") ? Files.exists(Path.of(name)) : sources.containsKey(name);
  }

  @Test
  void shouldHaveATestOrAReasonInEachRow() {
    for (String row : rows()) {
      boolean excused = row.contains("**not held**") || row.contains("**later**");
      boolean tested =
          names(row).stream().anyMatch(n -> n.endsWith(".pkt") || TEST.matcher(n).matches());
      boolean head = row.endsWith("| test |") || row.endsWith("| what it goes through |");
      assertThat(excused || tested || head).as(row).isTrue();
    }
  }

  @Test
  void shouldHaveARowForEachEntry() {
    TreeSet<String> inRows = new TreeSet<>();
    for (String row : rows()) {
      if (row.matches("\\| B\\d+ .*")) {
        String[] cells = row.split(" *\\| *");
        for (String entry : cells[2].split(", ")) {
          assertThat(entry).matches(ENTRY);
          inRows.add(cells[1] + " " + entry);
        }
      }
    }
    TreeSet<String> listed = new TreeSet<>();
    boolean inList = false;
    for (String line : lines) {
      if (line.startsWith("```")) {
        inList = line.equals("```text");
      } else if (inList) {
        String[] words = line.split(" +");
        for (int i = 2; i < words.length; i++) {
          listed.add(words[0] + " " + words[1] + words[i]);
        }
      }
    }
    assertThat(inRows).hasSize(177).isEqualTo(listed);
  }
}

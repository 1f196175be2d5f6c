package org.ilnp4j.daemon.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.ilnp4j.naming.Destination;
import org.ilnp4j.naming.HostsFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tomlj.Toml;
import org.tomlj.TomlArray;
import org.tomlj.TomlTable;

/**
 * The samples in {@code config/} are the reference of the configuration: nothing may be missing.
 */
class ConfigSamplesTest {
  private static final Path SAMPLES = Path.of("..", "config");

  @ParameterizedTest
  @ValueSource(strings = {"mobile.toml", "correspondent.toml"})
  void shouldAcceptTheSampleAsItIs(String file) throws Exception {
    DaemonConfig config = ConfigReader.read(SAMPLES.resolve(file));

    assertThat(file).startsWith(config.name());
  }

  @ParameterizedTest
  @ValueSource(strings = {"mobile.toml", "correspondent.toml"})
  void shouldAcceptTheSampleWithEveryDefaultWrittenOut(String file) throws Exception {
    assertThat(ConfigReader.parse(file, SAMPLES, uncommented(file)).uplinks()).isNotEmpty();
  }

  @Test
  void shouldNameTheCorrespondentOfTheSamplesInTheHostsFile() throws Exception {
    DaemonConfig mobile = ConfigReader.read(SAMPLES.resolve("mobile.toml"));
    DaemonConfig called = ConfigReader.read(SAMPLES.resolve("correspondent.toml"));

    Destination d = HostsFile.open(mobile.hosts().orElseThrow()).lookup(called.name());

    assertThat(new NidSource.Explicit(d.nid())).isEqualTo(called.nid());
    assertThat(d.locators()).containsExactly(called.uplinks().get(0).fixed().orElseThrow().l64());
    assertThat(mobile.forwards())
        .singleElement()
        .extracting(f -> f.to().host())
        .isEqualTo(d.name());
  }

  @Test
  void shouldShowEveryKeyTheReaderKnowsInASample() throws IOException {
    Set<String> shown = new TreeSet<>();
    for (String file : List.of("mobile.toml", "correspondent.toml")) {
      collect("", Toml.parse(uncommented(file)), shown);
    }
    Set<String> known =
        ConfigKeys.ALL.stream()
            .flatMap(s -> s.keys().stream())
            .map(k -> (k.section().name.isEmpty() ? "" : k.section().name + ".") + k.name())
            .collect(Collectors.toCollection(TreeSet::new));

    assertThat(shown).isEqualTo(known);
  }

  @Test
  void shouldShowTheRealDefaultWhereAKeyIsCommentedOut() throws IOException {
    List<String> wrong = new ArrayList<>();
    int compared = 0;
    ConfigSection section = ConfigKeys.TOP;
    for (String line : Files.readAllLines(SAMPLES.resolve("mobile.toml"))) {
      String text = line.startsWith("#") ? line.substring(1) : line;
      if (text.startsWith("[")) {
        String name = text.replaceAll("[\\[\\]]", "");
        section =
            ConfigKeys.ALL.stream().filter(k -> k.name.equals(name)).findFirst().orElseThrow();
      } else if (line.matches("#[a-z-]+ = .*")) {
        String name = text.substring(0, text.indexOf(' '));
        ConfigKey<?> key =
            section.keys().stream().filter(k -> k.name().equals(name)).findFirst().orElseThrow();
        if (key.defaultValue() != null) {
          compared++;
          Object value = key.type().read(Toml.parse(text).get(name));
          if (!value.equals(key.defaultValue())) {
            wrong.add(section.name + "." + text + ", but it is " + key.defaultValue());
          }
        }
      }
    }

    assertThat(wrong).isEmpty();
    assertThat(compared).isGreaterThan(15);
  }

  /** A sample with its commented-out keys and headers ("#" without a space) put in force. */
  private static String uncommented(String file) throws IOException {
    return Files.readString(SAMPLES.resolve(file)).replaceAll("(?m)^#(?=[a-z\\[])", "");
  }

  private static void collect(String prefix, TomlTable table, Set<String> keys) {
    for (String key : table.keySet()) {
      Object value = table.get(List.of(key));
      if (value instanceof TomlTable inner) {
        collect(key + ".", inner, keys);
      } else if (value instanceof TomlArray array
          && array.size() > 0
          && array.get(0) instanceof TomlTable) {
        for (int i = 0; i < array.size(); i++) {
          collect(key + ".", array.getTable(i), keys);
        }
      } else {
        keys.add(prefix + key);
      }
    }
  }
}

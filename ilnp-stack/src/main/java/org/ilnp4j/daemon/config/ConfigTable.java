package org.ilnp4j.daemon.config;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.tomlj.TomlPosition;
import org.tomlj.TomlTable;

/** One table of a file being read, with its keys checked against those of its section. */
final class ConfigTable {
  private final ConfigSection section;
  private final TomlTable toml;
  private final int line;
  private final ConfigDocument file;
  private final Problems problems;

  /**
   * @param toml what stands in the file, or null when the section is absent
   * @param line of the header
   */
  ConfigTable(ConfigSection section, TomlTable toml, int line, ConfigDocument file) {
    this.section = section;
    this.toml = toml;
    this.line = line;
    this.file = file;
    this.problems = file.problems();
    if (toml != null) {
      refuseUnknownKeys();
    }
  }

  ConfigSection section() {
    return section;
  }

  boolean isPresent() {
    return toml != null;
  }

  boolean has(ConfigKey<?> key) {
    return toml != null && toml.contains(List.of(key.name()));
  }

  /** The line of a key, or of the header when it is absent. */
  int line(ConfigKey<?> key) {
    TomlPosition position = toml == null ? null : toml.inputPositionOf(List.of(key.name()));
    return position == null ? line : position.line();
  }

  /** The value of a key; its default when it is absent; null when there is none or it is wrong. */
  <T> T get(ConfigKey<T> key) {
    Object value = toml == null ? null : toml.get(List.of(key.name()));
    if (value == null) {
      if (key.required() && toml != null) {
        problems.add(line, path(key.name()), "is missing; " + section.header() + " needs it");
      }
      return key.defaultValue();
    }
    try {
      return key.type().read(value);
    } catch (IllegalArgumentException e) {
      problems.add(line(key), path(key.name()), e.getMessage());
      return key.defaultValue();
    }
  }

  void problem(ConfigKey<?> key, String what) {
    problems.add(line(key), path(key.name()), what);
  }

  private String path(String key) {
    return section.name.isEmpty() ? key : section.name + "." + key;
  }

  private void refuseUnknownKeys() {
    for (String key : toml.keySet()) {
      boolean isSection = section.kind == ConfigSection.Kind.TOP && file.section(key) != null;
      if (!section.has(key) && !isSection) {
        int at = toml.inputPositionOf(List.of(key)).line();
        problems.add(at, path(key), "is not known; " + suggestion(key));
      }
    }
  }

  private String suggestion(String unknown) {
    List<String> known = new ArrayList<>(section.keys().stream().map(ConfigKey::name).toList());
    if (section.kind == ConfigSection.Kind.TOP) {
      file.known().stream().filter(s -> !s.name.isEmpty()).forEach(s -> known.add(s.name));
    }
    String nearest = Nearest.to(unknown, known);
    if (nearest != null) {
      return "did you mean \"" + nearest + "\"?";
    }
    String elsewhere =
        file.known().stream()
            .filter(s -> s.has(unknown))
            .map(ConfigSection::header)
            .collect(Collectors.joining(" or "));
    return elsewhere.isEmpty()
        ? "known here: " + String.join(", ", known)
        : "it belongs to " + elsewhere;
  }
}

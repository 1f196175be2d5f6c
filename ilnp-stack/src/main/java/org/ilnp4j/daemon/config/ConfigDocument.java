package org.ilnp4j.daemon.config;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.tomlj.Toml;
import org.tomlj.TomlArray;
import org.tomlj.TomlParseError;
import org.tomlj.TomlParseResult;
import org.tomlj.TomlTable;

/** One configuration file, as tables that are checked against the sections it may have. */
final class ConfigDocument {
  private final Path baseDir;
  private final List<ConfigSection> known;
  private final TomlParseResult toml;
  private final Problems problems;

  private ConfigDocument(
      Path baseDir, List<ConfigSection> known, TomlParseResult toml, Problems problems) {
    this.baseDir = baseDir;
    this.known = known;
    this.toml = toml;
    this.problems = problems;
  }

  /**
   * @param name of the file, for the problems
   * @param baseDir where relative paths start
   * @param known every section there is
   * @throws ConfigException when the text is not TOML
   */
  static ConfigDocument parse(String name, Path baseDir, String text, List<ConfigSection> known)
      throws ConfigException {
    Problems problems = new Problems(name);
    // Some editors begin a file with a byte order mark; TOML knows none.
    TomlParseResult toml = Toml.parse(text.startsWith("\uFEFF") ? text.substring(1) : text);
    if (toml.hasErrors()) {
      List<String> lines = text.lines().toList();
      for (TomlParseError e : toml.errors()) {
        int line = e.position().line();
        problems.add(line, "syntax", syntax(e, line <= lines.size() ? lines.get(line - 1) : ""));
      }
      problems.throwIfAny();
    }
    return new ConfigDocument(baseDir, known, toml, problems);
  }

  private static String syntax(TomlParseError e, String line) {
    String what = e.getMessage().replaceAll("\\s*\\(line \\d+, column \\d+\\)", "").strip();
    String mend =
        line.matches(".*=\\s*[0-9.]+\\s*[A-Za-z].*")
            ? "; put a value with a unit in quotes, such as \"200 ms\""
            : "";
    return what.replaceAll("\\s+", " ") + " at column " + e.position().column() + mend;
  }

  /** Every section there is. */
  List<ConfigSection> known() {
    return known;
  }

  /** The section with a header of this name, or null. */
  ConfigSection section(String name) {
    return known.stream()
        .filter(s -> s.kind != ConfigSection.Kind.TOP && s.name.equals(name))
        .findFirst()
        .orElse(null);
  }

  Problems problems() {
    return problems;
  }

  /** What is wrong with the file as a whole, or lacks in it. */
  void problem(String key, String what) {
    problems.add(1, key, what);
  }

  boolean contains(ConfigSection section) {
    return toml.contains(List.of(section.name));
  }

  /** The keys before the first header. */
  ConfigTable top(ConfigSection section) {
    return new ConfigTable(section, toml, 1, this);
  }

  Path resolve(Path path) {
    return baseDir.resolve(path);
  }

  /** The absolute path in a key, if it is there. */
  Optional<Path> path(ConfigTable t, ConfigKey<Path> key) {
    return Optional.ofNullable(t.get(key)).map(this::resolve);
  }

  /** The table of a section, absent or not. */
  ConfigTable table(ConfigSection section) {
    Object value = toml.get(List.of(section.name));
    int line = lineOf(section);
    if (value == null || value instanceof TomlTable) {
      return new ConfigTable(section, (TomlTable) value, line, this);
    }
    problems.add(line, section.name, "must be one table; begin it with " + section.header());
    return new ConfigTable(section, null, line, this);
  }

  /** The tables of a section that may occur several times. */
  List<ConfigTable> list(ConfigSection section) {
    Object value = toml.get(List.of(section.name));
    if (value == null) {
      return List.of();
    }
    List<ConfigTable> tables = new ArrayList<>();
    if (value instanceof TomlArray array) {
      for (int i = 0; i < array.size(); i++) {
        if (array.get(i) instanceof TomlTable t) {
          int line = array.inputPositionOf(i).line();
          tables.add(new ConfigTable(section, t, line, this));
        }
      }
      if (tables.size() == array.size()) {
        return tables;
      }
    }
    problems.add(
        lineOf(section),
        section.name,
        "may occur several times; begin each with " + section.header());
    return List.of();
  }

  private int lineOf(ConfigSection section) {
    var position = toml.inputPositionOf(List.of(section.name));
    return position == null ? 1 : position.line();
  }
}

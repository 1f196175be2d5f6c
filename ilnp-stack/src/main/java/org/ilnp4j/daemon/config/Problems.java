package org.ilnp4j.daemon.config;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** What is wrong with one file, by line. */
final class Problems {
  private record Problem(int line, String text) {}

  private final String file;
  private final List<Problem> found = new ArrayList<>();

  Problems(String file) {
    this.file = file;
  }

  /** Adds {@code file:line: key: what}. */
  void add(int line, String key, String what) {
    found.add(new Problem(line, file + ":" + line + ": " + key + ": " + what));
  }

  boolean isEmpty() {
    return found.isEmpty();
  }

  void throwIfAny() throws ConfigException {
    if (!found.isEmpty()) {
      throw new ConfigException(
          found.stream()
              .sorted(Comparator.comparingInt(Problem::line))
              .map(Problem::text)
              .toList());
    }
  }
}

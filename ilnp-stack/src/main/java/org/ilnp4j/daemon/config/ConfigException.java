package org.ilnp4j.daemon.config;

import java.util.List;

/** All that is wrong with a configuration file; each problem is one line for the user. */
public final class ConfigException extends Exception {
  private static final long serialVersionUID = 1L;

  private final transient List<String> problems;

  ConfigException(List<String> problems) {
    super(String.join(System.lineSeparator(), problems));
    this.problems = List.copyOf(problems);
  }

  /** One line each: {@code file:line: key: what is wrong; how to mend it}; never empty. */
  public List<String> problems() {
    return problems;
  }
}

package org.ilnp4j.daemon.config;

/** Turns one TOML value into what the daemon uses. */
@FunctionalInterface
interface ValueType<T> {
  /**
   * @param toml as the TOML parser returns it: String, Long, Double, Boolean, table, array, date
   * @throws IllegalArgumentException whose message says what is wrong and how to mend it
   */
  T read(Object toml);
}

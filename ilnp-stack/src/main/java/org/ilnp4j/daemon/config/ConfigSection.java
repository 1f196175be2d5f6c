package org.ilnp4j.daemon.config;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** A table of the configuration file and the keys it may have. */
final class ConfigSection {
  /** How often a section may stand in the file. */
  enum Kind {
    /** The keys before the first header. */
    TOP,
    /** At most once. Without it its keys have their defaults. */
    TABLE,
    /** Any number of times, as {@code [[name]]}. */
    LIST
  }

  final String name;
  final Kind kind;
  private final List<ConfigKey<?>> keys = new ArrayList<>();

  private ConfigSection(String name, Kind kind) {
    this.name = name;
    this.kind = kind;
  }

  static ConfigSection top() {
    return new ConfigSection("", Kind.TOP);
  }

  static ConfigSection table(String name) {
    return new ConfigSection(name, Kind.TABLE);
  }

  static ConfigSection list(String name) {
    return new ConfigSection(name, Kind.LIST);
  }

  <T> ConfigKey<T> key(String key, ValueType<T> type, T defaultValue) {
    return add(new ConfigKey<>(this, key, type, defaultValue, false));
  }

  <T> ConfigKey<T> required(String key, ValueType<T> type) {
    return add(new ConfigKey<>(this, key, type, null, true));
  }

  <T> ConfigKey<T> optional(String key, ValueType<T> type) {
    return add(new ConfigKey<>(this, key, type, null, false));
  }

  private <T> ConfigKey<T> add(ConfigKey<T> key) {
    keys.add(key);
    return key;
  }

  List<ConfigKey<?>> keys() {
    return Collections.unmodifiableList(keys);
  }

  boolean has(String key) {
    return keys.stream().anyMatch(k -> k.name().equals(key));
  }

  /** As the user writes it. */
  String header() {
    return switch (kind) {
      case TOP -> "the top of the file";
      case TABLE -> "[" + name + "]";
      case LIST -> "[[" + name + "]]";
    };
  }
}

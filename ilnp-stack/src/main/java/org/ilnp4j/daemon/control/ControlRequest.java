package org.ilnp4j.daemon.control;

import java.util.LinkedHashMap;
import java.util.Map;

/** One request: the command and its arguments. What is wrong with them is said in one line. */
public record ControlRequest(Map<String, Object> json) {
  /** The command; empty if there is none. */
  public String command() {
    String command = text("command");
    return command == null ? "" : command;
  }

  /** A text that may be missing: null then. */
  public String text(String key) {
    Object value = json.get(key);
    if (value == null || value instanceof String) {
      return (String) value;
    }
    throw new IllegalArgumentException("\"" + key + "\" must be a text");
  }

  /** A text that must be there. */
  public String needed(String key) {
    String value = text(key);
    if (value == null) {
      throw new IllegalArgumentException("\"" + key + "\" is missing");
    }
    return value;
  }

  /** A number that must be there. */
  public int number(String key, int min, int max) {
    Object value = json.get(key);
    if (value instanceof Integer number && number >= min && number <= max) {
      return number;
    }
    throw new IllegalArgumentException(
        "\"" + key + "\" must be a number from " + min + " to " + max);
  }

  /** An object whose values are texts, in its order. */
  public Map<String, String> texts(String key) {
    if (!(json.get(key) instanceof Map<?, ?> object)) {
      throw new IllegalArgumentException("\"" + key + "\" must be an object");
    }
    Map<String, String> texts = new LinkedHashMap<>();
    object.forEach(
        (k, v) -> {
          if (!(v instanceof String text)) {
            throw new IllegalArgumentException("\"" + k + "\" must be a text");
          }
          texts.put((String) k, text);
        });
    return texts;
  }
}

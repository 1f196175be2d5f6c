package org.ilnp4j.cli;

import java.util.Locale;

/** Numbers as people read them. */
final class Text {
  private static final String[] SIZES = {"B", "K", "M", "G", "T", "P", "E"};

  private Text() {}

  /** At most five characters: {@code 0B}, {@code 1.5K}, {@code 117M}. Powers of 1024. */
  static String size(long bytes) {
    double value = bytes;
    int unit = 0;
    while (value >= 999.5 && unit < SIZES.length - 1) {
      value /= 1024;
      unit++;
    }
    String format = unit > 0 && value < 99.95 ? "%.1f%s" : "%.0f%s";
    return String.format(Locale.ROOT, format, value, SIZES[unit]);
  }

  /** {@code 0.12 ms}, {@code 20.1 ms}, {@code 1520 ms}; null stays null. */
  static String millis(Double ms) {
    if (ms == null) {
      return null;
    }
    String format = ms < 9.995 ? "%.2f ms" : ms < 999.95 ? "%.1f ms" : "%.0f ms";
    return String.format(Locale.ROOT, format, ms);
  }

  /** {@code 3.5 s}, {@code 4 min 12 s}, {@code 2 h 0 min}, {@code 3 d 4 h}; null stays null. */
  static String seconds(Double seconds) {
    if (seconds == null) {
      return null;
    }
    if (seconds < 59.95) {
      return String.format(Locale.ROOT, "%.1f s", seconds);
    }
    long s = Math.round(seconds);
    if (s < 3600) {
      return s / 60 + " min " + s % 60 + " s";
    }
    return s < 86400
        ? s / 3600 + " h " + s % 3600 / 60 + " min"
        : s / 86400 + " d " + s % 86400 / 3600 + " h";
  }
}

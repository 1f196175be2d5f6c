package org.ilnp4j.util;

import java.util.regex.Pattern;

/** Text of others, made fit for a line of a log or a terminal. */
public final class Printable {
  /** Controls, line and paragraph separators, invisible formatting, halves of surrogate pairs. */
  private static final Pattern UNPRINTABLE =
      Pattern.compile("[\\p{Cc}\\p{Zl}\\p{Zp}\\p{Cf}\\p{Cs}]");

  private Printable() {}

  /** {@code text} with {@code ?} for every character that could end the line or disguise it. */
  public static String of(String text) {
    return UNPRINTABLE.matcher(text).replaceAll("?");
  }
}

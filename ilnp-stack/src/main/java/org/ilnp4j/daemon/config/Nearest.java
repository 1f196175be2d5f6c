package org.ilnp4j.daemon.config;

import java.util.Collection;

/** Finds what somebody meant to type. */
final class Nearest {
  private Nearest() {}

  /** The candidate that a slip of the finger or two leads to, or null. */
  static String to(String typed, Collection<String> candidates) {
    String best = null;
    int bestDistance = Math.max(1, typed.length() / 3) + 1;
    for (String candidate : candidates) {
      int d = distance(typed, candidate);
      if (d < bestDistance) {
        bestDistance = d;
        best = candidate;
      }
    }
    return best;
  }

  /** Insertions, deletions and replacements that make {@code b} of {@code a} (Levenshtein). */
  private static int distance(String a, String b) {
    int[] row = new int[b.length() + 1];
    for (int j = 0; j <= b.length(); j++) {
      row[j] = j;
    }
    for (int i = 1; i <= a.length(); i++) {
      int diagonal = row[0];
      row[0] = i;
      for (int j = 1; j <= b.length(); j++) {
        int replaced = diagonal + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
        diagonal = row[j];
        row[j] = Math.min(replaced, Math.min(row[j], row[j - 1]) + 1);
      }
    }
    return row[b.length()];
  }
}

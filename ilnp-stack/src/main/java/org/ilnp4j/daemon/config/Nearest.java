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

  /**
   * How many insertions, deletions, replacements and swaps of neighbours make {@code b} of {@code
   * a} (optimal string alignment).
   */
  private static int distance(String a, String b) {
    int[][] d = new int[a.length() + 1][b.length() + 1];
    for (int i = 0; i <= a.length(); i++) {
      for (int j = 0; j <= b.length(); j++) {
        if (i == 0 || j == 0) {
          d[i][j] = i + j;
          continue;
        }
        int replaced = d[i - 1][j - 1] + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
        d[i][j] = Math.min(replaced, Math.min(d[i - 1][j], d[i][j - 1]) + 1);
        if (i > 1
            && j > 1
            && a.charAt(i - 1) == b.charAt(j - 2)
            && a.charAt(i - 2) == b.charAt(j - 1)) {
          d[i][j] = Math.min(d[i][j], d[i - 2][j - 2] + 1);
        }
      }
    }
    return d[a.length()][b.length()];
  }
}

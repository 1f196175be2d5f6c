package org.ilnp4j.demos.report;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.Arrays;
import java.util.Collection;

/** Numbers as they are reported. */
public final class Figures {
  private static final double THOUSAND = 1000;

  private Figures() {}

  /** To three decimals, which is more than any measurement here means. */
  public static double round(double v) {
    return Math.round(v * THOUSAND) / THOUSAND;
  }

  /** To that many decimals, half up. */
  public static double round(double v, int decimals) {
    return BigDecimal.valueOf(v).setScale(decimals, RoundingMode.HALF_UP).doubleValue();
  }

  /** Without trailing zeros and without exponent. */
  public static String text(double v) {
    return new BigDecimal(Double.toString(v)).stripTrailingZeros().toPlainString();
  }

  /** The middle value, or the mean of the two in the middle; NaN of nothing. */
  public static double median(Collection<Double> values) {
    double[] sorted = values.stream().mapToDouble(Double::doubleValue).sorted().toArray();
    int n = sorted.length;
    if (n == 0) {
      return Double.NaN;
    }
    return n % 2 == 1 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
  }

  /**
   * Jain's fairness index: 1 when all shares are equal, 1/n when one has everything; NaN when there
   * is nothing to share.
   */
  public static double jainIndex(double... shares) {
    double sum = Arrays.stream(shares).sum();
    double squares = Arrays.stream(shares).map(s -> s * s).sum();
    return sum * sum / (shares.length * squares);
  }
}

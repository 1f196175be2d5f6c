package org.ilnp4j.demos.experiment.tcpgrid;

import java.util.Locale;
import org.ilnp4j.demos.report.Figures;
import org.ilnp4j.ilnp.SessionMode;

/**
 * One transfer that is made by ilnp4j and by the kernel.
 *
 * @param congestion reno or cubic
 * @param mode of ilnp4j's session
 * @param bytes to carry
 */
record Cell(String congestion, SessionMode mode, PathConditions path, long bytes) {
  /** Nearly idle: several such transfers do not disturb each other. */
  private static final double LIGHT_BYTES_PER_SECOND = 500e3;

  private static final double LIMIT_FACTOR = 3;
  private static final double LIMIT_EXTRA_SECONDS = 30;

  /** Where the path has neither rate nor delay, still more than any stack here is slow. */
  private static final double LEAST_BYTES_PER_SECOND = 10e6;

  boolean isPathTheLimit() {
    return path.bitsPerSecond() > 0;
  }

  boolean isLight() {
    return expectedBytesPerSecond() < LIGHT_BYTES_PER_SECOND;
  }

  /** After this long a transfer has failed. */
  double limitSeconds() {
    return LIMIT_FACTOR * expectedSeconds() + LIMIT_EXTRA_SECONDS;
  }

  double expectedSeconds() {
    return bytes / expectedBytesPerSecond();
  }

  /** What a Reno flow gets: the rate, or what losses leave of it (Mathis et al., 1997). */
  private double expectedBytesPerSecond() {
    double rate = isPathTheLimit() ? path.bitsPerSecond() / 8.0 : LEAST_BYTES_PER_SECOND;
    double rttSeconds = path.addedRttMillis() / 1e3;
    double loss = path.lossPercent() / 100;
    return rttSeconds * loss == 0
        ? rate
        : Math.min(rate, 1.22 * PathConditions.MTU / (rttSeconds * Math.sqrt(loss)));
  }

  /** For claims: stable, without blanks. */
  String id() {
    return String.join(
        "-",
        isPathTheLimit() ? "ratio" : "ratio-no-rate-limit",
        congestion,
        modeName(),
        "loss",
        Figures.text(path.lossPercent()),
        "rtt",
        "" + path.addedRttMillis());
  }

  String modeName() {
    return mode.name().toLowerCase(Locale.ROOT);
  }

  @Override
  public String toString() {
    return String.format(
        Locale.ROOT,
        "%s %s, loss %s %%, round trip + %d ms%s",
        congestion,
        modeName(),
        Figures.text(path.lossPercent()),
        path.addedRttMillis(),
        isPathTheLimit() ? "" : ", no rate limit");
  }
}

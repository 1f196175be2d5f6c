package org.ilnp4j.demos.report;

import java.util.Locale;

/**
 * A figure that an issue or a document promises, and whether this run kept it.
 *
 * @param id stable, such as {@code ratio-cubic-loss-1-delay-300}
 * @param value what was measured, or null when it could not be
 */
public record Claim(String id, String text, Double value, double limit, boolean holds) {
  /** Holds when {@code value} is not above {@code limit}. */
  public static Claim atMost(String id, String text, double value, double limit) {
    return new Claim(id, text, Figures.round(value), Figures.round(limit), value <= limit);
  }

  /** Holds when {@code value} is not below {@code limit}. */
  public static Claim atLeast(String id, String text, double value, double limit) {
    return new Claim(id, text, Figures.round(value), Figures.round(limit), value >= limit);
  }

  /** Does not hold, for the figure could not be measured. */
  public static Claim unmeasured(String id, String text, double limit) {
    return new Claim(id, text, null, Figures.round(limit), false);
  }

  /** One line for people. */
  public String toText() {
    return (holds ? "ok   " : "MISS ")
        + text
        + (value == null
            ? ": not measured"
            : String.format(Locale.ROOT, ": %s (limit %s)", Figures.text(value), limitText()));
  }

  private String limitText() {
    return Figures.text(limit);
  }
}

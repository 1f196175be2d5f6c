package org.ilnp4j.demos.experiment;

import java.io.PrintWriter;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import org.ilnp4j.util.UserError;

/**
 * What one run of an experiment is told.
 *
 * @param mode one of the experiment's
 * @param quick smaller sizes: a minute or two, and figures to be taken less seriously
 * @param reps repetitions of each cell, at least 1
 * @param seed everything random is drawn from it
 * @param settings the experiment's own, as the user gave them
 * @param progress where people see how far it is
 */
public record RunContext(
    Experiment.Mode mode,
    boolean quick,
    int reps,
    long seed,
    Map<String, String> settings,
    PrintWriter progress,
    long startNanos) {
  public RunContext {
    settings = Map.copyOf(settings);
  }

  /** One line of progress, with the seconds since the start. Callable from any thread. */
  public void say(String format, Object... args) {
    String line = String.format(Locale.ROOT, format, args);
    progress.println(
        String.format(Locale.ROOT, "%8.1f  %s", (System.nanoTime() - startNanos) / 1e9, line));
    progress.flush();
  }

  /**
   * The values of a setting, which users separate by commas.
   *
   * @param parse throws IllegalArgumentException, with what is allowed, for a wrong value
   */
  public <T> List<T> list(String key, List<T> otherwise, Function<String, T> parse)
      throws UserError {
    String text = settings.get(key);
    if (text == null) {
      return otherwise;
    }
    try {
      return Arrays.stream(text.split(",", -1)).map(String::strip).map(parse).toList();
    } catch (IllegalArgumentException e) {
      throw new UserError(
          UserError.Kind.USAGE, "--set " + key + "=" + text + ": " + e.getMessage());
    }
  }
}

package org.ilnp4j.cli;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.ilnp4j.util.Printable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/** Values on the command line, with complaints in plain words. */
final class Arguments {
  private Arguments() {}

  /** A whole number from {@code min} to {@code max}. */
  static int integer(CommandSpec spec, String option, String text, int min, int max) {
    try {
      int number = Integer.parseInt(text);
      if (number >= min && number <= max) {
        return number;
      }
    } catch (NumberFormatException e) {
      // Said below, as for a number out of range.
    }
    throw wrong(spec, option, text, "is not a number from " + min + " to " + max);
  }

  /** A constant of an enum of two or more, in any case. */
  static <E extends Enum<E>> E choice(CommandSpec spec, String what, String text, Class<E> type) {
    for (E constant : type.getEnumConstants()) {
      if (constant.name().equalsIgnoreCase(text)) {
        return constant;
      }
    }
    List<String> names =
        Arrays.stream(type.getEnumConstants()).map(c -> c.name().toLowerCase(Locale.ROOT)).toList();
    String last = " nor " + names.get(names.size() - 1);
    String first = String.join(", ", names.subList(0, names.size() - 1));
    throw wrong(spec, what, text, "is neither " + first + last);
  }

  private static ParameterException wrong(CommandSpec spec, String what, String text, String why) {
    return new ParameterException(
        spec.commandLine(), what + ": \"" + Printable.of(text) + "\" " + why);
  }
}

package org.ilnp4j.pkt;

import com.fasterxml.jackson.jr.ob.JSON;
import java.io.IOException;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** What became of many scripts, for people and for programs. */
final class Report {
  private Report() {}

  /** One line a script, then counts; {@code quiet} leaves out those that passed. */
  static void table(List<Outcome> outcomes, PrintStream out, boolean quiet) {
    int width = outcomes.stream().mapToInt(o -> o.script().length()).max().orElse(0);
    for (Outcome o : outcomes) {
      if (!quiet || o.verdict() != Verdict.PASS) {
        String at = o.line() > 0 ? ":" + o.line() : "";
        out.printf(
            Locale.ROOT,
            "%-" + (width + 6) + "s %-11s %s%n",
            o.script() + at,
            o.verdict().name().toLowerCase(Locale.ROOT),
            o.reason());
      }
    }
    Map<Verdict, Map<String, Integer>> kinds = new TreeMap<>();
    for (Outcome o : outcomes) {
      kinds.computeIfAbsent(o.verdict(), k -> new TreeMap<>()).merge(o.kind(), 1, Integer::sum);
    }
    out.println();
    kinds.forEach(
        (verdict, byKind) -> {
          if (verdict != Verdict.PASS) {
            byKind.entrySet().stream()
                .sorted(Map.Entry.<String, Integer>comparingByValue(Comparator.reverseOrder()))
                .forEach(
                    k ->
                        out.printf(
                            Locale.ROOT,
                            "%6d %-11s %s%n",
                            k.getValue(),
                            verdict.name().toLowerCase(Locale.ROOT),
                            k.getKey()));
          }
        });
    out.println(
        count(outcomes, Verdict.PASS)
            + " passed, "
            + count(outcomes, Verdict.FAIL)
            + " failed, "
            + count(outcomes, Verdict.UNSUPPORTED)
            + " unsupported");
  }

  private static long count(List<Outcome> outcomes, Verdict v) {
    return outcomes.stream().filter(o -> o.verdict() == v).count();
  }

  static String json(List<Outcome> outcomes, Profile profile, double seconds) {
    List<Map<String, Object>> rows = new ArrayList<>();
    for (Outcome o : outcomes) {
      Map<String, Object> row = new LinkedHashMap<>();
      row.put("script", o.script());
      row.put("verdict", o.verdict().name().toLowerCase(Locale.ROOT));
      row.put("line", o.line());
      row.put("kind", o.kind());
      row.put("expected", o.expected());
      row.put("got", o.got());
      rows.add(row);
    }
    Map<String, Object> all = new LinkedHashMap<>();
    all.put("name", "pkt");
    all.put("commit", System.getProperty("ilnp.commit", ""));
    all.put("profile", profile.label());
    all.put("seconds", seconds);
    all.put("passed", count(outcomes, Verdict.PASS));
    all.put("failed", count(outcomes, Verdict.FAIL));
    all.put("unsupported", count(outcomes, Verdict.UNSUPPORTED));
    all.put("rows", rows);
    all.put("claims", List.of());
    try {
      return JSON.std.asString(all);
    } catch (IOException e) {
      throw new IllegalStateException("cannot write JSON: " + e.getMessage(), e);
    }
  }
}

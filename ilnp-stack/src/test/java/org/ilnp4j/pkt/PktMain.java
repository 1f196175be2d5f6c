package org.ilnp4j.pkt;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.stream.Stream;

/** {@code ilnp pkt}: plays every script under a path and prints what became of each. */
public final class PktMain {
  private static final String USAGE =
      "usage: ilnp pkt PATH... [--profile ilnp4j|linux|freebsd] [--sysctl NAME=VALUE] [--json] [--strict] [--quiet]";

  private PktMain() {}

  public static void main(String[] args) {
    System.exit(run(args, System.out, System.err));
  }

  /** What the command line says. */
  private static final class Options {
    final List<Path> paths = new ArrayList<>();
    final List<String> sysctls = new ArrayList<>();
    Profile profile = Profile.ILNP4J;
    boolean json;
    boolean strict;
    boolean quiet;
    boolean help;

    /** IllegalArgumentException with one line about what is wrong. */
    Options(String[] args) {
      Iterator<String> i = List.of(args).iterator();
      while (i.hasNext()) {
        String a = i.next();
        switch (a) {
          case "--profile" -> profile = profile(value(a, i));
          case "--sysctl" -> sysctls.add(value(a, i));
          case "--json" -> json = true;
          case "--strict" -> strict = true;
          case "--quiet" -> quiet = true;
          case "--help", "-h" -> help = true;
          default -> {
            if (a.startsWith("-")) {
              throw new IllegalArgumentException("unknown option " + a + "; " + USAGE);
            }
            if (!Files.exists(Path.of(a))) {
              throw new IllegalArgumentException("no such file or directory: " + a);
            }
            paths.add(Path.of(a));
          }
        }
      }
      if (paths.isEmpty() && !help) {
        throw new IllegalArgumentException("which scripts? " + USAGE);
      }
    }

    private static String value(String option, Iterator<String> i) {
      if (!i.hasNext()) {
        throw new IllegalArgumentException(option + " needs a value; " + USAGE);
      }
      return i.next();
    }

    private static Profile profile(String name) {
      try {
        return Profile.byName(name);
      } catch (ScriptStop bad) {
        throw new IllegalArgumentException(
            "unknown profile \"" + name + "\"; expected " + bad.expected, bad);
      }
    }
  }

  /** Exit status: 0, 1 with {@code --strict} and a failure, 2 for wrong use. */
  static int run(String[] args, PrintStream out, PrintStream err) {
    Options o;
    try {
      o = new Options(args);
    } catch (IllegalArgumentException bad) {
      err.println("ilnp: pkt: " + bad.getMessage());
      return 2;
    }
    if (o.help) {
      out.println(USAGE);
      return 0;
    }
    long began = System.nanoTime();
    List<Outcome> outcomes = new ArrayList<>();
    for (Path p : o.paths) {
      for (Path script : scripts(p)) {
        String name = Files.isDirectory(p) ? p.relativize(script).toString() : p.toString();
        outcomes.add(ScriptRunner.play(script, name, o.profile, o.sysctls, false));
      }
    }
    double seconds = (System.nanoTime() - began) / 1e9;
    if (o.json) {
      out.println(Report.json(outcomes, o.profile, seconds));
    } else {
      Report.table(outcomes, out, o.quiet);
    }
    boolean failed = outcomes.stream().anyMatch(x -> x.verdict() == Verdict.FAIL);
    return o.strict && failed ? 1 : 0;
  }

  /** Files ending in {@code .pkt} under a directory, in order; or the file itself. */
  static List<Path> scripts(Path path) {
    if (!Files.isDirectory(path)) {
      return List.of(path);
    }
    try (Stream<Path> all = Files.walk(path)) {
      return all.filter(f -> f.toString().endsWith(".pkt")).sorted().toList();
    } catch (IOException e) {
      return List.of();
    }
  }
}

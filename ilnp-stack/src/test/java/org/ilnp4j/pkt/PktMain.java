package org.ilnp4j.pkt;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** {@code ilnp pkt}: plays every script under a path and prints what became of each. */
public final class PktMain {
  private static final String USAGE =
      "usage: ilnp pkt PATH... [--profile ilnp4j|linux|freebsd] [--json] [--strict] [--quiet]";

  private PktMain() {}

  public static void main(String[] args) {
    System.exit(run(args, System.out, System.err));
  }

  /** Exit status: 0, 1 with {@code --strict} and a failure, 2 for wrong use. */
  static int run(String[] args, PrintStream out, PrintStream err) {
    List<Path> paths = new ArrayList<>();
    Profile profile = Profile.ILNP4J;
    boolean json = false;
    boolean strict = false;
    boolean quiet = false;
    try {
      for (int i = 0; i < args.length; i++) {
        switch (args[i]) {
          case "--profile" -> profile = Profile.byName(i + 1 < args.length ? args[++i] : "");
          case "--json" -> json = true;
          case "--strict" -> strict = true;
          case "--quiet" -> quiet = true;
          case "--help", "-h" -> {
            out.println(USAGE);
            return 0;
          }
          default -> {
            if (args[i].startsWith("-")) {
              err.println("ilnp: pkt: unknown option " + args[i] + "; " + USAGE);
              return 2;
            }
            paths.add(Path.of(args[i]));
          }
        }
      }
    } catch (ScriptStop bad) {
      err.println("ilnp: pkt: expected " + bad.expected + ", got \"" + bad.got + "\"");
      return 2;
    }
    if (paths.isEmpty()) {
      err.println(USAGE);
      return 2;
    }
    long began = System.nanoTime();
    List<Outcome> outcomes = new ArrayList<>();
    for (Path p : paths) {
      if (!Files.exists(p)) {
        err.println("ilnp: pkt: no such file or directory: " + p);
        return 2;
      }
      for (Path script : scripts(p)) {
        String name = Files.isDirectory(p) ? p.relativize(script).toString() : p.toString();
        outcomes.add(ScriptRunner.play(script, name, profile, false));
      }
    }
    double seconds = (System.nanoTime() - began) / 1e9;
    if (json) {
      out.println(Report.json(outcomes, profile, seconds));
    } else {
      Report.table(outcomes, out, quiet);
    }
    boolean failed = outcomes.stream().anyMatch(o -> o.verdict() == Verdict.FAIL);
    return strict && failed ? 1 : 0;
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

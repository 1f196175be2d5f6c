package org.ilnp4j.pkt;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.MalformedInputException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A script that has been read.
 *
 * @param options the lines {@code --name=value} at its head
 */
record Script(Map<String, String> options, List<Event> events) {
  private static final long MAX_BYTES = 1 << 20;
  private static final int MAX_INCLUDES = 32;

  String option(String name, String otherwise) {
    return options.getOrDefault(name, otherwise);
  }

  /**
   * Reads a file; ScriptStop says in which line it cannot be understood.
   *
   * @param defined names for which {@code #ifdef} holds
   * @param lineOut takes the line where reading stopped
   */
  static Script read(Path file, Set<String> defined, int[] lineOut) {
    StringBuilder text = new StringBuilder();
    List<Integer> lines = new ArrayList<>();
    preprocess(file, defined, 0, new int[] {0}, text, lines);
    ScriptParser parser = new ScriptParser(text.toString());
    try {
      Script s = parser.parse();
      List<Event> events =
          s.events.stream()
              .map(e -> new Event(lines.get(e.line() - 1), e.time(), e.action()))
              .toList();
      return new Script(s.options, events);
    } catch (ScriptStop stop) {
      lineOut[0] = lines.isEmpty() ? 0 : lines.get(Math.min(parser.line(), lines.size()) - 1);
      throw stop;
    }
  }

  /** A script without lines that begin with {@code #}. */
  static Script parse(String text) {
    return new ScriptParser(text).parse();
  }

  /** Handles lines that begin with {@code #}; notes for each line left where it came from. */
  private static void preprocess(
      Path file,
      Set<String> defined,
      int fromLine,
      int[] includes,
      StringBuilder text,
      List<Integer> lines) {
    Deque<Boolean> shown = new ArrayDeque<>();
    boolean inCode = false;
    int n = 0;
    for (String line : load(file)) {
      n++;
      String t = line.strip();
      boolean show = !shown.contains(false);
      if (!inCode && t.startsWith("#")) {
        String[] w = t.split("\\s+", 2);
        switch (w[0]) {
          case "#ifdef" -> shown.push(w.length > 1 && defined.contains(w[1].strip()));
          case "#ifndef" -> shown.push(w.length > 1 && !defined.contains(w[1].strip()));
          case "#else" -> shown.push(!shown.isEmpty() && !shown.pop());
          case "#endif" -> shown.poll();
          case "#include" -> {
            if (show && ++includes[0] <= MAX_INCLUDES) {
              String name = w.length > 1 ? w[1].replaceAll("[\"<>]", "").strip() : "";
              Path other = file.resolveSibling(name);
              preprocess(other, defined, fromLine > 0 ? fromLine : n, includes, text, lines);
            }
          }
          default -> {} // a remark
        }
        line = "";
        show = true;
      }
      if (show) {
        inCode =
            line.lastIndexOf("%{") > line.lastIndexOf("}%") || (inCode && !line.contains("}%"));
      }
      text.append(show ? line : "").append('\n');
      lines.add(fromLine > 0 ? fromLine : n);
    }
  }

  private static List<String> load(Path file) {
    try {
      if (Files.exists(file) && !Files.isRegularFile(file)) {
        throw ScriptStop.unsupported("a script that is no regular file"); // it may never end
      }
      if (Files.size(file) > MAX_BYTES) {
        throw ScriptStop.unsupported("a script of more than " + MAX_BYTES + " octets");
      }
      try {
        return Files.readAllLines(file, StandardCharsets.UTF_8);
      } catch (MalformedInputException e) {
        return Files.readAllLines(file, StandardCharsets.ISO_8859_1);
      }
    } catch (IOException e) {
      throw ScriptStop.syntax(
          "a readable file " + file.getFileName(), e.getClass().getSimpleName());
    } catch (UncheckedIOException e) {
      throw ScriptStop.syntax("a readable file " + file.getFileName(), "an error while reading");
    }
  }
}

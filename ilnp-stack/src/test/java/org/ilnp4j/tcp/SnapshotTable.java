package org.ilnp4j.tcp;

import static org.assertj.core.api.Assertions.fail;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * A table of figures that is committed and compared with: a cell that changed by more than 5 %
 * fails. {@code -Dilnp.snapshots=write} writes the tables anew instead. Text, one row a line; lines
 * with {@code #} explain.
 */
final class SnapshotTable {
  private static final double TOLERANCE = 0.05;

  private static final Path DIRECTORY =
      Path.of(System.getProperty("basedir", "."), "src/test/resources/org/ilnp4j/tcp/matrix");

  private static final String REWRITE =
      "mvn -q -pl ilnp-stack -am test -Dtest=TcpMatrixTest"
          + " -Dsurefire.failIfNoSpecifiedTests=false -Djacoco.skip=true -Dilnp.snapshots=write";

  private final String name;
  private final String explanation;
  private final List<String> columns;
  private final Map<String, double[]> rows = new LinkedHashMap<>();

  /**
   * @param name of the file
   * @param explanation what the cells are, in which unit, from which seeds; may have several lines
   */
  SnapshotTable(String name, String explanation, List<String> columns) {
    this.name = name;
    this.explanation = explanation;
    this.columns = columns;
  }

  void row(String label, double... cells) {
    if (cells.length != columns.size()) {
      throw new IllegalArgumentException(label + ": " + cells.length + " cells");
    }
    rows.put(label, cells);
  }

  /** Three significant digits: enough for the eye and for 5 %. */
  private static String figure(double value) {
    double size = Math.abs(value);
    int decimals = size >= 99.95 || size == 0 ? 0 : size >= 9.995 ? 1 : size >= 0.9995 ? 2 : 3;
    return String.format(Locale.ROOT, "%." + decimals + "f", value);
  }

  String render() {
    int first = columns.isEmpty() ? 0 : 14;
    for (String label : rows.keySet()) {
      first = Math.max(first, label.length());
    }
    StringBuilder out = new StringBuilder();
    for (String line : explanation.split("\n")) {
      out.append("# ").append(line).append('\n');
    }
    out.append("# Written anew by: ").append(REWRITE).append('\n');
    out.append(" ".repeat(first));
    columns.forEach(c -> out.append(" | ").append(String.format("%10s", c)));
    out.append('\n');
    int width = first;
    rows.forEach(
        (label, cells) -> {
          out.append(String.format("%-" + width + "s", label));
          for (double cell : cells) {
            out.append(" | ").append(String.format("%10s", figure(cell)));
          }
          out.append('\n');
        });
    return out.toString();
  }

  /** Compares with the committed table, or replaces it. */
  void check() {
    Path file = DIRECTORY.resolve(name + ".txt");
    try {
      if ("write".equals(System.getProperty("ilnp.snapshots"))) {
        Files.createDirectories(DIRECTORY);
        Files.writeString(file, render());
      } else {
        compare(file);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void compare(Path file) throws IOException {
    if (!Files.exists(file)) {
      fail("%s is missing; write it with:\n%s\n%s", file, REWRITE, render());
    }
    List<String> lines = new ArrayList<>(Files.readAllLines(file));
    lines.removeIf(l -> l.startsWith("#") || l.isBlank());
    Map<String, String[]> old = new LinkedHashMap<>();
    for (String line : lines) {
      String[] cells = Arrays.stream(line.split("\\|")).map(String::strip).toArray(String[]::new);
      old.put(cells[0], Arrays.copyOfRange(cells, 1, cells.length));
    }
    List<String> wrong = new ArrayList<>();
    if (!Arrays.asList(old.getOrDefault("", new String[0])).equals(columns)
        || old.size() != rows.size() + 1
        || !old.keySet().containsAll(rows.keySet())) {
      wrong.add("other rows or columns than the committed ones");
    } else {
      rows.forEach((label, cells) -> compareRow(label, old.get(label), cells, wrong));
    }
    if (!wrong.isEmpty()) {
      fail(
          "%s changed:\n  %s\nWhen that is as it should be, write it anew with:\n  %s\nNow:\n%s",
          file.getFileName(), String.join("\n  ", wrong), REWRITE, render());
    }
  }

  private void compareRow(String label, String[] old, double[] now, List<String> wrong) {
    for (int i = 0; i < now.length; i++) {
      double before = Double.parseDouble(old[i]);
      double after = Double.parseDouble(figure(now[i]));
      if (Math.abs(after - before) > TOLERANCE * Math.abs(before)) {
        wrong.add(
            String.format(
                Locale.ROOT,
                "%s | %s: %s -> %s (%+.0f %%)",
                label,
                columns.get(i),
                old[i],
                figure(now[i]),
                100 * (after - before) / Math.max(Math.abs(before), 1e-9)));
      }
    }
  }
}

package org.ilnp4j.demos.report;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.ilnp4j.cli.Table;
import org.ilnp4j.daemon.Version;
import org.ilnp4j.daemon.control.Views;

/**
 * What one run of an experiment or benchmark measured.
 *
 * @param name of the experiment or benchmark
 * @param command that repeats the run
 * @param seed from which everything random in it was drawn
 * @param started when
 * @param seconds how long it took
 * @param columns of the rows
 */
public record Report(
    String name,
    String command,
    long seed,
    Instant started,
    double seconds,
    List<Column> columns,
    List<Row> rows,
    List<Claim> claims) {
  /** As wide as the widest terminal one may expect. */
  private static final int TABLE_WIDTH = 120;

  public Report {
    columns = List.copyOf(columns);
    rows = List.copyOf(rows);
    claims = List.copyOf(claims);
    for (Row row : rows) {
      List<String> fields = columns.stream().map(Column::field).toList();
      if (!List.copyOf(row.toMap().keySet()).equals(fields)) {
        throw new IllegalArgumentException("a row of " + name + " has other fields than " + fields);
      }
    }
  }

  /** True when every claim holds. */
  public boolean holds() {
    return claims.stream().allMatch(Claim::holds);
  }

  /** The object that {@code --json} prints, on one line. */
  public String toJson() {
    return Views.write(toMap());
  }

  private Map<String, Object> toMap() {
    Version version = Version.current();
    Map<String, Object> m = new LinkedHashMap<>();
    m.put("name", name);
    m.put("version", version.number());
    m.put("commit", version.commit());
    m.put("command", command);
    m.put("seed", seed);
    m.put("started", started.truncatedTo(ChronoUnit.SECONDS).toString());
    m.put("seconds", Figures.round(seconds));
    m.put("machine", Machine.current());
    m.put("rows", rows.stream().map(Row::toMap).toList());
    m.put("claims", claims);
    return m;
  }

  /** The rows under a line of field names. Lists are joined by spaces. */
  public String toCsv() {
    StringBuilder out = new StringBuilder();
    csvLine(out, columns.stream().<Object>map(Column::field).toList());
    rows.forEach(
        row ->
            csvLine(
                out, List.copyOf(row.toMap().values().stream().map(Report::csvValue).toList())));
    return out.toString();
  }

  private static Object csvValue(Object value) {
    if (value instanceof List<?> list) {
      return String.join(" ", list.stream().map(Report::plain).toList());
    }
    return plain(value);
  }

  private static String plain(Object value) {
    if (value == null) {
      return "";
    }
    return value instanceof Double d ? Figures.text(d) : value.toString();
  }

  /** RFC 4180, but for its line ends. */
  private static void csvLine(StringBuilder out, List<Object> cells) {
    out.append(
            String.join(
                ",",
                cells.stream()
                    .map(Object::toString)
                    .map(
                        s ->
                            s.matches("(?s).*[\",\n\r].*")
                                ? "\"" + s.replace("\"", "\"\"") + "\""
                                : s)
                    .toList()))
        .append('\n');
  }

  /** The table and the claims, for people. */
  public String toText() {
    List<Column> shown = columns.stream().filter(c -> c.header() != null).toList();
    Table table = new Table(TABLE_WIDTH, shown.stream().map(Column::header).toArray(String[]::new));
    for (Row row : rows) {
      table.row(shown.stream().map(c -> tableCell(row.get(c.field()), c)).toArray());
    }
    StringBuilder out = new StringBuilder(table.toString());
    out.append('\n');
    claims.forEach(c -> out.append(c.toText()).append('\n'));
    long kept = claims.stream().filter(Claim::holds).count();
    out.append(
        String.format(
            Locale.ROOT,
            "%d of %d claims hold; %.0f s; seed %d%n",
            kept,
            claims.size(),
            seconds,
            seed));
    return out.toString();
  }

  private static String tableCell(Object value, Column column) {
    if (value instanceof Double d) {
      return String.format(Locale.ROOT, "%." + column.decimals() + "f", d);
    }
    return value == null ? null : value.toString();
  }
}

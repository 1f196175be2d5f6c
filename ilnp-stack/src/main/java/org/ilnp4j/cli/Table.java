package org.ilnp4j.cli;

import java.util.ArrayList;
import java.util.List;

/**
 * Columns of text, as wide as their contents, together at most so many characters. What does not
 * fit is taken from the widest column, whose longer cells end in "~".
 */
public final class Table {
  static final int MAX_WIDTH = 80;
  private static final String GAP = "  ";

  private final int maxWidth;
  private final String[] header;
  private final List<String[]> rows = new ArrayList<>();

  /** At most 80 characters wide, as every terminal is. */
  Table(String... header) {
    this(MAX_WIDTH, header);
  }

  /** A header that begins with ">" makes a column aligned to the right, as numbers are. */
  public Table(int maxWidth, String... header) {
    this.maxWidth = maxWidth;
    this.header = header;
  }

  /** Adds a row; null cells are shown as "-". */
  public Table row(Object... cells) {
    if (cells.length != header.length) {
      throw new IllegalArgumentException(cells.length + " cells for " + header.length + " columns");
    }
    String[] row = new String[cells.length];
    for (int i = 0; i < row.length; i++) {
      row[i] = cells[i] == null ? "-" : cells[i].toString();
    }
    rows.add(row);
    return this;
  }

  @Override
  public String toString() {
    int[] widths = widths();
    StringBuilder out = new StringBuilder();
    String[] titles = header.clone();
    for (int i = 0; i < titles.length; i++) {
      titles[i] = titles[i].replaceFirst("^>", "");
    }
    line(out, titles, widths);
    rows.forEach(row -> line(out, row, widths));
    return out.toString();
  }

  private int[] widths() {
    int[] widths = new int[header.length];
    int total = GAP.length() * (header.length - 1);
    for (int i = 0; i < widths.length; i++) {
      widths[i] = header[i].replaceFirst("^>", "").length();
      for (String[] row : rows) {
        widths[i] = Math.max(widths[i], row[i].length());
      }
      total += widths[i];
    }
    for (; total > maxWidth; total--) {
      int widest = 0;
      for (int i = 1; i < widths.length; i++) {
        widest = widths[i] > widths[widest] ? i : widest;
      }
      widths[widest]--;
    }
    return widths;
  }

  private void line(StringBuilder out, String[] cells, int[] widths) {
    int start = out.length();
    for (int i = 0; i < cells.length; i++) {
      String cell = cells[i];
      if (cell.length() > widths[i]) {
        cell = cell.substring(0, widths[i] - 1) + "~";
      }
      String pad = " ".repeat(widths[i] - cell.length());
      out.append(i == 0 ? "" : GAP).append(header[i].startsWith(">") ? pad + cell : cell + pad);
    }
    int end = out.length();
    while (end > start && out.charAt(end - 1) == ' ') {
      end--;
    }
    out.setLength(end);
    out.append(System.lineSeparator());
  }
}

package org.ilnp4j.demos.report;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * One cell that was measured. Has a value for every column, null for those that were not set;
 * values are text, numbers, booleans, or lists of numbers (raw repetitions).
 */
public final class Row {
  private final Map<String, Object> values = new LinkedHashMap<>();

  public Row(List<Column> columns) {
    columns.forEach(c -> values.put(c.field(), null));
  }

  /**
   * Sets a value; fractions are rounded to three decimals, and those that are no number become
   * null.
   *
   * @throws IllegalArgumentException when no column has this field
   */
  public Row set(String field, Object value) {
    if (!values.containsKey(field)) {
      throw new IllegalArgumentException("no column \"" + field + "\" in " + values.keySet());
    }
    values.put(field, rounded(value));
    return this;
  }

  private static Object rounded(Object value) {
    if (value instanceof Double d) {
      return Double.isFinite(d) ? Figures.round(d) : null;
    }
    return value instanceof List<?> list ? list.stream().map(Row::rounded).toList() : value;
  }

  public Object get(String field) {
    return values.get(field);
  }

  /** In the order of the columns. */
  public Map<String, Object> toMap() {
    return Collections.unmodifiableMap(values);
  }
}

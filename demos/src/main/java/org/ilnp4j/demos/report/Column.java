package org.ilnp4j.demos.report;

/**
 * One field of the rows of a report.
 *
 * @param field its name in JSON and CSV: lower case with underscores, the unit at its end
 * @param header of the table for people, beginning with ">" when aligned to the right; null leaves
 *     the field out of the table
 * @param decimals of numbers in the table
 * @param meaning one line for the documentation
 */
public record Column(String field, String header, int decimals, String meaning) {
  /** Text, shown. */
  public static Column text(String field, String header, String meaning) {
    return new Column(field, header, 0, meaning);
  }

  /** A number, shown with that many decimals. */
  public static Column number(String field, String header, int decimals, String meaning) {
    return new Column(field, ">" + header, decimals, meaning);
  }

  /** In JSON and CSV only. */
  public static Column data(String field, String meaning) {
    return new Column(field, null, 0, meaning);
  }
}

package org.ilnp4j.demos.experiment;

import java.io.IOException;
import java.nio.file.Path;
import org.ilnp4j.demos.report.Report;

/** Writes a report to a directory in one form. */
@FunctionalInterface
interface ReportWriter {
  /** Writes files whose names begin with the name of the report; replaces those of before. */
  void write(Report report, Path directory) throws IOException;
}

package org.ilnp4j.demos.experiment;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.jr.ob.JSON;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.ilnp4j.cli.Ilnp;
import org.ilnp4j.demos.report.Column;
import org.ilnp4j.tun.testing.RequiresRoot;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class ExperimentCommandTest {
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private int run(String... args) {
    CommandLine ilnp = Ilnp.commandLine(null, level -> {});
    ilnp.addSubcommand(new ExperimentCommand());
    return ilnp.setOut(new PrintWriter(out, true)).setErr(new PrintWriter(err, true)).execute(args);
  }

  private static List<Map<?, ?>> objects(Object list) {
    return ((List<?>) list).stream().<Map<?, ?>>map(o -> (Map<?, ?>) o).toList();
  }

  @Test
  void shouldListWhatCanBeRun() {
    assertThat(run("experiment", "list")).isZero();
    assertThat(out.toString()).contains("tcp-grid  real").contains("--set loss=");
  }

  @Test
  void shouldSayWhatThereIsWhenAskedForSomethingElse() {
    assertThat(run("experiment", "run", "tcp-gird")).isEqualTo(2);
    assertThat(err.toString())
        .isEqualTo("ilnp: no experiment is called \"tcp-gird\"; there are: tcp-grid\n");
  }

  @Test
  @RequiresRoot
  void shouldRefuseAWrongChoiceWithWhatToDo() {
    assertThat(run("experiment", "run", "tcp-grid", "--set", "los=1")).isEqualTo(2);
    assertThat(run("experiment", "run", "tcp-grid", "--set", "loss=much")).isEqualTo(2);
    assertThat(run("experiment", "run", "tcp-grid", "--reps", "0")).isEqualTo(2);
    assertThat(err.toString().lines())
        .containsExactly(
            "ilnp: --set los: tcp-grid has no such setting; it has: parts, congestion, mode,"
                + " loss, rtt, megabytes, seconds",
            "ilnp: --set loss=much: use per cent, 0 to 50",
            "ilnp: --reps must be 1 to 1000");
  }

  @Test
  void shouldDescribeEveryFieldInTheDocumentation() throws Exception {
    String documentation = Files.readString(Path.of("..", "docs", "experiments.md"));
    for (Experiment e : Experiments.all()) {
      assertThat(documentation).contains("## " + e.name() + "\n");
      for (Column c : e.columns()) {
        assertThat(documentation).contains("| `" + c.field() + "` | " + c.meaning() + " |\n");
      }
    }
  }

  /** Fields, not figures: this says nothing about speed. */
  @Test
  @RequiresRoot
  void shouldMeasureBothStacksAndPrintTheDocumentedFields(@TempDir Path dir) throws Exception {
    int status =
        run(
            ("experiment run tcp-grid --quick --json --set parts=grid,sharing --set"
                    + " congestion=cubic --set mode=classic,ilnp --set loss=0 --set rtt=20 --set"
                    + " megabytes=1 --set seconds=1 --out "
                    + dir)
                .split(" "));
    assertThat(status).as(err::toString).isZero();
    Map<String, Object> json = JSON.std.mapFrom(out.toString());
    List<String> fields =
        Experiments.byName("tcp-grid").orElseThrow().columns().stream().map(Column::field).toList();
    List<Map<?, ?>> rows = objects(json.get("rows"));
    assertThat(rows).hasSize(4);
    for (Map<?, ?> row : rows) {
      assertThat(List.copyOf(row.keySet())).isEqualTo(fields);
      assertThat(row.get("failure")).isNull();
      assertThat((Double) row.get("ours")).isPositive();
      assertThat((Double) row.get("peer")).isPositive();
      assertThat((Double) row.get("ratio")).isPositive();
    }
    assertThat(rows.stream().map(r -> r.get("part") + " " + r.get("mode")).toList())
        .containsExactly("grid classic", "grid ilnp", "sharing classic", "sharing ilnp");
    assertThat(objects(json.get("claims")).stream().map(c -> (String) c.get("id")).toList())
        .containsExactly(
            "ratio-cubic-classic-loss-0-rtt-20",
            "ratio-cubic-ilnp-loss-0-rtt-20",
            "share-cubic-classic",
            "share-cubic-ilnp");
    assertThat(Files.readString(dir.resolve("tcp-grid.csv")).lines())
        .hasSize(5)
        .first()
        .isEqualTo(String.join(",", fields));
    assertThat(Files.readString(dir.resolve("tcp-grid.json"))).isEqualTo(out.toString());
  }
}

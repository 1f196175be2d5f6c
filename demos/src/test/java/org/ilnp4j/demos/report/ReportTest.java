package org.ilnp4j.demos.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.jr.ob.JSON;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ReportTest {
  private static final List<Column> COLUMNS =
      List.of(
          Column.text("cell", "CELL", "which"),
          Column.number("ours", "OURS", 1, "ilnp4j"),
          Column.data("ours_runs", "each repetition"),
          Column.text("failure", "FAILURE", "why there is no value"));

  private static Report report(Claim... claims) {
    return new Report(
        "planted",
        "ilnp experiment run planted",
        7,
        Instant.parse("2026-11-30T12:00:00.5Z"),
        1.23456,
        COLUMNS,
        List.of(
            new Row(COLUMNS)
                .set("cell", "a, \"b\"")
                .set("ours", 2.34567)
                .set("ours_runs", List.of(2.0, 2.34567)),
            new Row(COLUMNS).set("cell", "c").set("ours", Double.NaN).set("failure", "too slow")),
        List.of(claims));
  }

  @Test
  void shouldPrintTheDocumentedObject() throws Exception {
    Claim missed = Claim.atLeast("ratio", "ratio", 0.97, 1);
    Map<String, Object> json = JSON.std.mapFrom(report(missed).toJson());
    assertThat(json.keySet())
        .containsExactly(
            "name", "version", "commit", "command", "seed", "started", "seconds", "machine", "rows",
            "claims");
    assertThat(json)
        .containsEntry("name", "planted")
        .containsEntry("seed", 7)
        .containsEntry("started", "2026-11-30T12:00:00Z")
        .containsEntry("seconds", 1.235);
    assertThat(((Map<?, ?>) json.get("machine")).keySet().toString())
        .isEqualTo("[cpu, cores, kernel, java]");
    assertThat(((List<?>) json.get("rows")).get(0).toString())
        .isEqualTo("{cell=a, \"b\", ours=2.346, ours_runs=[2.0, 2.346], failure=null}");
    assertThat(((List<?>) json.get("claims")).get(0).toString())
        .isEqualTo("{id=ratio, text=ratio, value=0.97, limit=1.0, holds=false}");
  }

  @Test
  void shouldWriteCsvThatSpreadsheetsRead() {
    assertThat(report().toCsv())
        .isEqualTo(
            """
            cell,ours,ours_runs,failure
            "a, ""b""\",2.346,2 2.346,
            c,,,too slow
            """);
  }

  @Test
  void shouldShowPeopleTheTableAndWhatWasKept() {
    assertThat(
            report(
                    Claim.atLeast("a", "first", 1, 1),
                    Claim.atMost("b", "second", 2.5, 2),
                    Claim.unmeasured("c", "third", 1))
                .toText())
        .isEqualTo(
            """
            CELL    OURS  FAILURE
            a, "b"   2.3  -
            c          -  too slow

            ok   first: 1 (limit 1)
            MISS second: 2.5 (limit 2)
            MISS third: not measured
            1 of 3 claims hold; 1 s; seed 7
            """);
  }

  @Test
  void shouldRefuseAFieldThatNoColumnDescribes() {
    assertThatThrownBy(() -> new Row(COLUMNS).set("speed", 1)).hasMessageContaining("speed");
  }

  @Test
  void shouldHoldOnlyWhenAllClaimsDo() {
    assertThat(report(Claim.atLeast("a", "t", 1, 1)).holds()).isTrue();
    assertThat(report(Claim.atLeast("a", "t", 1, 1), Claim.unmeasured("b", "t", 1)).holds())
        .isFalse();
  }

  @Test
  void shouldKnowMedianAndFairness() {
    assertThat(Figures.median(List.of(3.0, 1.0, 2.0))).isEqualTo(2);
    assertThat(Figures.median(List.of(4.0, 1.0))).isEqualTo(2.5);
    assertThat(Figures.median(List.of())).isNaN();
    assertThat(Figures.jainIndex(2, 2, 2, 2)).isEqualTo(1);
    assertThat(Figures.jainIndex(1, 0, 0, 0)).isEqualTo(0.25);
    assertThat(Figures.jainIndex(0, 0)).isNaN();
  }
}

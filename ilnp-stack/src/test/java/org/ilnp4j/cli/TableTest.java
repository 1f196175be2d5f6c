package org.ilnp4j.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TableTest {
  @Test
  void shouldAlignTextLeftAndNumbersRight() {
    Table table = new Table("NAME", ">COUNT").row("a", 1).row("bcdef", 123456).row(null, null);

    assertThat(table.toString().lines())
        .containsExactly(
            "NAME    COUNT", //
            "a           1",
            "bcdef  123456",
            "-           -");
  }

  @Test
  void shouldTakeWhatDoesNotFitFromTheWidestColumn() {
    Table table = new Table("A", "B", ">C").row("short", "x".repeat(200), 7);

    assertThat(table.toString().lines()).allMatch(line -> line.length() <= Table.MAX_WIDTH);
    assertThat(table.toString()).contains("short", "xxx~  7");
  }

  @Test
  void shouldRefuseARowOfAnotherLength() {
    assertThatThrownBy(() -> new Table("A").row(1, 2)).isInstanceOf(IllegalArgumentException.class);
  }

  @ParameterizedTest
  @CsvSource({
    "0,0B",
    "999,999B",
    "1000,1.0K",
    "1536,1.5K",
    "102348,99.9K",
    "102400,100K",
    "123456789012,115G",
    "9223372036854775807,8.0E"
  })
  void shouldShortenSizes(long bytes, String text) {
    assertThat(Text.size(bytes)).isEqualTo(text).hasSizeLessThanOrEqualTo(5);
  }

  @ParameterizedTest
  @CsvSource({
    "0.123,0.12 ms",
    "9.996,10.0 ms",
    "20.125,20.1 ms",
    "999.96,1000 ms",
    "1520.4,1520 ms"
  })
  void shouldShortenMilliseconds(double ms, String text) {
    assertThat(Text.millis(ms)).isEqualTo(text);
  }

  @ParameterizedTest
  @CsvSource({
    "3.54,3.5 s",
    "-0.25,-0.3 s",
    "59.96,1 min 0 s",
    "252,4 min 12 s",
    "7200,2 h 0 min",
    "273600,3 d 4 h"
  })
  void shouldShortenSeconds(double seconds, String text) {
    assertThat(Text.seconds(seconds)).isEqualTo(text);
  }
}

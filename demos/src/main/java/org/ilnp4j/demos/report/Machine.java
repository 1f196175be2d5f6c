package org.ilnp4j.demos.report;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** Where figures were measured. */
public record Machine(String cpu, int cores, String kernel, String java) {
  /** This machine. */
  public static Machine current() {
    return new Machine(
        cpuModel(),
        Runtime.getRuntime().availableProcessors(),
        System.getProperty("os.name") + " " + System.getProperty("os.version"),
        Runtime.version().toString());
  }

  /** What /proc/cpuinfo says; where it does not name a model, the architecture. */
  private static String cpuModel() {
    try (var lines = Files.lines(Path.of("/proc/cpuinfo"), StandardCharsets.UTF_8)) {
      return lines
          .filter(line -> line.startsWith("model name"))
          .map(line -> line.substring(line.indexOf(':') + 1).strip())
          .findFirst()
          .orElse(System.getProperty("os.arch"));
    } catch (IOException e) {
      return System.getProperty("os.arch");
    }
  }
}

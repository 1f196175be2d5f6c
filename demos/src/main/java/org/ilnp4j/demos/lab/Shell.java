package org.ilnp4j.demos.lab;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Runs short commands and says clearly when one fails. */
public final class Shell {
  private static final long LIMIT_SECONDS = 20;

  private Shell() {}

  /** Runs a command to its end and returns what it printed. IOException when it fails. */
  public static String run(List<String> command) throws IOException {
    Process p = new ProcessBuilder(command).redirectErrorStream(true).start();
    p.getOutputStream().close();
    String output = new String(p.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    int status = waitFor(p, command);
    if (status != 0) {
      throw new IOException(
          String.join(" ", command) + ": exit status " + status + ": " + output.strip());
    }
    return output;
  }

  public static String run(String... command) throws IOException {
    return run(List.of(command));
  }

  private static int waitFor(Process p, List<String> command) throws IOException {
    try {
      if (!p.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS)) {
        p.destroyForcibly();
        throw new IOException(String.join(" ", command) + ": did not end in time");
      }
      return p.exitValue();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      p.destroyForcibly();
      throw new IOException("interrupted while running " + String.join(" ", command), e);
    }
  }

  /** True when a program of that name is on the PATH. */
  public static boolean has(String program) {
    for (String dir : System.getenv().getOrDefault("PATH", "").split(":")) {
      if (new java.io.File(dir, program).canExecute()) {
        return true;
      }
    }
    return new java.io.File("/usr/sbin", program).canExecute();
  }
}

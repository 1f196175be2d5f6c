package org.ilnp4j.demos;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** What the kernel counts for a process. */
final class Resident {
  private Resident() {}

  /** Memory in use. */
  static long bytes(long pid) throws IOException {
    for (String line : Files.readAllLines(Path.of("/proc/" + pid + "/status"))) {
      if (line.startsWith("VmRSS:")) {
        return 1024 * Long.parseLong(line.replaceAll("[^0-9]", ""));
      }
    }
    throw new IOException("process " + pid + " has no VmRSS");
  }

  /** Open file descriptors. */
  static int descriptors(long pid) {
    String[] names = Path.of("/proc/" + pid + "/fd").toFile().list();
    return names == null ? 0 : names.length;
  }
}

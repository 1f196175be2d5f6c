package org.ilnp4j.tun;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * What this process may do, from {@code /proc/self/status}.
 *
 * @param effectiveUserId 0 is root
 * @param effective the effective capability set as a bit mask
 */
public record Capabilities(int effectiveUserId, long effective) {
  private static final int CAP_NET_ADMIN = 12;
  private static final int CAP_NET_RAW = 13;
  private static final Path STATUS = Path.of("/proc/self/status");

  /** Reads them now. */
  public static Capabilities current() throws IOException {
    return parse(Files.readAllLines(STATUS, StandardCharsets.UTF_8));
  }

  /** Reads the lines of a status file; throws IOException if the needed ones are missing. */
  static Capabilities parse(List<String> status) throws IOException {
    int user = -1;
    long effective = -1;
    for (String line : status) {
      String[] words = line.split("\\s+", -1);
      if (words[0].equals("Uid:") && words.length > 2) {
        user = Integer.parseInt(words[2]);
      } else if (words[0].equals("CapEff:") && words.length > 1) {
        effective = Long.parseUnsignedLong(words[1], 16);
      }
    }
    if (user < 0 || effective < 0) {
      throw new IOException(STATUS + " names no effective user and capabilities");
    }
    return new Capabilities(user, effective);
  }

  public boolean isRoot() {
    return effectiveUserId == 0;
  }

  /** May make devices and change routes. */
  public boolean netAdmin() {
    return (effective >>> CAP_NET_ADMIN & 1) != 0;
  }

  /** May open raw sockets. */
  public boolean netRaw() {
    return (effective >>> CAP_NET_RAW & 1) != 0;
  }
}

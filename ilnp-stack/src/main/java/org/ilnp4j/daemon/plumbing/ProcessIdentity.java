package org.ilnp4j.daemon.plumbing;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/**
 * A process, told apart from a later one that got the same number.
 *
 * @param pid the process number
 * @param startTicks when it started, in clock ticks since boot
 * @param bootId the boot it lived in
 */
record ProcessIdentity(long pid, long startTicks, String bootId) {
  private static final Path BOOT_ID = Path.of("/proc/sys/kernel/random/boot_id");

  /** The start time is field 22 of the file, the 20th after the name in parentheses. */
  private static final int START_FIELD_AFTER_NAME = 20;

  static ProcessIdentity current() throws IOException {
    long pid = ProcessHandle.current().pid();
    return new ProcessIdentity(pid, startTicks(pid), bootNow());
  }

  /** True while this very process runs. */
  boolean isAlive() throws IOException {
    return isOfThisBoot() && startTicks(pid) == startTicks;
  }

  boolean isOfThisBoot() throws IOException {
    return bootId.equals(bootNow());
  }

  private static String bootNow() throws IOException {
    return Files.readString(BOOT_ID, StandardCharsets.US_ASCII).strip();
  }

  /** Returns -1 if there is no such process, or only its corpse. */
  private static long startTicks(long pid) throws IOException {
    String stat;
    try {
      stat = Files.readString(Path.of("/proc/" + pid + "/stat"), StandardCharsets.ISO_8859_1);
    } catch (NoSuchFileException e) {
      return -1;
    } catch (IOException e) {
      // The process ended between open and read (ESRCH).
      if (!Files.exists(Path.of("/proc/" + pid))) {
        return -1;
      }
      throw e;
    }
    // The name may hold anything, spaces and parentheses too.
    String[] fields = stat.substring(stat.lastIndexOf(')') + 1).strip().split(" ", -1);
    boolean corpse = fields[0].equals("Z") || fields[0].equals("X");
    return corpse ? -1 : Long.parseLong(fields[START_FIELD_AFTER_NAME - 1]);
  }
}

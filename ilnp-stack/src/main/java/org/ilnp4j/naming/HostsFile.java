package org.ilnp4j.naming;

import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.Future;
import java.io.IOException;
import java.net.UnknownHostException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.ilnp4j.ilnp.Locator;
import org.ilnp4j.ilnp.Nid;
import org.ilnp4j.util.Printable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Names from a file with lines {@code name NID L64 [L64…]}, {@code #} comments and blank lines.
 * Names compare without regard to case and to a final dot. The file is read again when it has
 * changed; while the changed file is wrong or missing, the names last read stay in force.
 *
 * <p>Thread-safe.
 */
public final class HostsFile implements Resolver {
  private static final Logger log = LoggerFactory.getLogger(HostsFile.class);

  static final int MAX_LINES = 100_000;
  static final long MAX_BYTES = 16 << 20;
  static final int MAX_LOCATORS = 16;

  /** Changes when the file is written or replaced, even within one tick of its time stamp. */
  private record Stamp(Object fileKey, long modifiedNanos, long bytes) {
    static Stamp of(Path file) throws IOException {
      BasicFileAttributes a = Files.readAttributes(file, BasicFileAttributes.class);
      return new Stamp(
          a.fileKey(),
          a.lastModifiedTime().to(java.util.concurrent.TimeUnit.NANOSECONDS),
          a.size());
    }
  }

  private final Path file;
  private Stamp stamp;
  private Map<String, Destination> names;

  private HostsFile(Path file, Stamp stamp, Map<String, Destination> names) {
    this.file = file;
    this.stamp = stamp;
    this.names = names;
  }

  /**
   * Reads {@code file}.
   *
   * @throws IOException with one clear line: {@code file:line: what is wrong}
   */
  public static HostsFile open(Path file) throws IOException {
    try {
      Stamp stamp = Stamp.of(file);
      return new HostsFile(file, stamp, read(file, stamp));
    } catch (NoSuchFileException e) {
      throw new IOException(
          file + ": no such hosts file; create it, one \"name NID L64\" a line", e);
    }
  }

  /** What {@code name} stands for, or null. */
  public synchronized Destination lookup(String name) {
    reloadWhenChanged();
    return names.get(canonical(name));
  }

  /** Number of names in force. */
  public synchronized int size() {
    return names.size();
  }

  @Override
  public synchronized String nameOf(long nid) {
    for (Destination d : names.values()) {
      if (d.nid() == nid) {
        return d.name();
      }
    }
    return null;
  }

  @Override
  public Future<Destination> resolve(String name, EventExecutor executor) {
    Destination d = lookup(name);
    return d != null
        ? executor.newSucceededFuture(d)
        : executor.newFailedFuture(
            new UnknownHostException(
                "unknown name \"" + Printable.of(name) + "\" (not in " + file + ")"));
  }

  private void reloadWhenChanged() {
    try {
      Stamp now = Stamp.of(file);
      if (now.equals(stamp)) {
        return;
      }
      // Before reading: a wrong file is complained about once, not at every lookup.
      stamp = now;
      names = read(file, now);
      log.info("{}: read again, {} names", file, names.size());
    } catch (NoSuchFileException e) {
      if (stamp != null) {
        stamp = null;
        log.warn("{}: hosts file is gone; the names read before stay in force", file);
      }
    } catch (IOException e) {
      log.warn("{}; the names read before stay in force", e.getMessage());
    }
  }

  private static Map<String, Destination> read(Path file, Stamp stamp) throws IOException {
    if (Files.isDirectory(file)) {
      throw new IOException(file + ": is a directory; name a file, one \"name NID L64\" a line");
    }
    if (stamp.bytes > MAX_BYTES) {
      throw new IOException(file + ": larger than " + MAX_BYTES + " octets");
    }
    List<String> lines;
    try {
      lines = Files.readAllLines(file);
    } catch (CharacterCodingException e) {
      throw new IOException(file + ": not a text file in UTF-8", e);
    }
    if (lines.size() > MAX_LINES) {
      throw new IOException(file + ": more than " + MAX_LINES + " lines");
    }
    Map<String, Destination> names = new HashMap<>();
    for (int i = 0; i < lines.size(); i++) {
      try {
        Destination d = parseLine(lines.get(i));
        if (d != null && names.putIfAbsent(d.name(), d) != null) {
          throw new IllegalArgumentException("\"" + d.name() + "\" stands in the file twice");
        }
      } catch (IllegalArgumentException e) {
        throw new IOException(file + ":" + (i + 1) + ": " + Printable.of(e.getMessage()), e);
      }
    }
    return names;
  }

  /** The destination in one line, or null when it holds none. */
  static Destination parseLine(String line) {
    int comment = line.indexOf('#');
    String text = (comment < 0 ? line : line.substring(0, comment)).strip();
    if (text.isEmpty()) {
      return null;
    }
    String[] fields = text.split("\\s+");
    if (fields.length < 3 || fields.length > 2 + MAX_LOCATORS) {
      throw new IllegalArgumentException(
          "expected \"name NID L64 [L64...]\" with 1 to " + MAX_LOCATORS + " Locators");
    }
    String name = canonical(fields[0]);
    if (!name.matches("[a-z0-9_]([a-z0-9._-]{0,251}[a-z0-9_])?")) {
      throw new IllegalArgumentException("\"" + fields[0] + "\" is not a host name");
    }
    long nid = Nid.parse(fields[1]);
    List<Long> locators = new ArrayList<>();
    for (int i = 2; i < fields.length; i++) {
      locators.add(Locator.parse(fields[i]));
    }
    return new Destination(name, nid, locators);
  }

  private static String canonical(String name) {
    String lower = name.toLowerCase(Locale.ROOT);
    return lower.endsWith(".") ? lower.substring(0, lower.length() - 1) : lower;
  }
}

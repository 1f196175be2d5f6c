package org.ilnp4j.daemon.plumbing;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.ilnp4j.ilnp.Nid;
import org.ilnp4j.tun.Capabilities;

/**
 * The record of what a daemon changed, kept in one small file while it lives. It is complete before
 * anything is changed, and replaced atomically.
 *
 * <p>Lines of words: {@code process PID TICKS BOOT}, {@code namespace ID}, {@code nid NID}, {@code
 * tables BASE}, {@code guard}, and {@code setting KEY ORIGINAL OURS}, in the order of change.
 */
final class PlumbingState {
  private static final String SUFFIX = ".state";
  private static final String HEADER =
      "# Kernel settings that this daemon changed. \"ilnp cleanup\" undoes them if it was killed.\n";

  /** A setting before and after the change. */
  record Change(String original, String ours) {}

  private final Path file;
  final ProcessIdentity process;
  final String namespace;
  final long nid;
  final int tableBase;

  /** Forwarding of other packets is blocked, since the host was no router. */
  boolean guard;

  /** In the order of change; undone backwards. */
  final Map<String, Change> changes = new LinkedHashMap<>();

  PlumbingState(Path file, ProcessIdentity process, String namespace, long nid, int tableBase) {
    this.file = file;
    this.process = process;
    this.namespace = namespace;
    this.nid = nid;
    this.tableBase = tableBase;
  }

  static Path fileOf(Path stateDir, String instance) {
    return stateDir.resolve(instance + SUFFIX);
  }

  /** The name of the daemon. */
  String instance() {
    String name = file.getFileName().toString();
    return name.substring(0, name.length() - SUFFIX.length());
  }

  /** Every record in the directory; none if there is no directory. */
  static List<PlumbingState> loadAll(Path stateDir) throws IOException {
    List<PlumbingState> states = new ArrayList<>();
    if (Files.isDirectory(stateDir)) {
      try (Stream<Path> files = Files.list(stateDir)) {
        for (Path f : files.filter(f -> f.toString().endsWith(SUFFIX)).sorted().toList()) {
          states.add(load(f));
        }
      }
    }
    return states;
  }

  private static PlumbingState load(Path file) throws IOException {
    // What stands in it will be written to the kernel as root.
    Object owner = Files.getAttribute(file, "unix:uid", LinkOption.NOFOLLOW_LINKS);
    if (!owner.equals(Capabilities.current().effectiveUserId())) {
      throw new IOException(file + " belongs to another user; look at it, then delete it");
    }
    Map<String, String[]> words = new LinkedHashMap<>();
    Map<String, Change> changes = new LinkedHashMap<>();
    for (String line : Files.readAllLines(file, StandardCharsets.UTF_8)) {
      String[] w = line.split(" ", -1);
      if (w[0].equals("setting") && w.length == 4 && KernelSetting.isOne(w[1])) {
        changes.put(w[1], new Change(w[2], w[3]));
      } else {
        words.put(w[0], w);
      }
    }
    try {
      String[] p = words.get("process");
      PlumbingState state =
          new PlumbingState(
              file,
              new ProcessIdentity(Long.parseLong(p[1]), Long.parseLong(p[2]), p[3]),
              words.get("namespace")[1],
              Nid.parse(words.get("nid")[1]),
              Integer.parseInt(words.get("tables")[1]));
      state.guard = words.containsKey("guard");
      state.changes.putAll(changes);
      return state;
    } catch (RuntimeException e) {
      throw new IOException(
          file + " is damaged; restore the kernel settings in it by hand, then delete it", e);
    }
  }

  /** Writes the file so that a reader, or a crash, sees the old or the new, never half. */
  void save() throws IOException {
    StringBuilder text = new StringBuilder(HEADER);
    line(text, "process", process.pid(), process.startTicks(), process.bootId());
    line(text, "namespace", namespace);
    line(text, "nid", Nid.format(nid));
    line(text, "tables", tableBase);
    if (guard) {
      line(text, "guard");
    }
    changes.forEach((key, c) -> line(text, "setting", key, c.original, c.ours));
    Path fresh = file.resolveSibling(file.getFileName() + ".new");
    try (FileChannel out =
        FileChannel.open(
            fresh,
            StandardOpenOption.CREATE,
            StandardOpenOption.TRUNCATE_EXISTING,
            StandardOpenOption.WRITE)) {
      ByteBuffer octets = StandardCharsets.UTF_8.encode(text.toString());
      while (octets.hasRemaining()) {
        out.write(octets);
      }
      out.force(true);
    }
    Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
  }

  void delete() throws IOException {
    Files.deleteIfExists(file);
  }

  private static void line(StringBuilder text, Object... words) {
    text.append(String.join(" ", Stream.of(words).map(Object::toString).toList())).append('\n');
  }
}

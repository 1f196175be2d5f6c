package org.ilnp4j.demos.lab;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Network namespaces, processes and files of one run. Namespaces are called {@code ilnp-PID-NAME}
 * after the process that made them, so that a later run can tell which ones nobody owns any more.
 */
public final class Lab implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Lab.class);
  private static final String PREFIX = "ilnp-";
  private static volatile boolean interrupted;

  private final String prefix = PREFIX + ProcessHandle.current().pid() + "-";
  private final List<String> namespaces = new ArrayList<>();
  private final Deque<Process> processes = new ArrayDeque<>();
  private final Path directory;
  private final Thread undo =
      new Thread(
          () -> {
            interrupted = true;
            close();
          },
          "lab-undo");
  private int nextIndex = 101;
  private boolean closed;
  private Path keep;

  /** Takes away what dead runs left, and makes a directory for this run's files. */
  public Lab() throws IOException {
    removeStale();
    directory = Files.createTempDirectory(prefix);
    // Ctrl-C must leave nothing behind either.
    Runtime.getRuntime().addShutdownHook(undo);
  }

  /** True when this process may make namespaces. */
  public static boolean isRoot() {
    try {
      return Integer.valueOf(0).equals(Files.getAttribute(Path.of("/proc/self"), "unix:uid"));
    } catch (IOException e) {
      throw new UncheckedIOException("is /proc mounted?", e);
    }
  }

  /** Where configuration files, sockets and logs of this run go. */
  public Path directory() {
    return directory;
  }

  /** On close, copies logs, configuration and captures to a directory, which is made. */
  public synchronized void keepFilesIn(Path target) {
    keep = target;
  }

  /** Makes a namespace with its loopback up and returns its full name. */
  public synchronized String namespace(String name) throws IOException {
    if (closed) {
      throw new IOException("the test bed is being taken down");
    }
    String full = prefix + name;
    Shell.run("ip", "netns", "add", full);
    namespaces.add(full);
    ip(full, "link", "set", "lo", "up");
    return full;
  }

  /** Ends what runs in a namespace and removes it before the others. */
  public synchronized void remove(String namespace) {
    if (namespaces.remove(namespace)) {
      removeNamespace(namespace);
    }
  }

  /** Runs {@code ip} in a namespace. */
  public String ip(String namespace, String... args) throws IOException {
    List<String> command = new ArrayList<>(List.of("ip", "-n", namespace));
    command.addAll(List.of(args));
    return Shell.run(command);
  }

  /** Sets a sysctl in a namespace; {@code key} with slashes, such as {@code net/ipv6/...}. */
  public void sysctl(String namespace, String key, String value) throws IOException {
    exec(namespace, "sh", "-c", "echo " + value + " > /proc/sys/" + key);
  }

  /** Runs a command in a namespace to its end. */
  public String exec(String namespace, String... args) throws IOException {
    List<String> command = new ArrayList<>(List.of("ip", "netns", "exec", namespace));
    command.addAll(List.of(args));
    return Shell.run(command);
  }

  /**
   * Joins two namespaces by a veth pair; both ends are left down, duplicate detection off.
   *
   * <p>The two ends get different interface numbers. With equal ones the kernel takes a change of
   * carrier for not urgent, and tells it, and sets up IPv6, up to a second late; no real link does.
   */
  public synchronized void veth(String nsA, String ifA, String nsB, String ifB) throws IOException {
    String[] command = {
      "ip",
      "link",
      "add",
      "name",
      ifA,
      "index",
      "" + nextIndex++,
      "netns",
      nsA,
      "type",
      "veth",
      "peer",
      "name",
      ifB,
      "index",
      "" + nextIndex++,
      "netns",
      nsB
    };
    Shell.run(command);
    for (String[] end : new String[][] {{nsA, ifA}, {nsB, ifB}}) {
      sysctl(end[0], "net/ipv6/conf/" + end[1] + "/accept_dad", "0");
      sysctl(end[0], "net/ipv6/conf/" + end[1] + "/dad_transmits", "0");
    }
  }

  /** Starts a program in a namespace; its output goes to {@code NAME.log} in the directory. */
  public Process spawn(String namespace, String name, List<String> command) throws IOException {
    File log = directory.resolve(name + ".log").toFile();
    return start(
        new ProcessBuilder(inNamespace(namespace, command))
            .redirectErrorStream(true)
            .redirectOutput(log));
  }

  /** Starts a program in a namespace whose standard output the caller reads. */
  public Process spawnPiped(String namespace, String name, List<String> command)
      throws IOException {
    File log = directory.resolve(name + ".log").toFile();
    return start(new ProcessBuilder(inNamespace(namespace, command)).redirectError(log));
  }

  private static List<String> inNamespace(String namespace, List<String> command) {
    List<String> full = new ArrayList<>(List.of("ip", "netns", "exec", namespace));
    full.addAll(command);
    return full;
  }

  private synchronized Process start(ProcessBuilder builder) throws IOException {
    if (closed) {
      throw new IOException("the test bed is being taken down");
    }
    Process p = builder.start();
    p.getOutputStream().close();
    processes.push(p);
    return p;
  }

  /** What a spawned program has printed so far, for an error message. */
  public String log(String name) {
    try {
      return Files.readString(directory.resolve(name + ".log")).strip();
    } catch (IOException e) {
      return "(no output: " + e.getMessage() + ")";
    }
  }

  /** Ends every process in order, then removes namespaces and files. Idempotent. */
  @Override
  public synchronized void close() {
    if (closed) {
      return;
    }
    closed = true;
    for (Process p : processes) {
      p.destroy();
    }
    for (Process p : processes) {
      end(p);
    }
    for (String ns : namespaces) {
      removeNamespace(ns);
    }
    if (keep != null) {
      copyFiles();
    }
    removeTree(directory);
    // Last: until here a Ctrl-C must still find the hook, which then waits for this to be done.
    if (Thread.currentThread() != undo) {
      try {
        Runtime.getRuntime().removeShutdownHook(undo);
      } catch (IllegalStateException e) {
        LOG.debug("already shutting down", e);
      }
    }
  }

  /** True once the process has been told to end, so that what fails now fails because of that. */
  public static boolean isInterrupted() {
    return interrupted;
  }

  /** For those who go on after a failure: not after this one. */
  public static void requireNotInterrupted() throws IOException {
    if (interrupted) {
      throw new IOException("interrupted");
    }
  }

  private void copyFiles() {
    try (Stream<Path> files = Files.list(directory)) {
      Files.createDirectories(keep);
      for (Path f : (Iterable<Path>) files.filter(Files::isRegularFile)::iterator) {
        Files.copy(f, keep.resolve(f.getFileName()), StandardCopyOption.REPLACE_EXISTING);
      }
    } catch (IOException e) {
      LOG.warn("files not kept in {}: {}", keep, e.toString());
    }
  }

  private static void end(Process p) {
    try {
      if (!p.waitFor(5, TimeUnit.SECONDS)) {
        p.destroyForcibly().waitFor(5, TimeUnit.SECONDS);
      }
    } catch (InterruptedException e) {
      p.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }

  private static void removeStale() throws IOException {
    for (String line : Shell.run("ip", "netns", "list").split("\n")) {
      String name = line.split(" ")[0];
      if (name.startsWith(PREFIX) && isStale(name)) {
        removeNamespace(name);
      }
    }
    try (Stream<Path> files = Files.list(Path.of(System.getProperty("java.io.tmpdir")))) {
      files
          .filter(f -> f.getFileName().toString().startsWith(PREFIX))
          .filter(f -> isStale(f.getFileName().toString()))
          .forEach(Lab::removeTree);
    }
  }

  /** True when the process whose number is in the name is gone. */
  private static boolean isStale(String name) {
    String[] parts = name.split("-");
    if (parts.length < 3 || !parts[1].matches("[0-9]{1,9}")) {
      return false;
    }
    Optional<ProcessHandle> owner = ProcessHandle.of(Long.parseLong(parts[1]));
    return owner.isEmpty() || !owner.get().isAlive();
  }

  private static void removeNamespace(String ns) {
    try {
      for (String pid : Shell.run("ip", "netns", "pids", ns).split("\\s+")) {
        if (!pid.isEmpty()) {
          ProcessHandle.of(Long.parseLong(pid)).ifPresent(ProcessHandle::destroyForcibly);
        }
      }
      Shell.run("ip", "netns", "delete", ns);
    } catch (IOException e) {
      LOG.warn("namespace {} could not be removed: {}", ns, e.getMessage());
    }
  }

  private static void removeTree(Path dir) {
    try (Stream<Path> tree = Files.walk(dir)) {
      for (Path p : (Iterable<Path>) tree.sorted(Comparator.reverseOrder())::iterator) {
        Files.deleteIfExists(p);
      }
    } catch (IOException | UncheckedIOException e) {
      LOG.warn("{} could not be removed: {}", dir, e.getMessage());
    }
  }
}

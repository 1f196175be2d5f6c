package org.ilnp4j.tun.testing;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import jnr.ffi.LastError;
import jnr.ffi.LibraryLoader;
import jnr.ffi.Runtime;
import org.ilnp4j.tun.LinuxException;

/**
 * A network namespace for one test, with its loopback up. Code runs inside on a thread of its own
 * ({@link #run}), programs as child processes ({@link #exec}, {@link #start}, {@link #startJava}).
 * Close ends the processes started and removes the namespace.
 *
 * <p>Names carry the pid of the test: the first namespace a JVM makes removes those that a killed
 * run left.
 */
public final class Netns implements AutoCloseable {
  private static final String PREFIX = "ilnpt-";
  private static final Pattern OURS = Pattern.compile(PREFIX + "(\\d+)-.*");
  private static final Path DIRECTORY = Path.of("/run/netns");
  private static final AtomicInteger COUNT = new AtomicInteger();
  private static final int EXEC_LIMIT_SECONDS = 30;

  private final String name;
  private final List<Process> processes = new ArrayList<>();

  private Netns(String name) {
    this.name = name;
  }

  /** Code that may throw. */
  @FunctionalInterface
  public interface Body {
    void run() throws Exception;
  }

  /** Makes a namespace; the label says in {@code ip netns} which node of the test it is. */
  public static Netns create(String label) {
    int number = COUNT.getAndIncrement();
    if (number == 0) {
      removeStale();
    }
    Netns ns = new Netns(PREFIX + ProcessHandle.current().pid() + "-" + number + "-" + label);
    output("ip", "netns", "add", ns.name);
    ns.exec("ip", "link", "set", "lo", "up");
    return ns;
  }

  /** Joins two namespaces by a veth pair, both ends up. */
  public static void veth(Netns a, String nameA, Netns b, String nameB) {
    output(
        "ip", "link", "add", "name", nameA, "netns", a.name, "type", "veth", "peer", "name", nameB,
        "netns", b.name);
    a.exec("ip", "link", "set", "dev", nameA, "up");
    b.exec("ip", "link", "set", "dev", nameB, "up");
  }

  /** As {@code ip netns} knows it. */
  public String name() {
    return name;
  }

  /** Runs the body on a thread inside this namespace and waits for it. */
  public void run(Body body) throws Exception {
    call(
        () -> {
          body.run();
          return null;
        });
  }

  /** Runs the body on a thread inside this namespace and returns its result. */
  public <T> T call(Callable<T> body) throws Exception {
    return callIn(name, body);
  }

  /** The same inside any namespace that {@code ip netns} knows: sockets made there stay there. */
  public static <T> T callIn(String name, Callable<T> body) throws Exception {
    FutureTask<T> task =
        new FutureTask<>(
            () -> {
              Setns.enter(DIRECTORY.resolve(name));
              return body.call();
            });
    new Thread(task, name).start();
    try {
      return task.get();
    } catch (ExecutionException e) {
      if (e.getCause() instanceof Exception cause) {
        throw cause;
      }
      throw (Error) e.getCause();
    }
  }

  /** Runs a program inside to its end and returns its standard output; it must succeed. */
  public String exec(String... command) {
    return output(inside(command));
  }

  /** Starts a program inside; it is ended at close. Its output goes to {@code log}. */
  public Process start(File log, String... command) throws IOException {
    Process p =
        new ProcessBuilder(inside(command))
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(log))
            .start();
    processes.add(p);
    return p;
  }

  /**
   * Starts a JVM inside with the class path of the tests; it is ended at close. Its standard output
   * can be read from the process, its errors go where ours go.
   */
  public Process startJava(Class<?> main, String... arguments) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("-XX:TieredStopAtLevel=1");
    command.add("-cp");
    command.add(
        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")));
    command.add(main.getName());
    command.addAll(List.of(arguments));
    Process p =
        new ProcessBuilder(inside(command.toArray(String[]::new)))
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    processes.add(p);
    return p;
  }

  private String[] inside(String... command) {
    return Stream.concat(Stream.of("ip", "netns", "exec", name), Stream.of(command))
        .toArray(String[]::new);
  }

  @Override
  public void close() {
    for (Process p : processes) {
      p.destroyForcibly();
      await(p, "killed process");
    }
    output("ip", "netns", "del", name);
  }

  private static void removeStale() {
    if (!Files.isDirectory(DIRECTORY)) {
      return;
    }
    List<String> names;
    try (Stream<Path> files = Files.list(DIRECTORY)) {
      names = files.map(f -> f.getFileName().toString()).toList();
    } catch (IOException e) {
      throw new UncheckedIOException("cannot list " + DIRECTORY, e);
    }
    for (String name : names) {
      Matcher m = OURS.matcher(name);
      if (m.matches() && ProcessHandle.of(Long.parseLong(m.group(1))).isEmpty()) {
        output("ip", "netns", "pids", name)
            .lines()
            .map(Long::parseLong)
            .forEach(pid -> ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly));
        output("ip", "netns", "del", name);
      }
    }
  }

  private static String output(String... command) {
    try {
      Process p = new ProcessBuilder(command).redirectErrorStream(true).start();
      p.getOutputStream().close();
      String text = new String(p.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      await(p, String.join(" ", command));
      if (p.exitValue() != 0) {
        throw new IllegalStateException(
            String.join(" ", command) + " ended with " + p.exitValue() + ": " + text.strip());
      }
      return text;
    } catch (IOException e) {
      throw new UncheckedIOException(String.join(" ", command), e);
    }
  }

  private static void await(Process p, String what) {
    try {
      if (!p.waitFor(EXEC_LIMIT_SECONDS, TimeUnit.SECONDS)) {
        p.destroyForcibly();
        throw new IllegalStateException(what + " did not end in " + EXEC_LIMIT_SECONDS + " s");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while waiting for " + what, e);
    }
  }

  /** Moves the calling thread (no other) to a namespace; the thread must end with its task. */
  private static final class Setns {
    private static final int CLONE_NEWNET = 0x4000_0000;
    private static final int O_RDONLY_CLOEXEC = 0x80000;
    private static final LibC LIBC = LibraryLoader.create(LibC.class).load("c");

    public interface LibC {
      int open(String path, int flags);

      int setns(int fd, int type);

      int close(int fd);
    }

    static void enter(Path namespace) throws LinuxException {
      int fd = LIBC.open(namespace.toString(), O_RDONLY_CLOEXEC);
      if (fd < 0) {
        throw failure("open network namespace", namespace);
      }
      int rc = LIBC.setns(fd, CLONE_NEWNET);
      LinuxException e = rc < 0 ? failure("enter network namespace", namespace) : null;
      LIBC.close(fd);
      if (e != null) {
        throw e;
      }
    }

    private static LinuxException failure(String operation, Path namespace) {
      return new LinuxException(
          operation, namespace.toString(), LastError.getLastError(Runtime.getRuntime(LIBC)));
    }
  }
}

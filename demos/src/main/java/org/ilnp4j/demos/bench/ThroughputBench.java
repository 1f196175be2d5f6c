package org.ilnp4j.demos.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.ilnp4j.demos.lab.Flow;
import org.ilnp4j.demos.lab.Lab;
import org.ilnp4j.demos.report.Claim;
import org.ilnp4j.demos.report.Column;
import org.ilnp4j.demos.report.Figures;
import org.ilnp4j.demos.report.Report;
import org.ilnp4j.demos.report.Row;
import org.ilnp4j.util.UserError;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code ilnp bench throughput}: one flow through a router, beside the kernel's TCP. */
@Command(
    name = "throughput",
    description = {
      "Measures what one TCP session carries through a Linux router, beside the kernel's own TCP",
      "and a loop that only writes and reads such packets, in turn, several rounds. Needs root."
    },
    footer = {"%nExample:", "  sudo ./ilnp bench throughput --json"})
final class ThroughputBench extends Benchmark {
  private static final double GIGA = 1e9;
  private static final double SUPER_OF_KERNEL = 0.45;
  private static final double SUPER_OF_BARE = 0.8;
  private static final double CUT_OF_KERNEL = 0.75;
  private static final double CPU_OF_KERNEL = 2;
  private static final long WARM_UP_MILLIS = 3000;
  private static final long START_MILLIS = 700;
  private static final int FIRST_PORT = 5001;

  private enum Peer {
    KERNEL("kernel"),
    BARE("bare loop"),
    OURS("ilnp4j");

    private final String label;

    Peer(String label) {
      this.label = label;
    }
  }

  private static final List<Column> COLUMNS =
      List.of(
          Column.text("scenario", "SCENARIO", "what the links carry"),
          Column.text("stack", "STACK", "who sends and receives"),
          Column.number("gbits", "GBIT/S", 2, "goodput, median of the rounds"),
          Column.number("least", "LEAST", 2, "goodput of the slowest round"),
          Column.number("most", "MOST", 2, "goodput of the fastest round"),
          Column.number("ratio", "OF KERNEL", 2, "goodput by that of the kernel, median"),
          Column.number("cpu_per_gigabyte", "CPU s/GB", 2, "processor time of the machine, median"),
          Column.data("rounds", "goodput of each round, Gbit/s"),
          Column.data("ours", "see gbits of stack ilnp4j"),
          Column.data("peer", "see gbits of stack kernel"),
          Column.data("published", "no figure is published"));

  @Option(
      names = "--rounds",
      paramLabel = "N",
      description = "How often each is measured, 1 to 100; ${DEFAULT-VALUE} by default.",
      defaultValue = "5")
  private int rounds;

  @Option(
      names = "--seconds",
      paramLabel = "N",
      description = "Length of each measurement, 1 to 600; ${DEFAULT-VALUE} by default.",
      defaultValue = "3")
  private int seconds;

  @Option(names = "--quick", description = "One round of one second.")
  private boolean quick;

  /** One measurement. */
  private record Sample(double gbits, double cpuPerGigabyte) {}

  private int nextPort = FIRST_PORT;

  @Override
  void check() throws UserError {
    requireRange("--seconds", seconds, 1, 600);
    requireRange("--rounds", rounds, 1, 100);
    if (quick) {
      rounds = 1;
      seconds = 1;
    }
  }

  @Override
  Report measure() throws Exception {
    Instant started = Instant.now();
    long startNanos = System.nanoTime();
    List<Row> rows = new ArrayList<>();
    List<Claim> claims = new ArrayList<>();
    try (Lab lab = new Lab();
        RoutedPath path = new RoutedPath(lab)) {
      path.segmentation(true);
      Map<Peer, List<Sample>> whole = measure(path, "super-segments");
      path.segmentation(false);
      Map<Peer, List<Sample>> cut = measure(path, "MTU-sized packets");
      addRows(rows, "super-segments end to end", whole);
      addRows(rows, "links carry MTU-sized packets", cut);
      claims(claims, whole, cut);
    }
    return new Report(
        "bench-throughput",
        "ilnp bench throughput --rounds " + rounds + " --seconds " + seconds,
        1,
        started,
        (System.nanoTime() - startNanos) / GIGA,
        COLUMNS,
        rows,
        claims);
  }

  private Map<Peer, List<Sample>> measure(RoutedPath path, String scenario) throws Exception {
    Map<Peer, List<Sample>> samples = new EnumMap<>(Peer.class);
    for (Peer p : Peer.values()) {
      samples.put(p, new ArrayList<>());
      run(path, p, WARM_UP_MILLIS);
    }
    for (int round = 1; round <= rounds; round++) {
      for (Peer p : Peer.values()) {
        Sample s = run(path, p, TimeUnit.SECONDS.toMillis(seconds));
        samples.get(p).add(s);
        progress.printf(
            Locale.ROOT,
            "%s, round %d, %s: %.2f Gbit/s, %.2f CPU s/GB%n",
            scenario,
            round,
            p.label,
            s.gbits,
            s.cpuPerGigabyte);
      }
    }
    return samples;
  }

  private Sample run(RoutedPath path, Peer peer, long millis) throws Exception {
    Lab.requireNotInterrupted();
    try (Flow flow =
        switch (peer) {
          case KERNEL -> path.kernelFlow();
          case BARE -> path.bareFlow();
          case OURS -> path.ilnpFlow(nextPort++);
        }) {
      flow.start();
      TimeUnit.MILLISECONDS.sleep(START_MILLIS);
      long bytes = flow.receivedBytes();
      double cpu = busySeconds();
      long startNanos = System.nanoTime();
      TimeUnit.MILLISECONDS.sleep(millis);
      double took = (System.nanoTime() - startNanos) / GIGA;
      cpu = busySeconds() - cpu;
      bytes = flow.receivedBytes() - bytes;
      flow.requireAlive();
      return new Sample(bytes * 8 / took / GIGA, cpu / (bytes / GIGA));
    }
  }

  /** Processor time that was not idle, of the whole machine: much of it is the kernel's. */
  private static double busySeconds() throws IOException {
    String[] f = Files.readAllLines(Path.of("/proc/stat")).get(0).trim().split("\\s+");
    long ticks = 0;
    for (int i = 1; i <= 7; i++) {
      ticks += i == 4 || i == 5 ? 0 : Long.parseLong(f[i]); // idle, waiting for a disk
    }
    return ticks / 100.0; // USER_HZ
  }

  private static void addRows(List<Row> rows, String scenario, Map<Peer, List<Sample>> samples) {
    for (Peer p : Peer.values()) {
      List<Double> gbits = samples.get(p).stream().map(Sample::gbits).toList();
      rows.add(
          new Row(COLUMNS)
              .set("scenario", scenario)
              .set("stack", p.label)
              .set("gbits", Figures.median(gbits))
              .set("least", gbits.stream().mapToDouble(d -> d).min().orElse(0))
              .set("most", gbits.stream().mapToDouble(d -> d).max().orElse(0))
              .set("ratio", ratio(samples, p, Peer.KERNEL))
              .set("cpu_per_gigabyte", cpu(samples, p))
              .set("rounds", gbits.stream().map(g -> Figures.round(g, 2)).toList()));
    }
  }

  private static double ratio(Map<Peer, List<Sample>> samples, Peer of, Peer by) {
    return gbits(samples, of) / gbits(samples, by);
  }

  private static double gbits(Map<Peer, List<Sample>> samples, Peer p) {
    return Figures.median(samples.get(p).stream().map(Sample::gbits).toList());
  }

  private static double cpu(Map<Peer, List<Sample>> samples, Peer p) {
    return Figures.median(samples.get(p).stream().map(Sample::cpuPerGigabyte).toList());
  }

  private static void claims(
      List<Claim> claims, Map<Peer, List<Sample>> whole, Map<Peer, List<Sample>> cut) {
    claims.add(
        Claim.atLeast(
            "throughput-super",
            "super-segments, by the kernel with offloads on",
            ratio(whole, Peer.OURS, Peer.KERNEL),
            SUPER_OF_KERNEL));
    claims.add(
        Claim.atLeast(
            "throughput-super-bare",
            "super-segments, by a bare loop",
            ratio(whole, Peer.OURS, Peer.BARE),
            SUPER_OF_BARE));
    claims.add(
        Claim.atLeast(
            "throughput-cut",
            "links that carry MTU-sized packets, by the kernel",
            ratio(cut, Peer.OURS, Peer.KERNEL),
            CUT_OF_KERNEL));
    claims.add(
        Claim.atMost(
            "cpu-super",
            "processor time for a gigabyte, by the kernel",
            cpu(whole, Peer.OURS) / cpu(whole, Peer.KERNEL),
            CPU_OF_KERNEL));
  }
}

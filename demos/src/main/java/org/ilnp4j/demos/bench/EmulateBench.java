package org.ilnp4j.demos.bench;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.net.InetAddress;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.ilnp4j.demos.lab.Lab;
import org.ilnp4j.demos.report.Claim;
import org.ilnp4j.demos.report.Column;
import org.ilnp4j.demos.report.Report;
import org.ilnp4j.demos.report.Row;
import org.ilnp4j.emulate.Direction;
import org.ilnp4j.emulate.DirectionCounters;
import org.ilnp4j.emulate.Emulator;
import org.ilnp4j.emulate.EmulatorConfig;
import org.ilnp4j.emulate.EmulatorConfig.Side;
import org.ilnp4j.link.LinkConfig;
import org.ilnp4j.time.NanoClock;
import org.ilnp4j.tun.IpPrefix;
import org.ilnp4j.util.UserError;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * {@code ilnp bench emulate}: what the link emulator carries on one core, and what it adds to the
 * delay it is asked for. All of its work is done by one thread, whose processor time is measured.
 */
@Command(
    name = "emulate",
    description = {
      "Measures what the link emulator carries with 1500-octet packets on one core, and the delay",
      "that it adds of its own. Needs root and two idle cores: one emulates, one makes the traffic."
    },
    footer = {"%nExample:", "  sudo ./ilnp bench emulate --json"})
final class EmulateBench extends Benchmark {
  private static final long MBIT = 1_000_000;
  private static final long TARGET = 500 * MBIT;
  private static final double MAX_OWN_MS = 0.2;
  private static final double PERCENTILE = 99;
  private static final String LEFT = "fd00:1::1";
  private static final String RIGHT = "fd00:2::1";

  private static final List<Column> COLUMNS =
      List.of(
          Column.text("scenario", "SCENARIO", "what the link was asked for"),
          Column.number("offered_mbits", "OFFERED", 1, "rate of IP packets sent, Mbit/s"),
          Column.number("ours", "RECEIVED", 1, "rate of IP packets received, Mbit/s"),
          Column.number("lost", "LOST", 0, "packets that did not arrive"),
          Column.number("kernel_dropped", "KERNEL", 0, "packets that a kernel had no room for"),
          Column.number("cpu", "CORES", 2, "processor time of the emulator's thread per second"),
          Column.number("own_ms_p50", "OWN ms", 3, "delay beyond the one asked for, median"),
          Column.number("own_ms_p99", "p99", 3, "the same, 99 % of the packets"),
          Column.number("own_ms_p999", "p99.9", 3, "the same, 99.9 % of the packets"),
          Column.number("own_ms_max", "MAX", 3, "the same, all packets"),
          Column.data("peer", "no peer is measured"),
          Column.data("ratio", "no peer is measured"),
          Column.data("published", "no figure is published"));

  @Option(
      names = "--seconds",
      paramLabel = "N",
      description = "Length of each scenario, 1 to 600; ${DEFAULT-VALUE} by default.",
      defaultValue = "5")
  private int seconds;

  /**
   * One row.
   *
   * @param id for claims
   * @param offered bits per second
   * @param isSaturated whether a queue forms: the delay is that of the queue then
   */
  private record Scenario(
      String id, String name, LinkConfig link, long offered, boolean isSaturated) {}

  private static final List<Scenario> SCENARIOS =
      List.of(
          new Scenario("open", "no limit, 500 Mbit/s offered", LinkConfig.PERFECT, TARGET, false),
          new Scenario(
              "delay-10",
              "delay 10 ms, 500 Mbit/s offered",
              LinkConfig.of(0, NanoClock.millis(10)),
              TARGET,
              false),
          new Scenario(
              "limit",
              "rate 500 Mbit/s, 550 offered",
              LinkConfig.of(TARGET, 0).withQueuePackets(100),
              550 * MBIT,
              true),
          new Scenario(
              "below-limit",
              "rate 500 Mbit/s, 450 offered",
              LinkConfig.of(TARGET, 0),
              450 * MBIT,
              false),
          new Scenario(
              "slow",
              "delay 1 ms, 10 Mbit/s offered",
              LinkConfig.of(0, NanoClock.millis(1)),
              10 * MBIT,
              false));

  @Override
  void check() throws UserError {
    requireRange("--seconds", seconds, 1, 600);
  }

  @Override
  Report measure() throws IOException {
    Instant started = Instant.now();
    long startNanos = System.nanoTime();
    List<Row> rows = new ArrayList<>();
    try (Lab lab = new Lab()) {
      String left = lab.namespace("left");
      String right = lab.namespace("right");
      try (Emulator link = Emulator.start(config(left, right));
          Traffic traffic = Traffic.open(left, LEFT, right, RIGHT)) {
        progress.println("warming up");
        traffic.run(100_000, TARGET, 0);
        for (Scenario s : SCENARIOS) {
          progress.println(s.name());
          rows.add(run(s, link, traffic));
        }
      }
    }
    return new Report(
        "bench-emulate",
        "ilnp bench emulate --seconds " + seconds,
        1,
        started,
        (System.nanoTime() - startNanos) / 1e9,
        COLUMNS,
        rows,
        claims(rows));
  }

  private static EmulatorConfig config(String left, String right) throws IOException {
    return EmulatorConfig.between(
        Side.of(left, "emu0").withAddresses(host(LEFT)).withRoutes(host(RIGHT)),
        Side.of(right, "emu1").withAddresses(host(RIGHT)).withRoutes(host(LEFT)),
        LinkConfig.PERFECT,
        1);
  }

  private static IpPrefix host(String address) throws IOException {
    return new IpPrefix(InetAddress.getByName(address), 128);
  }

  private Row run(Scenario s, Emulator link, Traffic traffic) throws IOException {
    link.configure(Direction.LEFT_TO_RIGHT, s.link());
    ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    DirectionCounters before = link.counters(Direction.LEFT_TO_RIGHT);
    long cpuNanos = threads.getThreadCpuTime(link.thread().getId());
    long startNanos = System.nanoTime();
    int packets = (int) (s.offered() * seconds / (8L * Traffic.PACKET_BYTES));
    Traffic.Result r = traffic.run(packets, s.offered(), s.link().delayNanos());
    cpuNanos = threads.getThreadCpuTime(link.thread().getId()) - cpuNanos;
    long tookNanos = System.nanoTime() - startNanos;
    DirectionCounters after = link.counters(Direction.LEFT_TO_RIGHT);
    Row row =
        new Row(COLUMNS)
            .set("scenario", s.name())
            .set("offered_mbits", r.offeredMbits())
            .set("ours", r.receivedMbits())
            .set("lost", r.sent() - r.received())
            .set("kernel_dropped", after.kernelDropped() - before.kernelDropped())
            .set("cpu", (double) cpuNanos / tookNanos);
    if (!s.isSaturated()) {
      row.set("own_ms_p50", ownMs(s, r, 50))
          .set("own_ms_p99", ownMs(s, r, PERCENTILE))
          .set("own_ms_p999", ownMs(s, r, 99.9))
          .set("own_ms_max", ownMs(s, r, 100));
    }
    return row;
  }

  /** Beyond what was asked for: the delay, and the time that a packet occupies the link. */
  private static double ownMs(Scenario s, Traffic.Result r, double percent) {
    long rate = s.link().rateBitsPerSecond();
    double serialisationUs = rate == 0 ? 0 : Traffic.PACKET_BYTES * 8e6 / rate;
    return (r.tookUs(percent) - s.link().delayNanos() / 1e3 - serialisationUs) / 1e3;
  }

  private static List<Claim> claims(List<Row> rows) {
    List<Claim> claims = new ArrayList<>();
    Row open = rows.get(0);
    claims.add(
        Claim.atLeast(
            "emulate-throughput",
            "500 Mbit/s pass with 1500-octet packets (1 % for the measurement)",
            (Double) open.get("ours"),
            TARGET / MBIT * 0.99));
    claims.add(
        Claim.atMost(
            "emulate-loss",
            "and none of them is lost",
            ((Integer) open.get("lost")).doubleValue(),
            0));
    claims.add(Claim.atMost("emulate-cores", "on one core", (Double) open.get("cpu"), 1));
    for (int i = 0; i < rows.size(); i++) {
      Row row = rows.get(i);
      if (row.get("own_ms_p99") instanceof Double own) {
        claims.add(
            Claim.atMost(
                "emulate-own-delay-" + SCENARIOS.get(i).id(),
                "own delay in ms, 99 % of the packets: " + row.get("scenario"),
                own,
                MAX_OWN_MS));
      }
    }
    double limited = (Double) rows.get(2).get("ours");
    claims.add(
        Claim.atMost(
            "emulate-rate",
            "a rate of 500 Mbit/s is kept within 1 %: deviation in %",
            Math.abs(limited / (TARGET / MBIT) - 1) * 100,
            1));
    return claims;
  }
}

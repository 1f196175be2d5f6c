package org.ilnp4j.demos.experiment.tcpgrid;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.ilnp4j.demos.experiment.Experiment;
import org.ilnp4j.demos.experiment.RunContext;
import org.ilnp4j.demos.lab.Lab;
import org.ilnp4j.demos.report.Column;
import org.ilnp4j.ilnp.SessionMode;
import org.ilnp4j.util.UserError;

/** The published grid of loss and delay, ilnp4j's TCP beside the kernel's. */
public final class TcpGrid implements Experiment {
  private static final long MEGABYTE = 1_000_000;
  private static final long RATE = 100_000_000;
  private static final int MAX_MEGABYTES = 100_000;
  private static final int MAX_LOSS_PERCENT = 50;
  private static final int MAX_SECONDS = 3600;
  private static final int MAX_RTT_MILLIS = 10_000;

  /** A part of the experiment. */
  enum Part {
    /** Transfers over the path, for each loss and delay. */
    GRID,
    /** The same without a rate: the processor is the limit. */
    NO_RATE_LIMIT,
    /** Equal flows on one bottleneck. */
    FAIRNESS,
    /** A flow of ilnp4j and one of the kernel on one bottleneck. */
    SHARING;

    static Part parse(String text) {
      for (Part p : values()) {
        if (p.toString().equals(text)) {
          return p;
        }
      }
      throw new IllegalArgumentException("use grid, no-rate-limit, fairness or sharing");
    }

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
  }

  @Override
  public String name() {
    return "tcp-grid";
  }

  @Override
  public String reproduces() {
    return "TCP over UDP, a userspace TCP: goodput beside the kernel's, by loss and delay";
  }

  @Override
  public List<Mode> modes() {
    return List.of(Mode.REAL);
  }

  @Override
  public List<Column> columns() {
    return GridReport.COLUMNS;
  }

  @Override
  public List<Setting> settings() {
    return List.of(
        new Setting("parts", "any of grid, no-rate-limit, fairness, sharing", "all by default"),
        new Setting("congestion", "reno or cubic, or both", "reno,cubic by default"),
        new Setting(
            "mode", "session mode of ilnp4j: classic or ilnp, or both", "classic by default"),
        new Setting("loss", "per cent of packets, each on its own", "0,0.01,1 by default"),
        new Setting("rtt", "added round trip, ms", "0,100,300 by default"),
        new Setting(
            "megabytes",
            "size of each transfer",
            "100 by default, 30 at 1 % loss and above, 500 without rate limit; with --quick 8, 1, 100"),
        new Setting(
            "seconds", "how long flows share a bottleneck", "60 by default, 5 with --quick"));
  }

  @Override
  public int defaultReps(boolean quick) {
    return quick ? 1 : 3;
  }

  @Override
  public Outcome run(RunContext context) throws IOException, InterruptedException, UserError {
    List<Part> parts = context.list("parts", List.of(Part.values()), Part::parse);
    List<String> congestions =
        context.list("congestion", List.of("reno", "cubic"), TcpGrid::congestion);
    List<SessionMode> modes = context.list("mode", List.of(SessionMode.CLASSIC), TcpGrid::mode);
    int seconds =
        context
            .list("seconds", List.of(context.quick() ? 5 : 60), t -> whole(t, 1, MAX_SECONDS))
            .get(0);
    List<Cell> cells = new ArrayList<>();
    for (SessionMode mode : modes) {
      for (String congestion : congestions) {
        if (parts.contains(Part.GRID)) {
          cells.addAll(grid(context, congestion, mode));
        }
        if (parts.contains(Part.NO_RATE_LIMIT)) {
          cells.add(
              new Cell(congestion, mode, new PathConditions(0, 0, 0), unlimitedBytes(context)));
        }
      }
    }
    GridReport report = new GridReport();
    try (Lab lab = new Lab()) {
      Transfers transfers = new Transfers(context, lab, cells);
      transfers.run();
      for (Cell cell : cells) {
        report.add(cell, transfers.of(cell, Stack.OURS), transfers.of(cell, Stack.KERNEL));
      }
      for (SessionMode mode : modes) {
        SharedBottleneck bottleneck = new SharedBottleneck(context, lab, mode, seconds);
        for (String congestion : congestions) {
          if (parts.contains(Part.FAIRNESS)) {
            report.addFairness(
                congestion,
                mode,
                bottleneck.equalFlows(congestion, Stack.OURS),
                bottleneck.equalFlows(congestion, Stack.KERNEL));
          }
          if (parts.contains(Part.SHARING)) {
            report.addSharing(congestion, mode, bottleneck.oneOfEach(congestion));
          }
        }
      }
    }
    return report.outcome();
  }

  private static List<Cell> grid(RunContext context, String congestion, SessionMode mode)
      throws UserError {
    List<Cell> cells = new ArrayList<>();
    for (double loss : context.list("loss", List.of(0.0, 0.01, 1.0), TcpGrid::lossPercent)) {
      for (int rtt : context.list("rtt", List.of(0, 100, 300), TcpGrid::rttMillis)) {
        cells.add(
            new Cell(
                congestion, mode, new PathConditions(RATE, rtt, loss), gridBytes(context, loss)));
      }
    }
    return cells;
  }

  private static long gridBytes(RunContext context, double lossPercent) throws UserError {
    boolean lossy = lossPercent >= 1;
    long standard = context.quick() ? (lossy ? 1 : 8) : lossy ? 30 : 100;
    return megabytes(context, standard);
  }

  private static long unlimitedBytes(RunContext context) throws UserError {
    return megabytes(context, context.quick() ? 100 : 500);
  }

  private static long megabytes(RunContext context, long standard) throws UserError {
    return context
            .list("megabytes", List.of((int) standard), t -> whole(t, 1, MAX_MEGABYTES))
            .get(0)
        * MEGABYTE;
  }

  private static String congestion(String text) {
    if (!text.equals("reno") && !text.equals("cubic")) {
      throw new IllegalArgumentException("use reno or cubic");
    }
    return text;
  }

  private static SessionMode mode(String text) {
    return switch (text) {
      case "classic" -> SessionMode.CLASSIC;
      case "ilnp" -> SessionMode.ILNP;
      default -> throw new IllegalArgumentException("use classic or ilnp");
    };
  }

  private static double lossPercent(String text) {
    try {
      double v = Double.parseDouble(text);
      if (v >= 0 && v <= MAX_LOSS_PERCENT) {
        return v;
      }
    } catch (NumberFormatException e) {
      // Said below, as for a number out of range.
    }
    throw new IllegalArgumentException("use per cent, 0 to " + MAX_LOSS_PERCENT);
  }

  private static int rttMillis(String text) {
    return whole(text, 0, MAX_RTT_MILLIS);
  }

  private static int whole(String text, int least, int most) {
    try {
      int v = Integer.parseInt(text);
      if (v >= least && v <= most) {
        return v;
      }
    } catch (NumberFormatException e) {
      // Said below, as for a number out of range.
    }
    throw new IllegalArgumentException("use a whole number, " + least + " to " + most);
  }
}

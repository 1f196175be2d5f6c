package org.ilnp4j.demos.experiment.tcpgrid;

import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.ilnp4j.demos.experiment.RunContext;
import org.ilnp4j.demos.lab.Flow;
import org.ilnp4j.demos.lab.Lab;

/**
 * Makes the transfers of all cells, ilnp4j's and the kernel's in turn. One at a time where the
 * processor has something to do; those that mostly wait go together, each over a path of its own.
 */
final class Transfers {
  private static final int LIGHT_AT_ONCE = 24;
  private static final int PORT = 5001;
  private static final double KILO = 1e3;
  private static final double SET_UP_SECONDS = 0.5;
  private static final int SECONDS_PER_MINUTE = 60;
  private static final long WARM_UP_BYTES = 50_000_000;

  private final RunContext context;
  private final Lab lab;
  private final AtomicInteger testbeds = new AtomicInteger();
  private final AtomicInteger done = new AtomicInteger();
  private final Map<Cell, Map<Stack, Measured>> results = new LinkedHashMap<>();

  private record Job(Cell cell, int rep, Stack stack) {}

  Transfers(RunContext context, Lab lab, List<Cell> cells) {
    this.context = context;
    this.lab = lab;
    for (Cell cell : cells) {
      Map<Stack, Measured> both = new EnumMap<>(Stack.class);
      for (Stack stack : Stack.values()) {
        both.put(stack, new Measured());
      }
      results.put(cell, both);
    }
  }

  /** Runs to the end; a transfer that fails does not stop the others. */
  void run() throws IOException, InterruptedException {
    say();
    warmUp();
    for (Job job : jobs(false)) {
      run(job);
    }
    ExecutorService pool = Executors.newFixedThreadPool(LIGHT_AT_ONCE);
    try {
      List<Future<?>> all = new ArrayList<>();
      for (Job job : jobs(true)) {
        all.add(
            pool.submit(
                () -> {
                  run(job);
                  return null;
                }));
      }
      for (Future<?> f : all) {
        await(f);
      }
    } finally {
      pool.shutdownNow();
    }
  }

  /** What is to come, so that one can do something else meanwhile. */
  private void say() {
    List<Job> alone = jobs(false);
    List<Job> together = jobs(true);
    double seconds = seconds(alone) + seconds(together) / LIGHT_AT_ONCE;
    context.say(
        "%d transfers, %d of them %d at a time: about %.0f minutes",
        alone.size() + together.size(),
        together.size(),
        LIGHT_AT_ONCE,
        Math.ceil(seconds / SECONDS_PER_MINUTE));
  }

  private static double seconds(List<Job> jobs) {
    return jobs.stream().mapToDouble(j -> j.cell.expectedSeconds() + SET_UP_SECONDS).sum();
  }

  private static void await(Future<?> job) throws IOException, InterruptedException {
    try {
      job.get();
    } catch (ExecutionException e) {
      throw new IOException(e.getCause().getMessage(), e);
    }
  }

  Measured of(Cell cell, Stack stack) {
    return results.get(cell).get(stack);
  }

  private List<Job> jobs(boolean light) {
    List<Job> out = new ArrayList<>();
    for (Cell cell : results.keySet()) {
      for (int rep = 0; rep < context.reps() && cell.isLight() == light; rep++) {
        for (Stack stack : Stack.values()) {
          out.add(new Job(cell, rep, stack));
        }
      }
    }
    return out;
  }

  /** The first transfer would pay for compiling all others. */
  private void warmUp() throws InterruptedException {
    for (Cell cell : results.keySet()) {
      Cell quick =
          new Cell(
              cell.congestion(),
              cell.mode(),
              new PathConditions(0, 0, 0),
              Math.min(cell.bytes(), WARM_UP_BYTES));
      for (Stack stack : Stack.values()) {
        Measured.Run run = measure(new Job(quick, 0, stack));
        if (run.failure() != null) {
          context.say("warm-up of %s: %s", stack, run.failure());
        }
      }
      return;
    }
  }

  private void run(Job job) throws IOException, InterruptedException {
    Measured.Run run = measure(job);
    Lab.requireNotInterrupted();
    of(job.cell, job.stack).add(run);
    int total = results.size() * context.reps() * Stack.values().length;
    context.say(
        "%d/%d  %s  %s %s",
        done.incrementAndGet(),
        total,
        job.cell,
        job.stack,
        run.failure() != null
            ? "FAILED: " + run.failure()
            : String.format(
                Locale.ROOT,
                "%.1f kB/s, %d segments again, %d time-outs",
                run.value(),
                run.retransmitted(),
                run.timeouts()));
  }

  private Measured.Run measure(Job job) throws InterruptedException {
    Cell cell = job.cell;
    // The same losses for both, others in the next repetition.
    long seed = context.seed() * 1_000_003 + job.rep;
    try (Testbed testbed =
            new Testbed(lab, testbeds.incrementAndGet(), cell.path(), cell.congestion(), seed);
        Flow flow =
            job.stack == Stack.OURS
                ? testbed.ilnpFlow(cell.mode(), PORT, cell.bytes())
                : testbed.kernelFlow(cell.bytes())) {
      testbed.settle();
      flow.start();
      double seconds =
          flow.seconds().get((long) (cell.limitSeconds() * 1e3), TimeUnit.MILLISECONDS);
      Testbed.SenderCounts counts =
          job.stack == Stack.OURS ? testbed.ilnpCounts() : testbed.kernelCounts();
      return new Measured.Run(
          job.rep, cell.bytes() / seconds / KILO, counts.retransmitted(), counts.timeouts(), null);
    } catch (TimeoutException e) {
      return Measured.Run.failed(
          job.rep,
          String.format(
              Locale.ROOT, "%s: not complete after %.0f s", job.stack, cell.limitSeconds()));
    } catch (ExecutionException e) {
      return Measured.Run.failed(job.rep, job.stack + ": " + e.getCause());
    } catch (IOException | RuntimeException e) {
      return Measured.Run.failed(job.rep, job.stack + ": " + e);
    }
  }
}

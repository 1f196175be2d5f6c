package org.ilnp4j.demos.experiment.tcpgrid;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.ilnp4j.demos.experiment.RunContext;
import org.ilnp4j.demos.lab.Flow;
import org.ilnp4j.demos.lab.Lab;
import org.ilnp4j.demos.report.Figures;
import org.ilnp4j.ilnp.SessionMode;

/** Flows that begin together and share one path for a time. */
final class SharedBottleneck {
  static final PathConditions PATH = new PathConditions(100_000_000, 20, 0);
  static final int EQUAL_FLOWS = 8;
  private static final int SETTLE_PART = 6;
  private static final int FIRST_PORT = 5001;

  /** Test beds of the transfers have smaller numbers. */
  private static final int FIRST_TESTBED = 100_000;

  private final RunContext context;
  private final Lab lab;
  private final SessionMode mode;
  private final int seconds;
  private int testbeds = FIRST_TESTBED;

  /**
   * @param seconds that are measured, after a sixth of that in which flows find their shares
   */
  SharedBottleneck(RunContext context, Lab lab, SessionMode mode, int seconds) {
    this.context = context;
    this.lab = lab;
    this.mode = mode;
    this.seconds = seconds;
  }

  /** Jain's index of equal flows of one stack, each repetition. */
  Measured equalFlows(String congestion, Stack stack) throws IOException, InterruptedException {
    Measured out = new Measured();
    for (int rep = 0; rep < context.reps(); rep++) {
      List<Stack> flows = Collections.nCopies(EQUAL_FLOWS, stack);
      out.add(run(congestion, rep, flows, Figures::jainIndex));
      say(congestion + " Jain index of " + EQUAL_FLOWS + " flows of " + stack, out);
    }
    return out;
  }

  /** The part of the goodput that ilnp4j's flow gets beside one of the kernel. */
  Measured oneOfEach(String congestion) throws IOException, InterruptedException {
    Measured out = new Measured();
    for (int rep = 0; rep < context.reps(); rep++) {
      out.add(
          run(
              congestion,
              rep,
              List.of(Stack.OURS, Stack.KERNEL),
              shares -> shares[0] / (shares[0] + shares[1])));
      say(congestion + " share of ilnp4j beside the kernel", out);
    }
    return out;
  }

  private void say(String what, Measured m) throws IOException {
    List<Double> values = m.values();
    Lab.requireNotInterrupted();
    context.say(
        "%s: %s",
        what,
        values.isEmpty()
            ? "FAILED: " + m.failures()
            : String.format(Locale.ROOT, "%.3f", values.get(values.size() - 1)));
  }

  private interface Summary {
    double of(double... goodputs);
  }

  private Measured.Run run(String congestion, int rep, List<Stack> stacks, Summary summary)
      throws IOException, InterruptedException {
    List<Flow> flows = new ArrayList<>();
    try (Testbed testbed =
        new Testbed(lab, testbeds++, PATH, congestion, context.seed() * 1_000_003 + rep)) {
      try {
        for (Stack stack : stacks) {
          flows.add(
              stack == Stack.OURS
                  ? testbed.ilnpFlow(mode, FIRST_PORT + flows.size(), Flow.ENDLESS)
                  : testbed.kernelFlow(Flow.ENDLESS));
        }
        testbed.settle();
        for (Flow flow : flows) {
          flow.start();
        }
        TimeUnit.MILLISECONDS.sleep(TimeUnit.SECONDS.toMillis(seconds) / SETTLE_PART);
        double[] before = flows.stream().mapToDouble(Flow::receivedBytes).toArray();
        TimeUnit.SECONDS.sleep(seconds);
        double[] goodputs = flows.stream().mapToDouble(Flow::receivedBytes).toArray();
        for (int i = 0; i < goodputs.length; i++) {
          goodputs[i] -= before[i];
        }
        double value = summary.of(goodputs);
        if (!Double.isFinite(value)) {
          return Measured.Run.failed(rep, "nothing was carried");
        }
        return new Measured.Run(rep, value, 0, 0, null);
      } finally {
        flows.forEach(Flow::close);
      }
    } catch (IOException | RuntimeException e) {
      return Measured.Run.failed(rep, e.toString());
    }
  }
}

package org.ilnp4j.demos.experiment;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.ilnp4j.cli.ExitStatus;
import org.ilnp4j.cli.Table;
import org.ilnp4j.demos.lab.Lab;
import org.ilnp4j.demos.report.Report;
import org.ilnp4j.util.UserError;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code ilnp experiment}: published results, reproduced. */
@Command(
    name = "experiment",
    description = "Measures published results again, beside the published figures.",
    synopsisSubcommandLabel = "COMMAND",
    subcommands = {ExperimentCommand.ListCommand.class, ExperimentCommand.RunCommand.class})
public final class ExperimentCommand implements Runnable {
  /** What {@code --out} gets. */
  private static final List<ReportWriter> WRITERS =
      List.of(
          (report, dir) -> Files.writeString(dir.resolve(report.name() + ".csv"), report.toCsv()),
          (report, dir) ->
              Files.writeString(dir.resolve(report.name() + ".json"), report.toJson() + "\n"));

  private static final int MAX_REPS = 1000;

  @Spec private CommandSpec spec;

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "a command is missing: list or run NAME");
  }

  @Command(name = "list", description = "Names the experiments and what each reproduces.")
  static final class ListCommand implements Runnable {
    @Spec private CommandSpec spec;

    @Override
    public void run() {
      Table table = new Table(120, "NAME", "MODES", "REPRODUCES");
      for (Experiment e : Experiments.all()) {
        table.row(e.name(), modes(e), e.reproduces());
      }
      PrintWriter out = spec.commandLine().getOut();
      out.print(table);
      for (Experiment e : Experiments.all()) {
        for (Experiment.Setting s : e.settings()) {
          out.printf(
              "%n%s --set %s=...%n    %s; %s%n", e.name(), s.key(), s.meaning(), s.defaultText());
        }
      }
      out.flush();
    }

    private static String modes(Experiment e) {
      return e.modes().stream()
          .map(m -> m == Experiment.Mode.REAL ? "real" : "virtual")
          .collect(Collectors.joining(", "));
    }
  }

  @Command(
      name = "run",
      description = {
        "Runs an experiment; \"ilnp experiment list\" names them. Progress goes to standard error.",
        "The exit status is 0 when the run completed, whatever was measured."
      })
  static final class RunCommand implements Callable<Integer> {
    @Spec private CommandSpec spec;

    @Parameters(index = "0", paramLabel = "NAME", description = "The experiment.")
    private String name;

    @Option(names = "--quick", description = "Smaller sizes: within a minute or two.")
    private boolean quick;

    @Option(
        names = "--real",
        description = "In network namespaces (root) where virtual time is the default.")
    private boolean real;

    @Option(names = "--reps", paramLabel = "N", description = "Repetitions of each cell.")
    private Integer reps;

    @Option(
        names = "--seed",
        paramLabel = "N",
        description = "Everything random is drawn from it; ${DEFAULT-VALUE} by default.",
        defaultValue = "1")
    private long seed;

    @Option(
        names = "--set",
        paramLabel = "KEY=VALUE",
        description = "A choice of this experiment; \"ilnp experiment list\" names them.")
    private Map<String, String> settings = new LinkedHashMap<>();

    @Option(
        names = "--out",
        paramLabel = "DIR",
        description = "Write NAME.csv and NAME.json there; it is made when missing.")
    private Path out;

    @Option(names = "--json", description = "Print one JSON object instead of text.")
    private boolean json;

    @Option(names = "--strict", description = "Exit with 1 when a claim does not hold.")
    private boolean strict;

    @Override
    public Integer call() throws Exception {
      Experiment experiment = experiment();
      Experiment.Mode mode = mode(experiment);
      checkSettings(experiment);
      if (reps != null && (reps < 1 || reps > MAX_REPS)) {
        throw usage("--reps must be 1 to " + MAX_REPS);
      }
      if (out != null) {
        // Before the run, which may take hours.
        makeDirectory();
      }
      Report report = run(experiment, mode);
      if (out != null) {
        for (ReportWriter writer : WRITERS) {
          writer.write(report, out);
        }
      }
      PrintWriter to = spec.commandLine().getOut();
      to.print(json ? report.toJson() + "\n" : report.toText());
      to.flush();
      return strict && !report.holds() ? ExitStatus.FAILED : ExitStatus.OK;
    }

    private Report run(Experiment experiment, Experiment.Mode mode)
        throws IOException, InterruptedException, UserError {
      Instant started = Instant.now();
      long startNanos = System.nanoTime();
      RunContext context =
          new RunContext(
              mode,
              quick,
              reps == null ? experiment.defaultReps(quick) : reps,
              seed,
              settings,
              new PrintWriter(System.err, true, StandardCharsets.UTF_8),
              startNanos);
      try {
        Experiment.Outcome outcome = experiment.run(context);
        return new Report(
            experiment.name(),
            command(context),
            seed,
            started,
            (System.nanoTime() - startNanos) / 1e9,
            experiment.columns(),
            outcome.rows(),
            outcome.claims());
      } catch (IOException e) {
        throw new UserError(
            UserError.Kind.FAILED,
            List.of(Lab.isInterrupted() ? "interrupted" : e.getMessage()),
            e);
      }
    }

    private Experiment experiment() throws UserError {
      return Experiments.byName(name)
          .orElseThrow(
              () ->
                  usage(
                      "no experiment is called \""
                          + name
                          + "\"; there are: "
                          + Experiments.all().stream()
                              .map(Experiment::name)
                              .collect(Collectors.joining(", "))));
    }

    private Experiment.Mode mode(Experiment experiment) throws UserError {
      Experiment.Mode mode = real ? Experiment.Mode.REAL : experiment.modes().get(0);
      if (!experiment.modes().contains(mode)) {
        throw usage("--real: " + name + " runs in virtual time only");
      }
      if (mode == Experiment.Mode.REAL) {
        if (!Lab.isRoot()) {
          throw new UserError(
              UserError.Kind.MISSING, name + " makes network namespaces; run it as root");
        }
        if (!Files.exists(Path.of("/dev/net/tun"))) {
          throw new UserError(
              UserError.Kind.MISSING,
              "no /dev/net/tun; load the kernel's module with: modprobe tun");
        }
      }
      return mode;
    }

    private void checkSettings(Experiment experiment) throws UserError {
      List<String> known = experiment.settings().stream().map(Experiment.Setting::key).toList();
      for (String key : settings.keySet()) {
        if (!known.contains(key)) {
          throw usage(
              "--set "
                  + key
                  + ": "
                  + name
                  + (known.isEmpty()
                      ? " has no settings"
                      : " has no such setting; it has: " + String.join(", ", known)));
        }
      }
    }

    private void makeDirectory() throws UserError {
      try {
        Files.createDirectories(out);
      } catch (IOException e) {
        throw usage("--out " + out + ": cannot make this directory: " + e);
      }
      if (!Files.isWritable(out)) {
        throw usage("--out " + out + ": is not writable");
      }
    }

    /** What to type to measure the same again. */
    private String command(RunContext context) {
      List<String> words = new ArrayList<>(List.of("ilnp", "experiment", "run", name));
      if (quick) {
        words.add("--quick");
      }
      if (real) {
        words.add("--real");
      }
      words.addAll(List.of("--reps", "" + context.reps(), "--seed", "" + seed));
      settings.forEach((k, v) -> words.addAll(List.of("--set", k + "=" + v)));
      return String.join(" ", words);
    }

    private static UserError usage(String line) {
      return new UserError(UserError.Kind.USAGE, line);
    }
  }
}

package org.ilnp4j.demos;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.ilnp4j.daemon.control.Views;
import org.ilnp4j.demos.lab.Lab;
import org.ilnp4j.demos.lab.MobileLab;
import org.ilnp4j.util.UserError;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code ilnp demo}: the main job, shown. */
@Command(
    name = "demo",
    description = {
      "Shows a live download moving between two links.",
      "As root: two daemons in network namespaces, with real routers, radvd and curl.",
      "Otherwise, or with --embedded: the same stack over a simulated network in one process."
    })
public final class DemoCommand implements Callable<Integer> {
  private static final long MEGABYTE = 1_000_000;

  @Option(names = "--embedded", description = "Use the simulated network even as root.")
  private boolean embedded;

  @Option(names = "--json", description = "Print the result as one JSON object.")
  private boolean json;

  @Option(
      names = "--megabytes",
      paramLabel = "N",
      description = "Size of the download; ${DEFAULT-VALUE} by default.",
      defaultValue = "200")
  private long megabytes;

  @Option(
      names = "--rate",
      paramLabel = "MBIT",
      description = "Rate of each access link, Mbit/s; by default 200, and 100 when simulated.")
  private Integer mbitPerSecond;

  @Option(
      names = "--keep",
      paramLabel = "DIR",
      description = "Keep logs, configuration and packet captures there (network namespaces only).")
  private Path keep;

  @Option(
      names = "--seed",
      paramLabel = "N",
      description = "Seed of the simulated network; 1 by default.")
  private Long seed;

  @Option(names = "--strict", description = "Exit with 1 when a promised figure is missed.")
  private boolean strict;

  @Override
  public Integer call() throws Exception {
    if (megabytes < 30 || megabytes > 100_000) {
      throw new UserError(UserError.Kind.USAGE, "--megabytes must be 30 to 100000");
    }
    if (mbitPerSecond != null && (mbitPerSecond < 1 || mbitPerSecond > 10_000)) {
      throw new UserError(UserError.Kind.USAGE, "--rate must be 1 to 10000 Mbit/s");
    }
    PrintStream log = json ? System.err : System.out;
    boolean live = System.console() != null && !json;
    try (DemoNetwork network = open()) {
      DemoReport report = new DemoRun(network, megabytes * MEGABYTE, log, live).run();
      if (json) {
        System.out.println(Views.write(report.toMap()));
      } else {
        System.out.print(report.toText());
      }
      boolean missed = report.claims().stream().anyMatch(c -> !c.holds());
      return !report.sha256Ok() || (strict && missed) ? 1 : 0;
    } catch (IOException e) {
      throw failed(e);
    }
  }

  /** Ctrl-C reaches curl and the daemons as well; what they say of it is no news. */
  private static UserError failed(IOException e) {
    return new UserError(
        UserError.Kind.FAILED, Lab.isInterrupted() ? "interrupted" : e.getMessage());
  }

  private DemoNetwork open() throws UserError {
    boolean simulated = embedded || !Lab.isRoot();
    if (simulated && keep != null) {
      throw new UserError(
          UserError.Kind.USAGE, "--keep: the simulated network has no files; run it as root");
    }
    if (!simulated && seed != null) {
      throw new UserError(
          UserError.Kind.USAGE, "--seed: only the simulated network has one; add --embedded");
    }
    if (!simulated && !Files.exists(Path.of("/dev/net/tun"))) {
      throw new UserError(
          UserError.Kind.MISSING,
          "no /dev/net/tun; load the kernel's module with: modprobe tun; or add --embedded");
    }
    try {
      if (simulated) {
        return new EmbeddedDemoNetwork(
            seed == null ? 1 : seed, mbitPerSecond == null ? 100 : mbitPerSecond);
      }
      Lab lab = new Lab();
      if (keep != null) {
        lab.keepFilesIn(keep.toAbsolutePath());
      }
      return new NetnsNetwork(
          new MobileLab(lab, mbitPerSecond == null ? 200 : mbitPerSecond), "512 KiB");
    } catch (IOException e) {
      throw failed(e);
    }
  }
}

package org.ilnp4j.demos.experiment;

import java.util.List;
import java.util.Optional;
import org.ilnp4j.demos.experiment.tcpgrid.TcpGrid;

/** All experiments, in the order in which they are listed. */
public final class Experiments {
  private static final List<Experiment> ALL = List.of(new TcpGrid());

  private Experiments() {}

  public static List<Experiment> all() {
    return ALL;
  }

  public static Optional<Experiment> byName(String name) {
    return ALL.stream().filter(e -> e.name().equals(name)).findFirst();
  }
}

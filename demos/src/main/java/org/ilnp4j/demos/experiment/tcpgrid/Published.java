package org.ilnp4j.demos.experiment.tcpgrid;

import java.util.List;
import java.util.Optional;

/**
 * The published comparison of a userspace TCP over UDP with the kernel's TCP, both Reno, kB/s.
 *
 * @param ours of the userspace TCP
 * @param kernel of the kernel beside it
 */
record Published(double lossPercent, int addedRttMillis, double ours, double kernel) {
  private static final List<Published> TABLE =
      List.of(
          new Published(0, 0, 6261.39, 11895.53),
          new Published(0, 100, 5906.35, 10386.96),
          new Published(0, 300, 4894.40, 6058.87),
          new Published(0.01, 0, 6205.39, 11216.41),
          new Published(0.01, 100, 2707.78, 4239.86),
          new Published(0.01, 300, 1451.85, 1640.38),
          new Published(1, 0, 2421.65, 3533.34),
          new Published(1, 100, 104.09, 128.46),
          new Published(1, 300, 43.18, 45.54));

  static Optional<Published> of(double lossPercent, int addedRttMillis) {
    return TABLE.stream()
        .filter(p -> p.lossPercent == lossPercent && p.addedRttMillis == addedRttMillis)
        .findFirst();
  }

  double ratio() {
    return ours / kernel;
  }
}

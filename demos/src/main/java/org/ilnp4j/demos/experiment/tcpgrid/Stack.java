package org.ilnp4j.demos.experiment.tcpgrid;

/** Whose TCP is measured. */
enum Stack {
  OURS("ilnp4j"),
  KERNEL("kernel");

  private final String label;

  Stack(String label) {
    this.label = label;
  }

  @Override
  public String toString() {
    return label;
  }
}

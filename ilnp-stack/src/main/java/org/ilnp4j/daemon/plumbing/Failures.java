package org.ilnp4j.daemon.plumbing;

import java.io.IOException;

/** Does everything there is to undo, whatever fails on the way, and tells at the end. */
final class Failures {
  private IOException first;

  /** A step that may fail. */
  @FunctionalInterface
  interface Step {
    void run() throws IOException;
  }

  void attempt(Step step) {
    try {
      step.run();
    } catch (IOException e) {
      if (first == null) {
        first = e;
      } else {
        first.addSuppressed(e);
      }
    }
  }

  /** Throws the first failure, the others suppressed in it. */
  void rethrow() throws IOException {
    if (first != null) {
      throw first;
    }
  }
}

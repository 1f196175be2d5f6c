package org.ilnp4j.daemon.control;

/** What a control endpoint can be asked to do. */
@FunctionalInterface
public interface ControlCommands {
  /**
   * Runs one command. Called on the loop thread of the endpoint.
   *
   * @throws IllegalArgumentException with one line, when there is no such command or an argument is
   *     wrong
   */
  void run(ControlRequest request, Reply<Record> reply);
}

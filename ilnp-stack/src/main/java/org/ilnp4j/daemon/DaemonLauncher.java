package org.ilnp4j.daemon;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.ilnp4j.daemon.config.DaemonConfig;
import org.ilnp4j.util.UserError;

/** What the command line starts. */
public interface DaemonLauncher {
  /**
   * Runs a node until it is stopped by a signal or by the control endpoint; returns when the kernel
   * is set back.
   *
   * @throws UserError when the user can mend what stopped it
   */
  void run(DaemonConfig config) throws UserError, IOException, InterruptedException;

  /**
   * Undoes kernel settings of daemons that run no more.
   *
   * @param stateDir where they kept the list
   * @return one line for each setting undone
   */
  List<String> cleanup(Path stateDir) throws UserError, IOException;
}

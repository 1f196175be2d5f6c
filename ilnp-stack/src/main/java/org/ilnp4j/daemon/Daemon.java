package org.ilnp4j.daemon;

import java.nio.file.Path;
import java.util.List;
import org.ilnp4j.daemon.config.DaemonConfig;
import org.ilnp4j.util.UserError;

/** The node as a process. */
public final class Daemon implements DaemonLauncher {
  @Override
  public void run(DaemonConfig config) throws UserError {
    throw new UserError(UserError.Kind.FAILED, "this build has no packet engine");
  }

  @Override
  public List<String> cleanup(Path stateDir) throws UserError {
    throw new UserError(UserError.Kind.FAILED, "this build has no packet engine");
  }
}

package org.ilnp4j.daemon;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.ilnp4j.daemon.config.DaemonConfig;
import org.ilnp4j.util.UserError;

/** The node as a process. */
public final class Daemon implements DaemonLauncher {
  private final Runnable warmUp;

  /**
   * @param warmUp run before the node starts, so that its code is ready when it is needed
   */
  public Daemon(Runnable warmUp) {
    this.warmUp = warmUp;
  }

  @Override
  public void run(DaemonConfig config) throws UserError, IOException, InterruptedException {
    warmUp.run();
    try (Node node = Node.start(config)) {
      Thread undo = new Thread(node::close, "undo");
      Runtime.getRuntime().addShutdownHook(undo);
      node.awaitStop();
    }
  }

  @Override
  public List<String> cleanup(Path stateDir) throws UserError, IOException {
    return Cleanup.in(stateDir).run();
  }
}

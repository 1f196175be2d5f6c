package org.ilnp4j.daemon;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.ilnp4j.daemon.config.EmulatorSetup;
import org.ilnp4j.daemon.control.ControlClient;
import org.ilnp4j.daemon.control.ControlServer;
import org.ilnp4j.daemon.plumbing.KernelPlumbing;
import org.ilnp4j.tun.Capabilities;
import org.ilnp4j.util.UserError;

/** Removes what daemons that died have left: kernel settings, then control sockets. Blocks. */
final class Cleanup {
  private final Path stateDir;
  private final boolean privileged;

  /**
   * @param privileged may change routes, and whatever stands in the directory
   */
  Cleanup(Path stateDir, boolean privileged) {
    this.stateDir = stateDir;
    this.privileged = privileged;
  }

  static Cleanup in(Path stateDir) throws IOException {
    return new Cleanup(stateDir, Capabilities.current().netAdmin());
  }

  /**
   * @return one line for each thing undone
   * @throws UserError when there is something to undo, or the directory cannot be looked at, and
   *     this user may not do it
   */
  List<String> run() throws UserError, IOException {
    if (Files.notExists(stateDir)) {
      return List.of();
    }
    if (!privileged) {
      if (!Files.isReadable(stateDir) || !Files.isExecutable(stateDir)) {
        throw forbidden("look into");
      }
      if (!files(stateDir, "*.state").isEmpty() || !staleSockets().isEmpty()) {
        throw forbidden("clean up");
      }
      return List.of();
    }
    List<String> undone = new ArrayList<>(KernelPlumbing.cleanup(stateDir));
    for (Path socket : staleSockets()) {
      if (Files.deleteIfExists(socket)) {
        undone.add("socket " + socket);
      }
    }
    return undone;
  }

  private UserError forbidden(String what) {
    return new UserError(
        UserError.Kind.MISSING, "no permission to " + what + " " + stateDir + "; run it as root");
  }

  /** Sockets where nobody answers, of daemons of which no record is left. */
  private List<Path> staleSockets() throws IOException {
    List<Path> stale = new ArrayList<>();
    List<Path> sockets = files(stateDir, "*.sock");
    sockets.addAll(files(stateDir.resolve(EmulatorSetup.RUN_DIR.getFileName()), "*.sock"));
    for (Path socket : sockets) {
      String name = socket.getFileName().toString().replaceFirst("\\.sock$", ".state");
      if (Files.notExists(socket.resolveSibling(name))
          && ControlServer.isSocket(socket)
          && ControlClient.isRefused(socket)) {
        stale.add(socket);
      }
    }
    return stale;
  }

  private static List<Path> files(Path dir, String glob) throws IOException {
    List<Path> found = new ArrayList<>();
    if (Files.isDirectory(dir)) {
      try (DirectoryStream<Path> files = Files.newDirectoryStream(dir, glob)) {
        files.forEach(found::add);
      }
    }
    return found;
  }
}

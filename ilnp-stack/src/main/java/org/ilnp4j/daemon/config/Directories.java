package org.ilnp4j.daemon.config;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Makes directories that the configuration names. Blocks. */
public final class Directories {
  private Directories() {}

  /**
   * Makes {@code directory} and those above it, where there are none yet.
   *
   * @param key of the configuration, for the message
   * @throws IOException with one clear line
   */
  public static void create(String key, Path directory) throws IOException {
    try {
      Files.createDirectories(directory);
    } catch (IOException e) {
      throw new IOException(
          key + ": cannot make the directory " + directory + reason(e) + "; choose another", e);
    }
  }

  /** The exceptions of java.nio.file say what happened by their type, and name the file alone. */
  private static String reason(IOException e) {
    if (e instanceof FileAlreadyExistsException f) {
      return ", since " + f.getFile() + " is a file";
    }
    if (e instanceof AccessDeniedException) {
      return " without permission";
    }
    String reason = e instanceof FileSystemException f ? f.getReason() : e.getMessage();
    return reason == null ? ", since that place takes none" : ": " + reason;
  }
}

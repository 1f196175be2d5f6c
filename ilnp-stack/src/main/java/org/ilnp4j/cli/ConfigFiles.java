package org.ilnp4j.cli;

import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.AccessDeniedException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import org.ilnp4j.daemon.config.ConfigException;
import org.ilnp4j.util.UserError;

/** Reads configuration files for commands. */
final class ConfigFiles {
  /** A reader of one kind of file. */
  @FunctionalInterface
  interface Reader<T> {
    T read(Path file) throws ConfigException, IOException;
  }

  private ConfigFiles() {}

  /** What the reader makes of the file; whatever is wrong with it is the user's to mend. */
  static <T> T read(Path file, Reader<T> reader) throws UserError {
    try {
      return reader.read(file);
    } catch (ConfigException e) {
      throw new UserError(UserError.Kind.USAGE, e.problems(), e);
    } catch (NoSuchFileException e) {
      throw unreadable(file, "there is no such file; samples are in config/", e);
    } catch (AccessDeniedException e) {
      throw unreadable(file, "no permission to read it", e);
    } catch (CharacterCodingException e) {
      throw unreadable(file, "it is not UTF-8 text", e);
    } catch (IOException e) {
      throw unreadable(file, e.getMessage(), e);
    }
  }

  private static UserError unreadable(Path file, String why, IOException cause) {
    return new UserError(UserError.Kind.USAGE, List.of(file + ": " + why), cause);
  }
}

package org.ilnp4j.cli;

import org.ilnp4j.util.UserError;

/** What {@code ilnp} exits with. */
public final class ExitStatus {
  public static final int OK = 0;

  /** It did not work: no daemon, unknown name, port taken, refused. */
  public static final int FAILED = 1;

  /** The command line or the configuration is wrong. */
  public static final int USAGE = 2;

  /** A privilege, a device or a tool is missing. */
  public static final int MISSING = 3;

  private ExitStatus() {}

  static int of(UserError.Kind kind) {
    return switch (kind) {
      case FAILED -> FAILED;
      case USAGE -> USAGE;
      case MISSING -> MISSING;
    };
  }
}

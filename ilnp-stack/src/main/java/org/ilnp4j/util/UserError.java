package org.ilnp4j.util;

import java.util.List;

/** What the user can mend: its lines are shown as they are, without a stack trace. */
public final class UserError extends Exception {
  private static final long serialVersionUID = 1L;

  /** Decides the exit status. */
  public enum Kind {
    /** It did not work: a port is taken, a name is unknown, the daemon refused. */
    FAILED,
    /** The command line or the configuration is wrong. */
    USAGE,
    /** A privilege, a device or a tool is missing. */
    MISSING
  }

  private final Kind kind;
  private final transient List<String> lines;

  public UserError(Kind kind, String line) {
    this(kind, List.of(line), null);
  }

  public UserError(Kind kind, List<String> lines, Throwable cause) {
    super(String.join("; ", lines), cause);
    this.kind = kind;
    this.lines = List.copyOf(lines);
  }

  public Kind kind() {
    return kind;
  }

  /** Each says what is wrong, where, and how to mend it. */
  public List<String> lines() {
    return lines;
  }
}

package org.ilnp4j.proxy;

import java.io.IOException;

/** Why no session could be opened; the message is one line for people. */
public final class DialException extends IOException {
  private static final long serialVersionUID = 1;

  /** What a client can be told. */
  public enum Reason {
    UNKNOWN_NAME,
    /** The name stands for something that is reached in another way, such as an IPv4 address. */
    NOT_ILNP,
    LOOKUP_TIMED_OUT,
    NO_ANSWER,
    UNREACHABLE,
    NO_LOCATOR,
    REFUSED,
    TOO_MANY,
    FAILED
  }

  private final Reason reason;

  DialException(Reason reason, String message, Throwable cause) {
    super(message, cause);
    this.reason = reason;
  }

  public Reason reason() {
    return reason;
  }
}

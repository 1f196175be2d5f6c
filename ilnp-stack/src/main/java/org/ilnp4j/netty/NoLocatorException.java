package org.ilnp4j.netty;

import java.net.SocketException;

/** The host is attached to no network now, so nothing can be sent. */
public final class NoLocatorException extends SocketException {
  private static final long serialVersionUID = 1;

  public NoLocatorException(String message) {
    super(message);
  }
}

package org.ilnp4j.netty;

import io.netty.channel.EventLoop;
import java.io.IOException;
import java.net.BindException;
import java.util.List;
import org.ilnp4j.tcp.TcpAcceptor;
import org.ilnp4j.tcp.TcpConfig;
import org.ilnp4j.tcp.TcpConnection;
import org.ilnp4j.tcp.TcpHandler;

/**
 * What channels need of the host they belong to. Loop thread only, but for {@link #eventLoop}; from
 * elsewhere go through {@code eventLoop().execute}.
 */
public interface HostRunner {
  /** The one loop on which the host and all its channels run. */
  EventLoop eventLoop();

  /** The host's time: the same value throughout a turn, never going back. */
  long now();

  /**
   * Asks for a turn before the loop waits again, so that what was asked of connections takes
   * effect. Cheap; many calls lead to one turn.
   */
  void wake();

  /** Idle time after which channels with {@code SO_KEEPALIVE} probe; 0 for never. */
  default long keepAliveNanos() {
    return TcpConfig.DEFAULT.keepAliveNanos();
  }

  /**
   * Opens a connection.
   *
   * @param remoteL64s Locators of the other node, best first
   * @throws NoLocatorException when this host has no Locator now
   * @throws IOException when the connection cannot be opened for another reason
   */
  TcpConnection connect(long remoteNid, List<Long> remoteL64s, int port, TcpHandler handler)
      throws IOException;

  /**
   * Listens at a port.
   *
   * @throws BindException when the port is in use
   */
  Listening listen(int port, TcpAcceptor acceptor) throws IOException;

  /** A port listened at. */
  @FunctionalInterface
  interface Listening {
    /** Stops listening; connections that were accepted live on. Idempotent. */
    void close();
  }
}

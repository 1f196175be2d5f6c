package org.ilnp4j.netty;

import io.netty.channel.EventLoop;
import java.io.IOException;
import java.net.BindException;
import java.util.List;
import org.ilnp4j.host.Host;
import org.ilnp4j.tcp.TcpAcceptor;
import org.ilnp4j.tcp.TcpConnection;
import org.ilnp4j.tcp.TcpHandler;
import org.ilnp4j.tcp.TcpListener;

/** A {@link HostRunner} over a real {@link Host}; what is left to say is how its time goes on. */
public abstract class HostDriver implements HostRunner {
  private final EventLoop loop;
  private final Host host;

  protected HostDriver(EventLoop loop, Host host) {
    this.loop = loop;
    this.host = host;
  }

  @Override
  public final EventLoop eventLoop() {
    return loop;
  }

  public final Host host() {
    return host;
  }

  @Override
  public final long keepAliveNanos() {
    return host.config().tcp().keepAliveNanos();
  }

  @Override
  public final TcpConnection connect(
      long remoteNid, List<Long> remoteL64s, int port, TcpHandler handler) throws IOException {
    if (host.ilcc().local().source() == null) {
      throw new NoLocatorException(
          "this node has no Locator: no uplink is up with a router that advertises a prefix");
    }
    try {
      TcpConnection c = host.connect(now(), remoteNid, remoteL64s, port, handler);
      wake();
      return c;
    } catch (IllegalStateException e) {
      throw new IOException(e.getMessage(), e);
    }
  }

  @Override
  public final Listening listen(int port, TcpAcceptor acceptor) throws IOException {
    try {
      TcpListener listener = host.listen(port, acceptor);
      return listener::close;
    } catch (IllegalStateException e) {
      throw (IOException) new BindException(e.getMessage()).initCause(e);
    }
  }
}

package org.ilnp4j.sim;

import io.netty.channel.EventLoop;
import java.io.IOException;
import java.net.BindException;
import java.util.List;
import org.ilnp4j.netty.HostRunner;
import org.ilnp4j.netty.NoLocatorException;
import org.ilnp4j.tcp.TcpAcceptor;
import org.ilnp4j.tcp.TcpConnection;
import org.ilnp4j.tcp.TcpHandler;
import org.ilnp4j.tcp.TcpListener;

/** Lets Netty channels, and so the proxies, use a host of a simulated network in real time. */
public final class SimRunner implements HostRunner {
  private final EventLoop loop;
  private final RealTimeDriver driver;
  private final SimHost host;

  /**
   * @param loop the one the driver runs on
   */
  public SimRunner(EventLoop loop, RealTimeDriver driver, SimHost host) {
    this.loop = loop;
    this.driver = driver;
    this.host = host;
  }

  @Override
  public EventLoop eventLoop() {
    return loop;
  }

  @Override
  public long now() {
    return driver.nowNanos();
  }

  @Override
  public void wake() {
    driver.wake();
  }

  @Override
  public TcpConnection connect(long remoteNid, List<Long> remoteL64s, int port, TcpHandler handler)
      throws IOException {
    if (!host.isAttached()) {
      throw new NoLocatorException(
          "this node has no Locator: no uplink is up with a router that advertises a prefix");
    }
    try {
      TcpConnection c = host.host().connect(now(), remoteNid, remoteL64s, port, handler);
      wake();
      return c;
    } catch (IllegalStateException e) {
      throw new IOException(e.getMessage(), e);
    }
  }

  @Override
  public Listening listen(int port, TcpAcceptor acceptor) throws IOException {
    try {
      TcpListener listener = host.host().listen(port, acceptor);
      return listener::close;
    } catch (IllegalStateException e) {
      throw (IOException) new BindException(e.getMessage()).initCause(e);
    }
  }
}

package org.ilnp4j.demos.lab;

import io.netty.channel.EventLoop;
import java.io.IOException;
import java.util.List;
import org.ilnp4j.host.Host;
import org.ilnp4j.ilnp.Correspondent;
import org.ilnp4j.netty.HostLoop;
import org.ilnp4j.netty.HostRunner;
import org.ilnp4j.tcp.TcpAcceptor;
import org.ilnp4j.tcp.TcpConnection;
import org.ilnp4j.tcp.TcpHandler;

/**
 * Connects in classic IPv6 mode without trying ILNP first. Both ends then send the very octets that
 * kernels send: no nonce makes the segments smaller.
 */
record ClassicRunner(HostLoop runner) implements HostRunner {
  @Override
  public EventLoop eventLoop() {
    return runner.eventLoop();
  }

  @Override
  public long now() {
    return runner.now();
  }

  @Override
  public void wake() {
    runner.wake();
  }

  @Override
  public TcpConnection connect(long remoteNid, List<Long> remoteL64s, int port, TcpHandler handler)
      throws IOException {
    Host host = runner.host();
    long now = runner.now();
    Correspondent classic =
        host.ilcc()
            .openClassic(now, host.ilcc().local().source().l64, remoteNid, remoteL64s.get(0));
    if (classic == null) {
      throw new IOException("the table of correspondents is full");
    }
    TcpConnection connection = host.tcp().connect(now, classic, port, handler);
    wake();
    return connection;
  }

  @Override
  public Listening listen(int port, TcpAcceptor acceptor) throws IOException {
    return runner.listen(port, acceptor);
  }
}

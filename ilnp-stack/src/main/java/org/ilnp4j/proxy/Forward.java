package org.ilnp4j.proxy;

import io.netty.channel.socket.SocketChannel;
import io.netty.util.concurrent.Future;
import java.net.InetSocketAddress;
import org.ilnp4j.netty.IlnpSocketChannel;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A local port that stands for a port of a remote node. A program that connects is reset when the
 * remote node cannot be reached: its kernel has said "connected" already.
 */
public final class Forward extends LocalListener {
  private static final Logger log = LoggerFactory.getLogger(Forward.class);

  private final Dialer dialer;
  private final String host;
  private final int port;

  /**
   * @param address where local programs connect; port 0 lets the kernel choose
   * @param host name of the remote node
   * @param port of the remote node
   */
  public Forward(
      LocalTransport transport, Dialer dialer, InetSocketAddress address, String host, int port) {
    super(transport, address);
    this.dialer = dialer;
    this.host = host;
    this.port = port;
  }

  @Override
  void onClient(SocketChannel client) {
    InetSocketAddress peer = client.remoteAddress();
    Future<IlnpSocketChannel> dial = dialer.dial(peer.getAddress(), host, port);
    WaitingClient waiting = new WaitingClient(dial, false);
    client.pipeline().addLast(waiting);
    dial.addListener(
        (Future<IlnpSocketChannel> f) -> {
          if (f.isSuccess()) {
            waiting.handOver(client, f.getNow());
          } else if (!f.isCancelled()) {
            log.info("forward: {} -> {}:{}: {}", text(peer), host, port, f.cause().getMessage());
            Relay.reset(client);
          }
        });
  }
}

package org.ilnp4j.proxy;

import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.ChannelGroupFuture;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.channel.socket.SocketChannel;
import io.netty.util.NetUtil;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.Promise;
import java.net.BindException;
import java.net.InetSocketAddress;

/**
 * Accepts local programs at one address. Binds to loopback only unless {@link #allowRemoteClients}
 * was called, as whoever reaches it acts in the name of this node.
 */
public abstract class LocalListener {
  final LocalTransport transport;
  private final InetSocketAddress address;
  private final ChannelGroup clients;
  private boolean remoteClients;
  private Channel listener;

  LocalListener(LocalTransport transport, InetSocketAddress address) {
    this.transport = transport;
    this.address = address;
    // Clients that are accepted while the group closes are closed as well.
    clients = new DefaultChannelGroup(transport.eventLoop(), true);
  }

  /** Lets it be bound to an address other machines can reach. */
  public final void allowRemoteClients() {
    remoteClients = true;
  }

  /**
   * Starts listening. Any thread.
   *
   * @return the address bound; fails with an exception whose message is one clear line
   */
  public final Future<InetSocketAddress> start() {
    Promise<InetSocketAddress> started = transport.eventLoop().newPromise();
    if (address.isUnresolved()) {
      return started.setFailure(
          new BindException("cannot listen at " + text(address) + ": unknown local address"));
    }
    if (!remoteClients && !address.getAddress().isLoopbackAddress()) {
      return started.setFailure(
          new BindException(
              "cannot listen at "
                  + text(address)
                  + ": not a loopback address; others could use this proxy"));
    }
    ChannelFuture bound =
        transport
            .server()
            .childHandler(
                new ChannelInitializer<SocketChannel>() {
                  @Override
                  protected void initChannel(SocketChannel client) {
                    clients.add(client);
                    onClient(client);
                  }
                })
            .bind(address);
    listener = bound.channel();
    bound.addListener(
        f -> {
          if (f.isSuccess()) {
            started.setSuccess((InetSocketAddress) bound.channel().localAddress());
          } else {
            BindException e =
                new BindException("cannot listen at " + text(address) + ": " + why(f.cause()));
            e.initCause(f.cause());
            started.setFailure(e);
          }
        });
    return started;
  }

  private static String why(Throwable cause) {
    String message = String.valueOf(cause.getMessage());
    return message.contains("in use")
        ? "the port is in use; stop what uses it or configure another"
        : message;
  }

  /** Local programs served now, those still being connected included. */
  public final int clients() {
    return clients.size();
  }

  /** Stops listening and closes what is left of its clients. Any thread; idempotent. */
  public final ChannelGroupFuture close() {
    if (listener != null) {
      clients.add(listener);
    }
    return clients.close();
  }

  /** A client came: its channel is being set up and reads nothing by itself. */
  abstract void onClient(SocketChannel client);

  /** Address and port as users write them. */
  static String text(InetSocketAddress a) {
    return NetUtil.toSocketAddressString(a);
  }
}

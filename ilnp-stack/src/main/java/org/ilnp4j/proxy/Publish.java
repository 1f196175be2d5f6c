package org.ilnp4j.proxy;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.ConnectTimeoutException;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.ChannelGroupFuture;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.channel.socket.DuplexChannel;
import io.netty.util.concurrent.Future;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import org.ilnp4j.netty.HostRunner;
import org.ilnp4j.netty.IlnpServerSocketChannel;
import org.ilnp4j.netty.IlnpSocketAddress;
import org.ilnp4j.netty.IlnpSocketChannel;
import org.ilnp4j.util.TokenBucket;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes a local service reachable over ILNP. A caller's SYN is answered only after the service has
 * taken a connection; when it is down, the caller sees "connection refused".
 */
public final class Publish {
  private static final Logger log = LoggerFactory.getLogger(Publish.class);

  private final HostRunner runner;
  private final LocalTransport transport;
  private final int port;
  private final InetSocketAddress service;
  private final ProxyLimits limits;
  private final RelayOptions options;
  private final DialGate gate;

  /** Callers elsewhere must not be able to fill the log. */
  private final TokenBucket complaints = new TokenBucket(1, 10);

  private final ChannelGroup callers;
  private Channel listener;

  /**
   * @param port ILNP port that callers connect to
   * @param service where the local service listens
   */
  public Publish(
      HostRunner runner,
      LocalTransport transport,
      int port,
      InetSocketAddress service,
      ProxyLimits limits,
      RelayOptions options) {
    this.runner = runner;
    this.transport = transport;
    this.port = port;
    this.service = service;
    this.limits = limits;
    this.options = options;
    gate = new DialGate(limits);
    callers = new DefaultChannelGroup(runner.eventLoop(), true);
  }

  /** Starts listening; fails with an exception whose message is one clear line. Any thread. */
  public ChannelFuture start() {
    ChannelFuture bound =
        options
            .applyToChildren(new ServerBootstrap())
            .group(runner.eventLoop())
            .channelFactory(() -> new IlnpServerSocketChannel(runner))
            .option(IlnpServerSocketChannel.DEFER_ACCEPT, true)
            .childHandler(
                new ChannelInitializer<IlnpSocketChannel>() {
                  @Override
                  protected void initChannel(IlnpSocketChannel caller) {
                    callers.add(caller);
                    onCaller(caller);
                  }
                })
            .bind(IlnpSocketAddress.ofPort(port));
    listener = bound.channel();
    return bound;
  }

  /** Callers served now, those still being connected included. */
  public int callers() {
    return callers.size();
  }

  /** Stops listening and closes what is left of its callers. Any thread; idempotent. */
  public ChannelGroupFuture close() {
    if (listener != null) {
      callers.add(listener);
    }
    return callers.close();
  }

  private void onCaller(IlnpSocketChannel caller) {
    DialGate.Permit permit = gate.enter(caller.remoteAddress().nid());
    if (permit == null) {
      if (complaints.tryTake(runner.now())) {
        log.warn("publish: port {}: too many callers at once", port);
      }
      caller.close();
      return;
    }
    EarlyData early = new EarlyData();
    ChannelFuture dial =
        transport
            .client()
            .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, limits.dialTimeoutMillis())
            .handler(early)
            .connect(service);
    caller.closeFuture().addListener(f -> dial.cancel(false));
    dial.addListener(
        f -> {
          permit.release();
          if (f.isSuccess()) {
            acceptCaller(caller, (DuplexChannel) dial.channel(), early);
          } else {
            refuseCaller(caller, f);
          }
        });
  }

  private void acceptCaller(IlnpSocketChannel caller, DuplexChannel local, EarlyData early) {
    caller
        .accept()
        .addListener(
            f -> {
              if (f.isSuccess()) {
                early.sendTo(caller);
                local.pipeline().remove(early);
                Relay.couple(caller, local);
              } else {
                Relay.reset(local);
              }
            });
  }

  private void refuseCaller(IlnpSocketChannel caller, Future<? super Void> dial) {
    if (!dial.isCancelled() && complaints.tryTake(runner.now())) {
      log.warn(
          "publish: port {}: no connection to {} ({}); the caller {} is refused",
          port,
          LocalListener.text(service),
          why(dial.cause()),
          caller.remoteAddress());
    }
    caller.close();
  }

  private static String why(Throwable cause) {
    if (cause instanceof ConnectTimeoutException) {
      return "no answer";
    }
    return cause instanceof ConnectException ? "nobody listens there" : cause.getMessage();
  }
}

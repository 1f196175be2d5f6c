package org.ilnp4j.proxy;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.ConnectTimeoutException;
import io.netty.util.NetUtil;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.Promise;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.UnknownHostException;
import java.util.concurrent.TimeUnit;
import org.ilnp4j.naming.Destination;
import org.ilnp4j.naming.Resolver;
import org.ilnp4j.netty.HostRunner;
import org.ilnp4j.netty.IlnpSocketAddress;
import org.ilnp4j.netty.IlnpSocketChannel;
import org.ilnp4j.netty.NoLocatorException;
import org.ilnp4j.proxy.DialException.Reason;

/**
 * Opens sessions to destinations given by name, within limits. Loop thread only, but for the
 * constructor.
 */
public final class Dialer {
  private final HostRunner runner;
  private final Resolver resolver;
  private final ProxyLimits limits;
  private final RelayOptions options;
  private final DialGate gate;

  public Dialer(HostRunner runner, Resolver resolver, ProxyLimits limits, RelayOptions options) {
    this.runner = runner;
    this.resolver = resolver;
    this.limits = limits;
    this.options = options;
    this.gate = new DialGate(limits);
  }

  ProxyLimits limits() {
    return limits;
  }

  /** Dials that have not come to an end. */
  public int inFlight() {
    return gate.inFlight();
  }

  /**
   * Opens a session. The channel is active and does not read yet.
   *
   * @param client on whose behalf, for the limit per client
   * @return fails with {@link DialException} only; cancelling it takes the dial back
   */
  public Future<IlnpSocketChannel> dial(Object client, String host, int port) {
    Promise<IlnpSocketChannel> dialled = runner.eventLoop().newPromise();
    DialGate.Permit permit = gate.enter(client);
    if (permit == null) {
      return dialled.setFailure(
          new DialException(Reason.TOO_MANY, "too many connects in progress", null));
    }
    if (port == 0) {
      permit.release();
      return dialled.setFailure(
          new DialException(Reason.REFUSED, "port 0 cannot be connected to", null));
    }
    Attempt attempt = new Attempt(host, port, dialled);
    dialled.addListener(
        f -> {
          permit.release();
          attempt.over();
        });
    attempt.start();
    return dialled;
  }

  /** One dial on its way: first the name, then the session. */
  private final class Attempt {
    private final String host;
    private final int port;
    private final Promise<IlnpSocketChannel> dialled;
    private java.util.concurrent.Future<?> timeout;
    private ChannelFuture connecting;

    Attempt(String host, int port, Promise<IlnpSocketChannel> dialled) {
      this.host = host;
      this.port = port;
      this.dialled = dialled;
    }

    void start() {
      timeout =
          runner
              .eventLoop()
              .schedule(this::onTimeout, limits.dialTimeoutMillis(), TimeUnit.MILLISECONDS);
      resolver.resolve(host, runner.eventLoop()).addListener(this::onResolved);
    }

    private void onTimeout() {
      timeout = null;
      String within = " within " + limits.dialTimeoutMillis() + " ms";
      if (connecting == null) {
        fail(Reason.LOOKUP_TIMED_OUT, "name lookup took too long, no answer" + within, null);
      } else {
        fail(Reason.NO_ANSWER, "no answer" + within, null);
      }
    }

    private void onResolved(Future<? super Destination> lookup) {
      if (dialled.isDone()) {
        return;
      }
      if (!lookup.isSuccess()) {
        failLookup(lookup.cause());
        return;
      }
      Destination to = (Destination) lookup.getNow();
      connecting =
          options
              .apply(new Bootstrap())
              .group(runner.eventLoop())
              .channelFactory(() -> new IlnpSocketChannel(runner))
              .disableResolver()
              // The attempt's own timeout covers the whole dial.
              .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, 0)
              .handler(new ChannelInboundHandlerAdapter())
              .connect(new IlnpSocketAddress(to.name(), to.nid(), to.locators(), port));
      connecting.addListener(this::onConnected);
    }

    private void onConnected(Future<? super Void> connected) {
      IlnpSocketChannel channel = (IlnpSocketChannel) connecting.channel();
      if (!connected.isSuccess()) {
        failConnect(connected.cause());
      } else if (!dialled.trySuccess(channel)) {
        Relay.reset(channel);
      }
    }

    /** The promise is done, one way or another. */
    void over() {
      if (timeout != null) {
        timeout.cancel(false);
      }
      if (connecting != null && !connecting.isDone()) {
        connecting.cancel(false);
      }
    }

    private void failLookup(Throwable cause) {
      if (!(cause instanceof UnknownHostException)) {
        fail(Reason.UNKNOWN_NAME, cause.getMessage(), cause);
      } else if (NetUtil.isValidIpV4Address(host)) {
        fail(Reason.NOT_ILNP, host + " is an IPv4 address, which has no NID", cause);
      } else {
        fail(Reason.UNKNOWN_NAME, cause.getMessage(), cause);
      }
    }

    private void failConnect(Throwable cause) {
      Reason reason;
      if (cause instanceof NoLocatorException) {
        reason = Reason.NO_LOCATOR;
      } else if (cause instanceof NoRouteToHostException) {
        reason = Reason.UNREACHABLE;
      } else if (cause instanceof ConnectTimeoutException) {
        reason = Reason.NO_ANSWER;
      } else if (cause instanceof ConnectException) {
        reason = Reason.REFUSED;
      } else {
        reason = Reason.FAILED;
      }
      fail(reason, cause.getMessage(), cause);
    }

    private void fail(Reason reason, String message, Throwable cause) {
      dialled.tryFailure(new DialException(reason, message, cause));
    }
  }
}

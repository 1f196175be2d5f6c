package org.ilnp4j.demos;

import io.netty.channel.EventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.Future;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.URL;
import java.net.UnknownHostException;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.ilnp4j.demos.lab.Shell;
import org.ilnp4j.icmp.EchoHandler;
import org.ilnp4j.icmp.EchoSession;
import org.ilnp4j.ilnp.Correspondent;
import org.ilnp4j.link.FaultInjector;
import org.ilnp4j.mobility.Handoff;
import org.ilnp4j.mobility.MobilityObserver;
import org.ilnp4j.naming.Destination;
import org.ilnp4j.proxy.Dialer;
import org.ilnp4j.proxy.LocalTransport;
import org.ilnp4j.proxy.ProxyLimits;
import org.ilnp4j.proxy.Publish;
import org.ilnp4j.proxy.RelayOptions;
import org.ilnp4j.proxy.Socks5Proxy;
import org.ilnp4j.sim.EmbeddedNetwork;
import org.ilnp4j.sim.RealTimeDriver;
import org.ilnp4j.sim.SimNetwork;
import org.ilnp4j.sim.SimRunner;
import org.ilnp4j.time.NanoClock;
import org.ilnp4j.util.Counter;
import org.ilnp4j.util.Counters;

/**
 * The same stack over a simulated network in this process, driven by the real clock: needs no
 * privilege. The program that downloads, the SOCKS proxy and the published server are real.
 */
final class EmbeddedDemoNetwork implements DemoNetwork {
  private static final String CORRESPONDENT = "correspondent";
  private static final int PUBLISHED_PORT = 80;
  private static final long WAIT_SECONDS = 20;

  /** Behind the access links, one way; these add another millisecond each way. */
  private static final long LAN_DELAY_NANOS = NanoClock.millis(1);

  private static final long WAN_DELAY_NANOS = NanoClock.millis(7);

  private final MultiThreadIoEventLoopGroup group =
      new MultiThreadIoEventLoopGroup(1, LocalTransport.ioHandlers());
  private final EventLoop loop = group.next();
  private final Moves moves = new Moves();
  private final ContentServer content;
  private final EmbeddedNetwork net;
  private final RealTimeDriver driver;
  private final SimRunner mobile;
  private final Publish publish;
  private final Socks5Proxy socks;
  private final InetSocketAddress socksAddress;
  private Process curl;

  /**
   * Builds the scene and starts it.
   *
   * @param seed decides what chance there is in it
   * @param mbitPerSecond rate of each access link
   */
  EmbeddedDemoNetwork(long seed, int mbitPerSecond) throws IOException {
    content = new ContentServer(0);
    SimNetwork network = new SimNetwork(seed);
    net =
        new EmbeddedNetwork(
            network,
            EmbeddedNetwork.Scene.DEFAULT
                .withBackhaul(LAN_DELAY_NANOS, WAN_DELAY_NANOS)
                .withAccess(mbitPerSecond * 1_000_000L, EmbeddedNetwork.Scene.DEFAULT.queueBytes()),
            moves);
    driver = new RealTimeDriver(network, loop, NanoClock.system());
    mobile = new SimRunner(loop, driver, net.mobile());
    SimRunner correspondent = new SimRunner(loop, driver, net.correspondent());
    RelayOptions options = RelayOptions.DEFAULT;
    LocalTransport transport = new LocalTransport(loop, options);
    publish =
        new Publish(
            correspondent,
            transport,
            PUBLISHED_PORT,
            new InetSocketAddress(InetAddress.getLoopbackAddress(), content.port()),
            ProxyLimits.DEFAULT,
            options);
    Dialer dialer = new Dialer(mobile, EmbeddedDemoNetwork::resolve, ProxyLimits.DEFAULT, options);
    socks =
        new Socks5Proxy(
            transport, dialer, new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    publish.start().syncUninterruptibly();
    socksAddress = socks.start().syncUninterruptibly().getNow();
    driver.wake();
  }

  private static Future<Destination> resolve(String name, EventExecutor executor) {
    return name.equals(CORRESPONDENT)
        ? executor.newSucceededFuture(
            new Destination(
                name,
                EmbeddedNetwork.CORRESPONDENT_NID,
                List.of(EmbeddedNetwork.CORRESPONDENT_L64)))
        : executor.newFailedFuture(new UnknownHostException("unknown name \"" + name + "\""));
  }

  @Override
  public String describe() {
    return "simulated network in one process: mobile node - LAN and WAN access - core -"
        + " correspondent";
  }

  @Override
  public String program() {
    return Shell.has("curl") ? "curl" : "the JDK's HTTP client";
  }

  @Override
  public void awaitReady() throws IOException, InterruptedException {
    long limit = System.nanoTime() + TimeUnit.SECONDS.toNanos(WAIT_SECONDS);
    while (!onLoop(net::isReady)) {
      if (System.nanoTime() > limit) {
        throw new IOException("no router advertisement in the simulated network");
      }
      TimeUnit.MILLISECONDS.sleep(5);
    }
  }

  @Override
  public InputStream download(long bytes) throws IOException {
    String url = "http://" + CORRESPONDENT + ":" + PUBLISHED_PORT + "/" + bytes;
    if (!Shell.has("curl")) {
      return new URL(url)
          .openConnection(new Proxy(Proxy.Type.SOCKS, socksAddress))
          .getInputStream();
    }
    curl =
        new ProcessBuilder(
                "curl",
                "--silent",
                "--show-error",
                "--fail",
                "--no-buffer",
                "--socks5-hostname",
                socksAddress.getAddress().getHostAddress() + ":" + socksAddress.getPort(),
                url)
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    curl.getOutputStream().close();
    return curl.getInputStream();
  }

  @Override
  public double rttMillis() throws IOException, InterruptedException {
    CompletableFuture<Double> answer = new CompletableFuture<>();
    EchoSession session =
        onLoop(
            () -> {
              EchoSession s =
                  net.mobile()
                      .host()
                      .ping(
                          mobile.now(),
                          EmbeddedNetwork.CORRESPONDENT_NID,
                          List.of(EmbeddedNetwork.CORRESPONDENT_L64),
                          new FirstAnswer(answer));
              net.mobile().host().icmp().sendEcho(mobile.now(), s, 1);
              mobile.wake();
              return s;
            });
    try {
      return answer.get(WAIT_SECONDS, TimeUnit.SECONDS);
    } catch (ExecutionException | TimeoutException e) {
      throw new IOException("the correspondent answers no ping", e);
    } finally {
      onLoop(
          () -> {
            net.mobile().host().icmp().closeEcho(mobile.now(), session);
            return null;
          });
    }
  }

  private record FirstAnswer(CompletableFuture<Double> answer) implements EchoHandler {
    @Override
    public void onReply(long nowNanos, int sequence, long rttNanos, boolean ilnp, long fromL64) {
      answer.complete(rttNanos / 1e6);
    }

    @Override
    public void onError(long nowNanos, int sequence, String what) {
      answer.completeExceptionally(new IOException(what));
    }
  }

  @Override
  public void secondLinkUp() throws IOException {
    link(1, true);
  }

  @Override
  public void firstLinkDown() throws IOException {
    link(0, false);
  }

  @Override
  public void secondLinkDown() throws IOException {
    link(1, false);
  }

  @Override
  public void firstLinkUp() throws IOException {
    link(0, true);
  }

  private void link(int i, boolean up) throws IOException {
    onLoop(
        () -> {
          driver.nowNanos();
          if (up) {
            net.access(i).up();
          } else {
            net.access(i).down(FaultInjector.Cut.DROP);
          }
          driver.wake();
          return null;
        });
  }

  @Override
  public int moveCount() throws IOException {
    return onLoop(() -> moves.count);
  }

  @Override
  public Move lastMove() throws IOException {
    return onLoop(
        () ->
            new Move(
                moves.last.kind().name().toLowerCase(java.util.Locale.ROOT),
                moves.last.fromUplink(),
                moves.last.toUplink(),
                moves.luRttMillis));
  }

  @Override
  public Repeats repeats() throws IOException {
    Counters sender = net.correspondent().host().counters();
    Counters receiver = net.mobile().host().counters();
    return onLoop(
        () ->
            new Repeats(
                sender.get(Counter.TCP_RETRANSMITTED), receiver.get(Counter.TCP_DUPLICATES)));
  }

  @Override
  public String downloadError() {
    return program() + " ended early";
  }

  private <T> T onLoop(Callable<T> task) throws IOException {
    Future<T> done = loop.submit(task).awaitUninterruptibly();
    if (!done.isSuccess()) {
      throw new IOException(done.cause().getMessage(), done.cause());
    }
    return done.getNow();
  }

  @Override
  public void close() {
    if (curl != null) {
      curl.destroy();
    }
    socks.close().awaitUninterruptibly();
    publish.close().awaitUninterruptibly();
    loop.submit(driver::close).awaitUninterruptibly();
    group.shutdownGracefully(0, 2, TimeUnit.SECONDS).awaitUninterruptibly();
    content.close();
  }

  /** Keeps the last move; loop thread only. */
  private static final class Moves implements MobilityObserver {
    private int count;
    private Handoff last;
    private double luRttMillis;

    @Override
    public void onHandoff(long nowNanos, Handoff handoff) {
      if (handoff.kind() == Handoff.Kind.SOFT || handoff.kind() == Handoff.Kind.HARD) {
        count++;
        last = handoff;
        luRttMillis = -1;
      }
    }

    @Override
    public void onUpdateAcknowledged(long nowNanos, Correspondent c, long rttNanos) {
      if (luRttMillis < 0) {
        luRttMillis = rttNanos / 1e6;
      }
    }
  }
}

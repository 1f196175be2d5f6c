package org.ilnp4j.daemon;

import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.IoEventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.util.concurrent.Future;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.ilnp4j.daemon.config.DaemonConfig;
import org.ilnp4j.daemon.config.HandoffKind;
import org.ilnp4j.daemon.config.NidSource;
import org.ilnp4j.daemon.control.ControlServer;
import org.ilnp4j.daemon.plumbing.KernelPlumbing;
import org.ilnp4j.daemon.plumbing.PlumbingPlan;
import org.ilnp4j.host.Host;
import org.ilnp4j.host.HostConfig;
import org.ilnp4j.ilnp.Nid;
import org.ilnp4j.ip6.PacketSink;
import org.ilnp4j.link.HostFeed;
import org.ilnp4j.link.LinkHandler;
import org.ilnp4j.link.Outlet;
import org.ilnp4j.link.PcapTap;
import org.ilnp4j.link.PcapWriter;
import org.ilnp4j.link.TunLink;
import org.ilnp4j.mobility.HandoffPolicy;
import org.ilnp4j.mobility.MobilityConfig;
import org.ilnp4j.mobility.MobilityConfig.UplinkConfig;
import org.ilnp4j.naming.HostsFile;
import org.ilnp4j.naming.Literals;
import org.ilnp4j.naming.Resolver;
import org.ilnp4j.netty.HostLoop;
import org.ilnp4j.proxy.Dialer;
import org.ilnp4j.proxy.Forward;
import org.ilnp4j.proxy.LocalListener;
import org.ilnp4j.proxy.LocalTransport;
import org.ilnp4j.proxy.ProxyLimits;
import org.ilnp4j.proxy.Publish;
import org.ilnp4j.proxy.RelayOptions;
import org.ilnp4j.proxy.Socks5Proxy;
import org.ilnp4j.time.NanoClock;
import org.ilnp4j.tun.Netlink;
import org.ilnp4j.tun.TunDevice;
import org.ilnp4j.util.UserError;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One running daemon: host, event loop, TUN device, kernel plumbing, proxies, control endpoint.
 * Built step by step; {@link #close} takes back, last first, whatever was built.
 */
final class Node implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Node.class);

  /** How often missing kernel state is looked for without being told of a change. */
  private static final long RECONCILE_SECONDS = 30;

  private static final int TUN_QUEUE_PACKETS = 2000;

  private interface Step {
    void undo() throws Exception;
  }

  private final DaemonConfig config;
  private final CountDownLatch stopped = new CountDownLatch(1);
  private final List<Step> undo = new ArrayList<>();
  private final List<String> listeners = new ArrayList<>();
  private final HandoffLog handoffs = new HandoffLog();
  private IoEventLoop loop;
  private Netlink netlink;
  private KernelPlumbing plumbing;
  private HostLoop runner;
  private UplinkWatcher uplinks;
  private Exception failure;
  private volatile boolean closed;

  private Node(DaemonConfig config) {
    this.config = config;
  }

  /** Starts everything; when a step fails, those before it are undone. */
  static Node start(DaemonConfig config) throws IOException, UserError {
    Node node = new Node(config);
    try {
      node.build();
      return node;
    } catch (IOException | UserError | RuntimeException e) {
      node.close();
      throw e;
    }
  }

  private void build() throws IOException, UserError {
    MultiThreadIoEventLoopGroup group =
        new MultiThreadIoEventLoopGroup(1, LocalTransport.ioHandlers());
    undo.add(() -> group.shutdownGracefully(0, 2, TimeUnit.SECONDS).await(5, TimeUnit.SECONDS));
    loop = group.next();
    netlink = Netlink.open();
    undo.add(netlink::close);
    long nid = nid();
    TunDevice tun = TunDevice.open(config.tun().name(), TunDevice.Offload.NONE);
    undo.add(tun::close);
    plumbing = openPlumbing(nid, tun.name());
    openHost(nid, tun);
    uplinks = openUplinks();
    undo.add(() -> loop.submit(uplinks::close).sync());
    loop.submit(uplinks::start).syncUninterruptibly();
    Resolver resolver = openProxies();
    ControlServer control =
        ControlServer.open(
            loop,
            config.controlSocket(),
            new DaemonControl(config, runner, handoffs, resolver, listeners, stopped::countDown));
    undo.add(() -> control.close().sync());
    var reconcile =
        loop.scheduleWithFixedDelay(
            this::reconcilePlumbing, RECONCILE_SECONDS, RECONCILE_SECONDS, TimeUnit.SECONDS);
    undo.add(() -> reconcile.cancel(false));
    LOG.info("{} is up: NID {}, device {}", config.name(), Nid.format(nid), tun.name());
    listeners.forEach(l -> LOG.info("{}", l));
  }

  private long nid() throws IOException {
    NidSource source = config.nid();
    if (source instanceof NidSource.Explicit e) {
      return e.nid();
    }
    if (source instanceof NidSource.Random) {
      return Nid.random(new SecureRandom());
    }
    String link = ((NidSource.Eui64) source).interfaceName();
    return Nid.fromMac(
        netlink.requireLink(link.isEmpty() ? config.uplinks().get(0).name() : link).macOctets());
  }

  private KernelPlumbing openPlumbing(long nid, String tunName) throws IOException {
    KernelPlumbing p =
        KernelPlumbing.start(
            new PlumbingPlan(
                config.name(),
                tunName,
                config.tun().mtuBytes(),
                nid,
                config.uplinks().stream().map(DaemonConfig.Uplink::name).toList(),
                config.stateDir()),
            uplink -> uplinks.solicit(uplink));
    undo.add(p::close);
    netlink.setTxQueueLength(netlink.requireLink(tunName).index(), TUN_QUEUE_PACKETS);
    return p;
  }

  private void openHost(long nid, TunDevice tun) throws IOException {
    NanoClock clock = NanoClock.system();
    Outlet outlet = new Outlet();
    PacketSink out = outlet;
    PcapTap tap = null;
    if (config.pcap().isPresent()) {
      PcapWriter writer = PcapWriter.open(config.pcap().get(), PcapWriter.epochNanosOf(clock));
      // Closed last but for the loop: the farewell of the sessions is worth seeing.
      undo.add(2, writer::close);
      var flush = loop.scheduleWithFixedDelay(writer::flush, 200, 200, TimeUnit.MILLISECONDS);
      undo.add(() -> flush.cancel(false));
      tap = new PcapTap(writer, clock, PooledByteBufAllocator.DEFAULT);
      out = tap.tap(out);
    }
    Host host =
        new Host(
            hostConfig(nid),
            out,
            PooledByteBufAllocator.DEFAULT,
            plumbing,
            new SecureRandom(),
            handoffs);
    handoffs.outstanding(host.locatorUpdates()::outstanding);
    runner = new HostLoop(loop, host, clock);
    LinkHandler in = new HostFeed(runner, this::onDeviceFailure);
    in = tap == null ? in : tap.tap(in);
    TunLink device =
        get(
            TunLink.open(
                tun,
                config.tun().mtuBytes(),
                loop,
                PooledByteBufAllocator.DEFAULT,
                in,
                host.counters()));
    outlet.connect(device);
    undo.add(() -> loop.submit(device::close).sync());
    undo.add(() -> loop.submit(runner::close).sync());
  }

  private HostConfig hostConfig(long nid) {
    List<UplinkConfig> links = new ArrayList<>();
    for (DaemonConfig.Uplink u : config.uplinks()) {
      links.add(
          u.fixed()
              .map(
                  f -> {
                    ByteBuffer router = ByteBuffer.wrap(f.router().getAddress());
                    return new UplinkConfig(
                        u.name(), u.preference(), f.l64(), router.getLong(0), router.getLong(8));
                  })
              .orElse(UplinkConfig.byRouterAdvertisement(u.name(), u.preference())));
    }
    DaemonConfig.Mobility m = config.mobility();
    MobilityConfig mobility =
        new MobilityConfig(
            links,
            policy(m),
            m.handoff() == HandoffKind.HARD,
            (int) (m.maxLifetimeNanos() / NanoClock.seconds(1)),
            m.raTimeoutFactor(),
            NanoClock.seconds(3));
    return new HostConfig(
        nid, config.tun().mtuBytes(), config.nonceBytes(), 65_536, config.tcp(), mobility);
  }

  private static HandoffPolicy policy(DaemonConfig.Mobility m) {
    switch (m.policy()) {
      case FIRST_RA:
        return HandoffPolicy.FIRST_RA;
      case MANUAL:
        return HandoffPolicy.MANUAL;
      default:
        return HandoffPolicy.PREFERENCE;
    }
  }

  private UplinkWatcher openUplinks() throws IOException {
    return UplinkWatcher.open(
        loop,
        runner,
        this::reconcilePlumbing,
        netlink,
        config.uplinks().stream().map(DaemonConfig.Uplink::name).toList());
  }

  private void reconcilePlumbing() {
    if (closed) {
      // What is being taken back must not be put back.
      return;
    }
    try {
      plumbing.reconcile();
    } catch (IOException e) {
      LOG.warn("kernel state not checked: {}", e.getMessage());
    }
  }

  private Resolver openProxies() throws IOException, UserError {
    Resolver resolver = new Literals();
    if (config.hosts().isPresent()) {
      resolver = HostsFile.open(config.hosts().get()).orElse(resolver);
    }
    ProxyLimits limits = ProxyLimits.DEFAULT;
    RelayOptions options = RelayOptions.DEFAULT;
    LocalTransport transport = new LocalTransport(loop, options);
    Dialer dialer = new Dialer(runner, resolver, limits, options);
    if (config.socks().isPresent()) {
      InetSocketAddress at = config.socks().get();
      listen("socks.listen", new Socks5Proxy(transport, dialer, at), at);
      listeners.add("socks " + text(at));
    }
    for (DaemonConfig.Forward f : config.forwards()) {
      Forward forward = new Forward(transport, dialer, f.listen(), f.to().host(), f.to().port());
      listen("forward.listen", forward, f.listen());
      listeners.add("forward " + text(f.listen()) + " to " + f.to());
    }
    for (DaemonConfig.Publish p : config.publishes()) {
      Publish publish =
          new Publish(
              runner,
              transport,
              p.port(),
              new InetSocketAddress(p.to().host(), p.to().port()),
              limits,
              options);
      publish.start().syncUninterruptibly();
      undo.add(() -> publish.close().sync());
      listeners.add("publish port " + p.port() + " to " + p.to());
    }
    return resolver;
  }

  private void listen(String key, LocalListener listener, InetSocketAddress at) throws UserError {
    if (!at.getAddress().isLoopbackAddress()) {
      // The configuration has demanded "allow-remote" already.
      listener.allowRemoteClients();
    }
    Future<InetSocketAddress> started = listener.start().awaitUninterruptibly();
    if (!started.isSuccess()) {
      throw new UserError(
          UserError.Kind.FAILED,
          Preflight.cannotListen(key, at, new IOException(started.cause().getMessage())));
    }
    undo.add(() -> listener.close().sync());
  }

  private static String text(InetSocketAddress a) {
    return a.getAddress().getHostAddress() + ":" + a.getPort();
  }

  private static <T> T get(Future<T> future) throws IOException {
    if (!future.awaitUninterruptibly().isSuccess()) {
      throw new IOException(future.cause().getMessage(), future.cause());
    }
    return future.getNow();
  }

  /** Waits until a person or a failure ends it. IOException with one clear line on a failure. */
  void awaitStop() throws InterruptedException, IOException {
    stopped.await();
    if (failure != null) {
      throw new IOException(failure.getMessage(), failure);
    }
  }

  /** Takes everything back, last built first. Idempotent; callable from a shutdown hook. */
  @Override
  public synchronized void close() {
    if (closed) {
      return;
    }
    closed = true;
    List<Step> steps = new ArrayList<>(undo);
    Collections.reverse(steps);
    for (Step step : steps) {
      try {
        step.undo();
      } catch (Exception e) {
        LOG.warn("while stopping: {}", e.toString());
      }
    }
    stopped.countDown();
  }

  private void onDeviceFailure(Exception cause) {
    LOG.error("the TUN device failed: {}", cause.getMessage());
    failure = cause;
    stopped.countDown();
  }
}

package org.ilnp4j.demos.lab;

import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.IoEventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import java.io.IOException;
import java.security.SecureRandom;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.ilnp4j.host.Host;
import org.ilnp4j.host.HostConfig;
import org.ilnp4j.ilnp.Nid;
import org.ilnp4j.link.HostFeed;
import org.ilnp4j.link.Outlet;
import org.ilnp4j.link.TunLink;
import org.ilnp4j.mobility.HandoffPolicy;
import org.ilnp4j.mobility.LocatorPlumber;
import org.ilnp4j.mobility.MobilityConfig;
import org.ilnp4j.mobility.MobilityConfig.UplinkConfig;
import org.ilnp4j.mobility.MobilityObserver;
import org.ilnp4j.netty.HostLoop;
import org.ilnp4j.proxy.LocalTransport;
import org.ilnp4j.tcp.TcpConfig;
import org.ilnp4j.time.NanoClock;
import org.ilnp4j.tun.NetworkNamespace;
import org.ilnp4j.tun.TunDevice;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A node of ilnp4j in this process: event loop, host, and a TUN device in a namespace whose kernel
 * forwards for it. It has one fixed Locator and does not move; what moves is tested with daemons.
 */
public final class IlnpNode implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(IlnpNode.class);
  private static final String DEVICE = "ilnp0";
  private static final String UPLINK = "uplink";
  private static final int MTU = 1500;

  /** As the daemon sets it. */
  private static final int QUEUE_PACKETS = 2000;

  private final MultiThreadIoEventLoopGroup group =
      new MultiThreadIoEventLoopGroup(1, LocalTransport.ioHandlers());
  private final IoEventLoop loop = group.next();
  private final long nid;
  private final long l64;
  private HostLoop runner;
  private TunLink link;

  private IlnpNode(long nid, long l64) {
    this.nid = nid;
    this.l64 = l64;
  }

  /**
   * Starts a node. Packets for it must come into the namespace, and be routed there.
   *
   * @param l64 its Locator
   * @param offload whether its device takes super-segments
   */
  public static IlnpNode open(
      Lab lab, String namespace, long nid, long l64, TcpConfig tcp, TunDevice.Offload offload)
      throws IOException {
    IlnpNode node = new IlnpNode(nid, l64);
    try {
      node.build(lab, namespace, tcp, offload);
      return node;
    } catch (IOException | RuntimeException e) {
      node.close();
      throw e;
    }
  }

  private void build(Lab lab, String namespace, TcpConfig tcp, TunDevice.Offload offload)
      throws IOException {
    TunDevice tun = NetworkNamespace.call(namespace, () -> TunDevice.open(DEVICE, offload));
    lab.ip(
        namespace, "link", "set", DEVICE, "mtu", "" + MTU, "txqueuelen", "" + QUEUE_PACKETS, "up");
    lab.ip(namespace, "-6", "route", "add", address() + "/128", "dev", DEVICE);
    lab.sysctl(namespace, "net/ipv6/conf/all/forwarding", "1");
    NanoClock clock = NanoClock.system();
    MobilityConfig mobility =
        MobilityConfig.of(
            List.of(new UplinkConfig(UPLINK, 10, l64, 0, 0)), HandoffPolicy.PREFERENCE);
    Outlet outlet = new Outlet();
    Host host =
        new Host(
            HostConfig.of(nid, mobility).withTcp(tcp),
            outlet,
            PooledByteBufAllocator.DEFAULT,
            LocatorPlumber.NONE,
            new SecureRandom(),
            MobilityObserver.NONE);
    runner = new HostLoop(loop, host, clock);
    link =
        TunLink.open(
                tun,
                MTU,
                loop,
                PooledByteBufAllocator.DEFAULT,
                new HostFeed(runner, e -> LOG.error("the TUN device failed: {}", e.getMessage())),
                host.counters())
            .syncUninterruptibly()
            .getNow();
    outlet.connect(link);
    run(
        () -> {
          host.onLink(runner.now(), UPLINK, true);
          runner.endTurn();
          return null;
        });
  }

  /** Runs something on the loop thread and waits for it. */
  public <T> T run(Callable<T> task) {
    return loop.submit(task).syncUninterruptibly().getNow();
  }

  public HostLoop runner() {
    return runner;
  }

  public long nid() {
    return nid;
  }

  public long l64() {
    return l64;
  }

  /** Locator and NID, as an IPv6 address. */
  public String address() {
    return String.format(
        Locale.ROOT,
        "%x:%x:%x:%x:%s",
        l64 >>> 48,
        l64 >>> 32 & 0xffff,
        l64 >>> 16 & 0xffff,
        l64 & 0xffff,
        Nid.format(nid));
  }

  /** Resets what is open, removes the device, ends the thread. Idempotent. */
  @Override
  public void close() {
    if (group.isShuttingDown()) {
      return;
    }
    if (link != null) {
      run(
          () -> {
            runner.close();
            link.close();
            return null;
          });
    }
    if (!group
        .shutdownGracefully(0, 2, TimeUnit.SECONDS)
        .awaitUninterruptibly(5, TimeUnit.SECONDS)) {
      LOG.warn("the loop of {} does not end", address());
    }
  }
}

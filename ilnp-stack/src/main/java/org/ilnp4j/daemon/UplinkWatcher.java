package org.ilnp4j.daemon;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.IoEventLoop;
import java.io.IOException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.ilnp4j.host.Host;
import org.ilnp4j.link.FdWatch;
import org.ilnp4j.netty.HostLoop;
import org.ilnp4j.tun.Icmp6Socket;
import org.ilnp4j.tun.Link;
import org.ilnp4j.tun.LinuxException;
import org.ilnp4j.tun.Netlink;
import org.ilnp4j.tun.NetlinkEvent;
import org.ilnp4j.tun.NetlinkMonitor;
import org.ilnp4j.util.DropReason;
import org.ilnp4j.wire.RouterAdvertisement;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells the host what happens on its uplinks: carrier by netlink, router advertisements by a raw
 * socket on each. Loop thread only after {@link #open}.
 */
final class UplinkWatcher implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(UplinkWatcher.class);
  private static final int MAX_MESSAGE_BYTES = 65_536;
  private static final long RECONCILE_DELAY_MILLIS = 1000;

  private record Listening(Icmp6Socket socket, FdWatch watch) {
    void close() {
      watch.close();
      socket.close();
    }
  }

  private final IoEventLoop loop;
  private final HostLoop runner;
  private final Host host;
  private final Runnable reconcilePlumbing;
  private final Netlink netlink;
  private final NetlinkMonitor monitor;
  private final Map<String, Listening> listening = new HashMap<>();
  private FdWatch monitorWatch;
  private boolean isReconcileDue;
  private final ByteBuf message = Unpooled.directBuffer(MAX_MESSAGE_BYTES);
  private final List<String> uplinks;

  private UplinkWatcher(
      IoEventLoop loop,
      HostLoop runner,
      Runnable reconcilePlumbing,
      Netlink netlink,
      NetlinkMonitor monitor,
      List<String> uplinks) {
    this.loop = loop;
    this.runner = runner;
    this.host = runner.host();
    this.reconcilePlumbing = reconcilePlumbing;
    this.netlink = netlink;
    this.monitor = monitor;
    this.uplinks = List.copyOf(uplinks);
  }

  /**
   * Opens the sockets and starts to listen. Not on the loop thread.
   *
   * @param reconcilePlumbing puts back what the kernel has dropped of routes and proxy entries
   */
  static UplinkWatcher open(
      IoEventLoop loop,
      HostLoop runner,
      Runnable reconcilePlumbing,
      Netlink netlink,
      List<String> uplinks)
      throws IOException {
    for (String uplink : uplinks) {
      netlink.requireLink(uplink);
    }
    NetlinkMonitor monitor = NetlinkMonitor.open();
    UplinkWatcher w = new UplinkWatcher(loop, runner, reconcilePlumbing, netlink, monitor, uplinks);
    w.monitorWatch = FdWatch.open(loop, monitor.fd(), w::onNetlink);
    return w;
  }

  /** Tells the host of the links that are up already. Loop thread only. */
  void start() {
    readLinks();
  }

  /** Asks the routers of an uplink to advertise. */
  void solicit(String uplink) {
    Listening on = listening.get(uplink);
    try {
      if (on != null && !on.socket.sendRouterSolicitation()) {
        LOG.debug("{}: cannot solicit yet", uplink);
      }
    } catch (LinuxException e) {
      LOG.warn("{}: router solicitation not sent: {}", uplink, e.getMessage());
    }
  }

  private void onNetlink() {
    try {
      boolean complete = monitor.receive(this::onEvent);
      if (!complete) {
        LOG.warn("the kernel dropped link events; reading the links anew");
        readLinks();
      }
    } catch (LinuxException e) {
      LOG.error("link events lost: {}", e.getMessage());
      readLinks();
    }
    runner.wake();
  }

  private void onEvent(NetlinkEvent event) {
    if (event instanceof NetlinkEvent.LinkEvent e && uplinks.contains(e.link().name())) {
      onLink(e.link(), !e.removed() && e.link().isUp());
    }
  }

  private void onLink(Link link, boolean up) {
    if (up && listenOn(link)) {
      // The kernel's settings of this name are those of a new device.
      reconcilePlumbing.run();
    }
    host.onLink(runner.now(), link.name(), up);
    reconcileLater();
  }

  /**
   * A change of a link may have cost routes and proxy entries that nobody installs anew. Looking
   * takes milliseconds, in which no packet is carried, and a link that comes up is told of several
   * times: so it waits until the move, if there is one, is over.
   */
  private void reconcileLater() {
    if (!isReconcileDue) {
      isReconcileDue = true;
      loop.schedule(
          () -> {
            isReconcileDue = false;
            reconcilePlumbing.run();
          },
          RECONCILE_DELAY_MILLIS,
          TimeUnit.MILLISECONDS);
    }
  }

  /** Opens the socket of an uplink; true when the device is another one of the same name. */
  private boolean listenOn(Link link) {
    Listening old = listening.get(link.name());
    if (old != null && old.socket.link().index() == link.index()) {
      return false;
    }
    try {
      Icmp6Socket socket = Icmp6Socket.open(link);
      if (old != null) {
        LOG.info("{} is another device now", link.name());
        old.close();
      }
      listening.put(
          link.name(),
          new Listening(
              socket, FdWatch.open(loop, socket.fd(), () -> receive(link.name(), socket))));
    } catch (LinuxException e) {
      LOG.error("{}: router advertisements cannot be heard: {}", link.name(), e.getMessage());
    }
    return old != null;
  }

  /** The state of all uplinks as the kernel has it now. */
  private void readLinks() {
    try {
      Set<String> gone = new HashSet<>(uplinks);
      for (Link link : netlink.links()) {
        if (gone.remove(link.name())) {
          onLink(link, link.isUp());
        }
      }
      gone.forEach(name -> host.onLink(runner.now(), name, false));
      runner.wake();
    } catch (LinuxException e) {
      LOG.error("cannot read the state of the links: {}", e.getMessage());
    }
  }

  private void receive(String uplink, Icmp6Socket socket) {
    try {
      while (true) {
        Icmp6Socket.Verdict verdict = socket.receive(message.memoryAddress(), MAX_MESSAGE_BYTES);
        switch (verdict) {
          case NOTHING:
            runner.wake();
            return;
          case ACCEPTED:
            advertisement(uplink, socket);
            break;
          case WRONG_HOP_LIMIT:
            host.counters().drop(DropReason.RA_HOP_LIMIT);
            break;
          case SOURCE_NOT_LINK_LOCAL:
            host.counters().drop(DropReason.RA_SOURCE);
            break;
          default:
            host.counters().drop(DropReason.RA_TRUNCATED);
        }
      }
    } catch (LinuxException e) {
      // The link went away under the socket; its netlink event says the rest.
      LOG.debug("{}: {}", uplink, e.getMessage());
    }
  }

  private void advertisement(String uplink, Icmp6Socket socket) throws LinuxException {
    if (!host.locators().uplinks().get(uplink) && !netlink.requireLink(uplink).isUp()) {
      // Received before the link went down, read after: old news.
      return;
    }
    RouterAdvertisement.Parsed parsed = RouterAdvertisement.parse(message, 0, socket.length());
    if (parsed.drop() != null) {
      host.counters().drop(parsed.drop());
      return;
    }
    host.onRouterAdvertisement(
        runner.now(),
        uplink,
        socket.source().high(),
        socket.source().low(),
        parsed.advertisement());
  }

  /** Stops listening. Loop thread only. */
  @Override
  public void close() {
    listening.values().forEach(Listening::close);
    listening.clear();
    monitorWatch.close();
    monitor.close();
    message.release();
  }
}

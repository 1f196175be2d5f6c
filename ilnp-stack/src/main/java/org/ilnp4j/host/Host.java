package org.ilnp4j.host;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.util.List;
import java.util.random.RandomGenerator;
import org.ilnp4j.icmp.EchoHandler;
import org.ilnp4j.icmp.EchoSession;
import org.ilnp4j.icmp.Icmp;
import org.ilnp4j.ilnp.Correspondent;
import org.ilnp4j.ilnp.Ilcc;
import org.ilnp4j.ip6.Ip6Output;
import org.ilnp4j.ip6.PacketSink;
import org.ilnp4j.ip6.PathMtu;
import org.ilnp4j.mobility.LocatorPlumber;
import org.ilnp4j.mobility.LocatorSet;
import org.ilnp4j.mobility.LocatorUpdates;
import org.ilnp4j.mobility.MobilityObserver;
import org.ilnp4j.tcp.TcpAcceptor;
import org.ilnp4j.tcp.TcpConnection;
import org.ilnp4j.tcp.TcpEngine;
import org.ilnp4j.tcp.TcpHandler;
import org.ilnp4j.tcp.TcpListener;
import org.ilnp4j.time.NanoClock;
import org.ilnp4j.time.Timer;
import org.ilnp4j.time.TimerQueue;
import org.ilnp4j.util.Counter;
import org.ilnp4j.util.Counters;
import org.ilnp4j.util.DropReason;
import org.ilnp4j.wire.Icmp6;
import org.ilnp4j.wire.Ip6;
import org.ilnp4j.wire.PacketView;
import org.ilnp4j.wire.RouterAdvertisement;
import org.ilnp4j.wire.Udp;

/**
 * One ILNP node. A driver feeds packets, link events and user calls, each with the time, calls
 * {@link #endTurn} after every batch, and comes back at {@link #nextDeadlineNanos}. Not
 * thread-safe: all calls come from one thread.
 */
public final class Host {
  private static final long HOUSEKEEPING_NANOS = NanoClock.seconds(10);

  /**
   * Lifetime of remote Locators from a hosts file or a literal, which never run out by themselves.
   */
  private static final long NAMED_LIFETIME_NANOS = NanoClock.seconds(86_400);

  private final HostConfig config;
  private final Counters counters = new Counters();
  private final TimerQueue timers = new TimerQueue();
  private final PacketView view = new PacketView();
  private final Ilcc ilcc;
  private final TcpEngine tcp;
  private final Icmp icmp;
  private final LocatorUpdates updates;
  private final LocatorSet locators;
  private final Timer housekeeping =
      new Timer() {
        @Override
        protected void fire(long nowNanos) {
          ilcc.expire(nowNanos);
          updates.expire();
          if (ilcc.size() > 0) {
            timers.arm(this, nowNanos + HOUSEKEEPING_NANOS);
          }
        }
      };

  /**
   * Builds a node with no link up.
   *
   * @param out takes the packets that leave
   * @param random unpredictable in production, seeded in a simulation
   */
  public Host(
      HostConfig config,
      PacketSink out,
      ByteBufAllocator allocator,
      LocatorPlumber plumber,
      RandomGenerator random,
      MobilityObserver observer) {
    this.config = config;
    ilcc =
        new Ilcc(config.nid(), config.nonceBytes(), config.maxCorrespondents(), random, counters);
    Ip6Output output =
        new Ip6Output(out, allocator, new PathMtu(config.mtu()), counters, config.tcp().hopLimit());
    tcp = new TcpEngine(config.tcp(), ilcc, output, timers, random, counters);
    icmp = new Icmp(ilcc, output, tcp, random, counters);
    updates = new LocatorUpdates(ilcc, output, timers, counters, observer);
    locators =
        new LocatorSet(config.mobility(), ilcc, plumber, updates, timers, counters, observer);
    ilcc.observer(tcp::onLocatorsChanged);
  }

  public HostConfig config() {
    return config;
  }

  public Counters counters() {
    return counters;
  }

  public Ilcc ilcc() {
    return ilcc;
  }

  public TcpEngine tcp() {
    return tcp;
  }

  public Icmp icmp() {
    return icmp;
  }

  public LocatorSet locators() {
    return locators;
  }

  public LocatorUpdates locatorUpdates() {
    return updates;
  }

  /** A packet came in as it was on the wire; takes over the buffer. */
  public void onPacket(long nowNanos, ByteBuf packet) {
    onPacket(nowNanos, packet, false, 0);
  }

  /**
   * A packet came in; takes over the buffer.
   *
   * @param checksumVouched see {@link PacketView#checksumVouched}
   * @param segmentBytes see {@link PacketView#segmentBytes}
   */
  public void onPacket(long nowNanos, ByteBuf packet, boolean checksumVouched, int segmentBytes) {
    counters.add(Counter.PACKETS_IN);
    counters.add(Counter.BYTES_IN, packet.readableBytes());
    try {
      DropReason drop = view.parse(packet);
      view.checksumVouched = checksumVouched;
      view.segmentBytes = segmentBytes;
      if (drop == null) {
        drop = ilcc.admit(nowNanos, view);
      }
      if (drop == null) {
        locators.onReceived(nowNanos, view.dstL64);
        drop = deliver(nowNanos, ilcc.match());
      } else if (view.problemCode >= 0 && view.dstNid == config.nid()) {
        icmp.sendError(
            nowNanos, Icmp6.PARAMETER_PROBLEM, view.problemCode, view.problemPointer, view, null);
      }
      if (drop != null) {
        counters.drop(drop);
      }
    } finally {
      packet.release();
    }
  }

  private DropReason deliver(long nowNanos, Correspondent c) {
    switch (view.protocol) {
      case Ip6.PROTO_TCP:
        return tcp.onSegment(nowNanos, view, c);
      case Ip6.PROTO_ICMP6:
        DropReason bad = Icmp6.check(view);
        if (bad != null) {
          return bad;
        }
        return Icmp6.type(view.buf, view.upperIndex) == Icmp6.LOCATOR_UPDATE
            ? updates.onUpdate(nowNanos, view, c)
            : icmp.onMessage(nowNanos, view, c);
      case Ip6.PROTO_UDP:
        return onDatagram(nowNanos, c);
      default:
        return DropReason.UPPER_UNKNOWN_PROTOCOL;
    }
  }

  /** There are no UDP sockets yet: a correct datagram is answered as a closed port answers. */
  private DropReason onDatagram(long nowNanos, Correspondent c) {
    DropReason bad = Udp.check(view);
    if (bad != null) {
      return bad;
    }
    icmp.sendError(nowNanos, Icmp6.DEST_UNREACHABLE, Icmp6.PORT_UNREACHABLE, 0, view, c);
    return DropReason.UDP_NO_SOCKET;
  }

  /** An uplink's carrier came or went. */
  public void onLink(long nowNanos, String uplink, boolean up) {
    locators.onLink(nowNanos, uplink, up);
    // At once, so that a Locator Update leaves before anything else of this turn.
    locators.reconcileIfDue(nowNanos);
  }

  /** A router advertisement, its sender checked, came in on an uplink. */
  public void onRouterAdvertisement(
      long nowNanos, String uplink, long routerL64, long routerNid, RouterAdvertisement ra) {
    DropReason drop = locators.onRouterAdvertisement(nowNanos, uplink, routerL64, routerNid, ra);
    if (drop != null) {
      counters.drop(drop);
    }
    locators.reconcileIfDue(nowNanos);
  }

  /** Fires the timers that are due. */
  public void advance(long nowNanos) {
    timers.advance(nowNanos);
  }

  /** Sends what is due and calls back users. To be called after each batch of any input. */
  public void endTurn(long nowNanos) {
    locators.reconcileIfDue(nowNanos);
    tcp.endTurn(nowNanos);
    if (ilcc.size() > 0 && !housekeeping.isArmed()) {
      timers.arm(housekeeping, nowNanos + HOUSEKEEPING_NANOS);
    }
  }

  /** When {@link #advance} must be called next, or {@link NanoClock#NEVER}. */
  public long nextDeadlineNanos() {
    return timers.nextDeadlineNanos();
  }

  /**
   * Opens a TCP connection; the handler hears how it went.
   *
   * @param remoteL64s Locators of the other node, most preferred first, at least one
   * @throws IllegalStateException with one clear line when this node has no Locator or no room
   */
  public TcpConnection connect(
      long nowNanos, long remoteNid, List<Long> remoteL64s, int port, TcpHandler handler) {
    Correspondent c = correspondent(nowNanos, remoteNid, remoteL64s);
    return tcp.connect(nowNanos, c, port, handler);
  }

  /** Opens a session of echo requests; see {@link #connect} for the parameters and errors. */
  public EchoSession ping(
      long nowNanos, long remoteNid, List<Long> remoteL64s, EchoHandler handler) {
    Correspondent c = correspondent(nowNanos, remoteNid, remoteL64s);
    EchoSession s = icmp.openEcho(c, handler);
    if (s == null) {
      throw new IllegalStateException("too many pings at once");
    }
    return s;
  }

  private Correspondent correspondent(long nowNanos, long remoteNid, List<Long> remoteL64s) {
    if (ilcc.local().source() == null) {
      throw new IllegalStateException(
          "this node has no Locator: no uplink is up with a router that advertises a prefix");
    }
    Correspondent c = ilcc.open(nowNanos, remoteNid, remoteL64s, NAMED_LIFETIME_NANOS);
    if (c == null) {
      throw new IllegalStateException("the table of correspondents is full");
    }
    return c;
  }

  /** Listens on a port of this node; IllegalStateException when it is in use. */
  public TcpListener listen(int port, TcpAcceptor acceptor) {
    return tcp.listen(port, acceptor);
  }

  /** Resets every connection, takes every Locator back and forgets everything. */
  public void close(long nowNanos) {
    tcp.abortAll(nowNanos);
    tcp.endTurn(nowNanos);
    locators.close(nowNanos);
    updates.close();
    timers.remove(housekeeping);
    ilcc.clearUnused();
  }

  /** Timers still armed; 0 after {@link #close}. */
  public int armedTimers() {
    return timers.armed();
  }
}

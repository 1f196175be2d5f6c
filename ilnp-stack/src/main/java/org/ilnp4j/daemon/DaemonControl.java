package org.ilnp4j.daemon;

import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.ScheduledFuture;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.ilnp4j.daemon.config.DaemonConfig;
import org.ilnp4j.daemon.config.HandoffKind;
import org.ilnp4j.daemon.control.ControlService;
import org.ilnp4j.daemon.control.HandoffView;
import org.ilnp4j.daemon.control.LocatorsView;
import org.ilnp4j.daemon.control.PingView;
import org.ilnp4j.daemon.control.Reply;
import org.ilnp4j.daemon.control.SessionView;
import org.ilnp4j.daemon.control.StatusView;
import org.ilnp4j.host.Host;
import org.ilnp4j.icmp.EchoHandler;
import org.ilnp4j.icmp.EchoSession;
import org.ilnp4j.ilnp.Locator;
import org.ilnp4j.ilnp.LocatorPair;
import org.ilnp4j.ilnp.Nid;
import org.ilnp4j.naming.Destination;
import org.ilnp4j.naming.Resolver;
import org.ilnp4j.netty.HostLoop;

/** Answers the command line from the state of the running node. Loop thread only. */
final class DaemonControl implements ControlService {
  private static final long HANDOFF_POLL_MILLIS = 2;
  private static final long PING_INTERVAL_MILLIS = 1000;
  private static final long PING_WAIT_MILLIS = 2000;

  private final DaemonConfig config;
  private final HostLoop runner;
  private final Host host;
  private final HandoffLog handoffs;
  private final Resolver resolver;
  private final List<String> listeners;
  private final Runnable stop;
  private final long startedNanos;

  /**
   * Ready to be served.
   *
   * @param listeners what listens where, for people
   * @param stop asks the process to end
   */
  DaemonControl(
      DaemonConfig config,
      HostLoop runner,
      HandoffLog handoffs,
      Resolver resolver,
      List<String> listeners,
      Runnable stop) {
    this.config = config;
    this.runner = runner;
    this.host = runner.host();
    this.handoffs = handoffs;
    this.resolver = resolver;
    this.listeners = List.copyOf(listeners);
    this.stop = stop;
    this.startedNanos = System.nanoTime();
  }

  @Override
  public StatusView status() {
    return new StatusView(
        config.name(),
        Nid.format(host.config().nid()),
        Version.current().number(),
        Version.current().commit(),
        ProcessHandle.current().pid(),
        (System.nanoTime() - startedNanos) / 1e9,
        config.tun().name(),
        config.tun().mtuBytes(),
        label(config.mobility().policy()),
        label(config.mobility().handoff()),
        listeners,
        host.ilcc().size(),
        host.tcp().connections(),
        host.counters().nonZero(),
        handoffs.view(runner.now()));
  }

  @Override
  public List<SessionView> sessions(int limit) {
    List<SessionView> out = new ArrayList<>();
    host.tcp()
        .forEach(
            c -> {
              if (out.size() < limit) {
                out.add(
                    SessionView.of(
                        c.info(runner.now()), resolver.nameOf(c.correspondent().remoteNid)));
              }
            });
    return out;
  }

  @Override
  public LocatorsView locators() {
    long now = runner.now();
    List<LocatorsView.Local> local = new ArrayList<>();
    host.ilcc().local().all().forEach(l -> local.add(LocatorsView.Local.of(now, l)));
    List<LocatorsView.Peer> peers = new ArrayList<>();
    host.ilcc().forEach(c -> peers.add(LocatorsView.Peer.of(now, resolver.nameOf(c.remoteNid), c)));
    return new LocatorsView(local, peers);
  }

  @Override
  public void handoff(HandoffKind kind, String toLink, Reply<? super HandoffView> reply) {
    try {
      host.locators().requestHandoff(runner.now(), kind == HandoffKind.HARD, toLink);
    } catch (IllegalArgumentException e) {
      reply.fail(e.getMessage());
      return;
    }
    runner.wake();
    answerWhenTold(reply);
  }

  /** The handoff is over when no update waits for an acknowledgement any more. */
  private void answerWhenTold(Reply<? super HandoffView> reply) {
    if (!reply.isOpen()) {
      return;
    }
    if (host.locatorUpdates().outstanding() == 0) {
      reply.item(handoffs.view(runner.now()));
      reply.done();
      return;
    }
    runner
        .eventLoop()
        .schedule(() -> answerWhenTold(reply), HANDOFF_POLL_MILLIS, TimeUnit.MILLISECONDS);
  }

  @Override
  public void ping(String name, int count, Reply<? super PingView> reply) {
    resolver
        .resolve(name, runner.eventLoop())
        .addListener(
            (Future<Destination> f) -> {
              if (f.isSuccess()) {
                ping(f.getNow(), count, reply);
              } else {
                reply.fail(f.cause().getMessage());
              }
            });
  }

  private void ping(Destination to, int count, Reply<? super PingView> reply) {
    Pinger pinger = new Pinger(to, count, reply);
    try {
      pinger.session = host.ping(runner.now(), to.nid(), to.locators(), pinger);
    } catch (IllegalStateException e) {
      reply.fail(e.getMessage());
      return;
    }
    pinger.next();
  }

  @Override
  public void stop() {
    stop.run();
  }

  private static String label(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** One ping command: a request each second, each answered or lost. */
  private final class Pinger implements EchoHandler {
    private final Destination to;
    private final int count;
    private final Reply<? super PingView> reply;
    private EchoSession session;
    private int sequence;
    private ScheduledFuture<?> lost;

    Pinger(Destination to, int count, Reply<? super PingView> reply) {
      this.to = to;
      this.count = count;
      this.reply = reply;
    }

    void next() {
      if (sequence >= count || !reply.isOpen()) {
        host.icmp().closeEcho(runner.now(), session);
        reply.done();
        return;
      }
      sequence++;
      host.icmp().sendEcho(runner.now(), session, sequence);
      runner.wake();
      int asked = sequence;
      lost =
          runner
              .eventLoop()
              .schedule(() -> answered(asked, null, 0), PING_WAIT_MILLIS, TimeUnit.MILLISECONDS);
    }

    private void answered(int seq, Double rttMillis, long fromL64) {
      if (seq != sequence || lost == null) {
        return;
      }
      lost.cancel(false);
      lost = null;
      LocatorPair path = session.correspondent().path();
      long l64 = fromL64 != 0 || path == null ? fromL64 : path.remoteL64();
      reply.item(
          new PingView(
              seq, Nid.format(to.nid()), l64 == 0 ? null : Locator.format(l64), rttMillis));
      runner
          .eventLoop()
          .schedule(this::next, sequence < count ? PING_INTERVAL_MILLIS : 0, TimeUnit.MILLISECONDS);
    }

    @Override
    public void onReply(long nowNanos, int seq, long rttNanos, boolean ilnp, long fromL64) {
      answered(seq, Math.round(rttNanos / 1e3) / 1e3, fromL64);
    }

    @Override
    public void onError(long nowNanos, int seq, String what) {
      if (lost != null) {
        lost.cancel(false);
        lost = null;
      }
      host.icmp().closeEcho(nowNanos, session);
      reply.fail(to.name() + ": " + what);
    }
  }
}

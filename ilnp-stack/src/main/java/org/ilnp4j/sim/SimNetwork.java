package org.ilnp4j.sim;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.BooleanSupplier;
import java.util.random.RandomGenerator;
import org.ilnp4j.link.FaultInjector;
import org.ilnp4j.link.LinkConfig;
import org.ilnp4j.link.LinkDrop;
import org.ilnp4j.time.NanoClock;
import org.ilnp4j.time.Timer;
import org.ilnp4j.time.TimerQueue;

/**
 * The simulated network: virtual clock, event queue, nodes and what joins them. Deterministic: the
 * same seed and the same calls give the same packets at the same times. Events with equal times
 * happen in the order in which they were scheduled. Each random source is split off on its own, so
 * traffic on one link does not shift the dice of another.
 *
 * <p>User calls into nodes (open, write, close) may be made between runs and within scripted
 * actions ({@link #at}); the nodes' turns are ended for them.
 */
public final class SimNetwork implements AutoCloseable {
  /** More rounds than this without time passing is a loop, not a network. */
  private static final int MAX_ROUNDS_PER_INSTANT = 1_000_000;

  private final long seed;
  private final ByteBufAllocator allocator;
  private final SplittableRandom random;
  private final TimerQueue events = new TimerQueue();
  private final List<Member> members = new ArrayList<>();
  private final List<SimChannel> channels = new ArrayList<>();
  private List<Member> touched = new ArrayList<>();
  private List<Member> ending = new ArrayList<>();
  private SimObserver[] observers = new SimObserver[0];
  private long nowNanos;
  private boolean closed;

  /** A node and its place in the event queue. */
  final class Member extends Timer {
    final SimNode node;
    private final List<SimPort> ports = new ArrayList<>();
    private boolean isTouched;

    Member(SimNode node) {
      this.node = node;
    }

    @Override
    protected void fire(long now) {
      touch(this);
      node.advance(now);
    }
  }

  private static final class Action extends Timer {
    private final SimNetwork network;
    private final Runnable action;

    Action(SimNetwork network, Runnable action) {
      this.network = network;
      this.action = action;
    }

    @Override
    protected void fire(long now) {
      network.touchAll();
      action.run();
    }
  }

  public SimNetwork(long seed) {
    this(seed, ByteBufAllocator.DEFAULT);
  }

  /**
   * @param allocator of the packets that routers and middleboxes send of their own accord
   */
  public SimNetwork(long seed, ByteBufAllocator allocator) {
    this.seed = seed;
    this.allocator = allocator;
    random = new SplittableRandom(seed);
  }

  public long seed() {
    return seed;
  }

  public ByteBufAllocator allocator() {
    return allocator;
  }

  /** Virtual time. */
  public long nowNanos() {
    return nowNanos;
  }

  /** The virtual clock. */
  public NanoClock clock() {
    return () -> nowNanos;
  }

  /** A new random source of its own, split off the network's seed. */
  public RandomGenerator splitRandom() {
    return random.split();
  }

  /** Adds an observer; several are called in the order they were added. */
  public void observe(SimObserver observer) {
    observers = java.util.Arrays.copyOf(observers, observers.length + 1);
    observers[observers.length - 1] = observer;
  }

  /** Gives {@code node} one more interface. */
  public SimPort port(SimNode node, String interfaceName) {
    Member member = member(node);
    for (SimPort p : member.ports) {
      if (p.name().equals(interfaceName)) {
        throw new IllegalArgumentException(
            node.name() + " has an interface " + interfaceName + " already");
      }
    }
    SimPort port = new SimPort(this, member, interfaceName);
    member.ports.add(port);
    return port;
  }

  private Member member(SimNode node) {
    for (Member m : members) {
      if (m.node == node) {
        return m;
      }
      if (m.node.name().equals(node.name())) {
        throw new IllegalArgumentException("two nodes named " + node.name());
      }
    }
    Member added = new Member(node);
    members.add(added);
    touch(added);
    return added;
  }

  /** Joins two ports by a link that is up and the same in both directions. */
  public SimLink connect(SimPort a, SimPort b, LinkConfig both) {
    return connect(a, b, both, both);
  }

  /**
   * Joins two ports by a link that is up. Both ends are told within this instant.
   *
   * @param fromA direction from {@code a} to {@code b}
   */
  public SimLink connect(SimPort a, SimPort b, LinkConfig fromA, LinkConfig fromB) {
    SimLink link = new SimLink(this, a, b, fromA, fromB);
    a.connect(link);
    b.connect(link);
    channels.add(link);
    linkChanged(a);
    linkChanged(b);
    return link;
  }

  /** A half-duplex medium without stations; {@link SimMedium#join} adds them. */
  public SimMedium medium(LinkConfig config) {
    SimMedium medium = new SimMedium(this, config);
    channels.add(medium);
    return medium;
  }

  /** Runs {@code action} at a point in virtual time, after what was scheduled for it before. */
  public void at(long nanos, Runnable action) {
    if (nanos < nowNanos) {
      throw new IllegalArgumentException("action at " + nanos + " ns, but it is " + nowNanos);
    }
    events.arm(new Action(this, action), nanos);
  }

  /** Runs {@code action} after {@code nanos} of virtual time. */
  public void after(long nanos, Runnable action) {
    at(nowNanos + nanos, action);
  }

  /** The next time something happens: now, if calls from outside wait to be acted on. */
  public long nextEventNanos() {
    return touched.isEmpty() ? events.nextDeadlineNanos() : nowNanos;
  }

  /** Goes to the next instant at which something happens and lets it; false if nothing will. */
  public boolean step() {
    touchAll();
    endTurns();
    return step(NanoClock.NEVER - 1);
  }

  /** Lets everything up to and including {@code nanos} happen; the clock then stands there. */
  public void runUntil(long nanos) {
    touchAll();
    while (step(nanos)) {
      // Each step is one round of events.
    }
    nowNanos = Math.max(nowNanos, nanos);
  }

  /**
   * Runs until {@code condition} holds, asking after each round of events.
   *
   * @return false when {@code limitNanos} came first; the clock then stands there
   */
  public boolean runUntil(BooleanSupplier condition, long limitNanos) {
    touchAll();
    while (!condition.getAsBoolean()) {
      if (!step(limitNanos)) {
        nowNanos = Math.max(nowNanos, limitNanos);
        return condition.getAsBoolean();
      }
    }
    return true;
  }

  /**
   * For a caller with a real clock: catches up to {@code nanos}. A time already passed only acts on
   * calls made from outside.
   */
  public void advanceTo(long nanos) {
    runUntil(Math.max(nowNanos, nanos));
  }

  /**
   * Moves the clock on, at most to {@code nanos}, through time in which nothing happens. Calls
   * nobody; for a caller with a real clock before it calls into a node.
   */
  public void skipTo(long nanos) {
    nowNanos = Math.max(nowNanos, Math.min(nanos, events.nextDeadlineNanos()));
  }

  /** One round: the events of one instant, then the end of the turn for every node touched. */
  private boolean step(long limitNanos) {
    if (endTurns()) {
      return true;
    }
    long at = events.nextDeadlineNanos();
    if (at > limitNanos) {
      return false;
    }
    nowNanos = Math.max(nowNanos, at);
    int rounds = 0;
    do {
      events.advance(nowNanos);
      if (++rounds > MAX_ROUNDS_PER_INSTANT) {
        throw new IllegalStateException("virtual time does not pass beyond " + nowNanos + " ns");
      }
    } while (endTurns() && events.nextDeadlineNanos() <= nowNanos);
    return true;
  }

  /** True if any node had a turn to end. */
  private boolean endTurns() {
    if (touched.isEmpty()) {
      return false;
    }
    List<Member> now = touched;
    touched = ending;
    ending = now;
    for (int i = 0; i < now.size(); i++) {
      Member m = now.get(i);
      m.isTouched = false;
      m.node.endTurn(nowNanos);
      events.arm(m, m.node.nextDeadlineNanos());
    }
    now.clear();
    return true;
  }

  private void touch(Member member) {
    if (!member.isTouched) {
      member.isTouched = true;
      touched.add(member);
    }
  }

  private void touchAll() {
    for (int i = 0; i < members.size(); i++) {
      touch(members.get(i));
    }
  }

  /** Packets inside all links and media. */
  public int packetsInside() {
    int sum = 0;
    for (SimChannel c : channels) {
      sum += c.packetsInside();
    }
    return sum;
  }

  /** Closes every node and releases every packet under way. */
  @Override
  public void close() {
    if (closed) {
      return;
    }
    closed = true;
    for (Member m : members) {
      m.node.close();
    }
    for (SimChannel c : channels) {
      c.close();
    }
  }

  TimerQueue events() {
    return events;
  }

  /** One direction of a link that ends at {@code to}. */
  FaultInjector injector(LinkConfig config, SimPort to) {
    FaultInjector injector =
        new FaultInjector(config, p -> deliver(to, p), clock(), events, splitRandom().nextLong());
    injector.onDrop((why, packet) -> dropped(to, why, packet));
    return injector;
  }

  /** Tells the node within this instant how its link stands then, if that is news. */
  void linkChanged(SimPort port) {
    at(
        nowNanos,
        () -> {
          if (port.noticeChange()) {
            port.node().onLink(nowNanos, port, port.isUp());
          }
        });
  }

  void deliver(SimPort port, ByteBuf packet) {
    for (SimObserver o : observers) {
      o.onDelivered(nowNanos, port, packet);
    }
    touch(port.member);
    port.node().onPacket(nowNanos, port, packet);
  }

  void sent(SimPort port, ByteBuf packet) {
    for (SimObserver o : observers) {
      o.onSent(nowNanos, port, packet);
    }
  }

  void dropped(SimPort towards, LinkDrop why, ByteBuf packet) {
    for (SimObserver o : observers) {
      o.onDropped(nowNanos, towards, why, packet);
    }
  }
}

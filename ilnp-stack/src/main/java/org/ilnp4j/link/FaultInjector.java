package org.ilnp4j.link;

import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;
import org.ilnp4j.ip6.PacketSink;
import org.ilnp4j.time.NanoClock;
import org.ilnp4j.time.Timer;
import org.ilnp4j.time.TimerQueue;

/**
 * One direction of an imperfect link in front of any sink: queue, rate, delay, and seeded faults
 * (loss, duplication, corruption, reordering). The simulated network is made of these; in front of
 * a real device it does what {@code tc netem} does.
 *
 * <p>A packet waits in the queue, occupies the link for its serialisation time, then travels for
 * the delay; random faults happen on the way. All deliveries come from the timer queue, never from
 * within {@link #transmit}. Used on one thread.
 */
public final class FaultInjector implements PacketSink, AutoCloseable {
  /** Told of each packet the link does not deliver, before its buffer is released. */
  @FunctionalInterface
  public interface DropListener {
    void onDrop(LinkDrop why, ByteBuf packet);
  }

  /** What a cut does to packets inside the link. */
  public enum Cut {
    /** They are lost, as when a station leaves a cell. */
    DROP,
    /** They still arrive, as when a link is taken down in an orderly way. */
    DRAIN
  }

  /** More than this on the way at once would be a leak, not a link. */
  static final int MAX_IN_FLIGHT = 1 << 20;

  private final PacketSink next;
  private final NanoClock clock;
  private final TimerQueue timers;
  private final RandomGenerator random;
  private final TransmitTime transmitTime = new TransmitTime();
  private final LinkStats stats = new LinkStats();
  private final PacketRing queue = new PacketRing();
  private final PacketRing flight = new PacketRing();
  private final List<HeldBack> heldBack = new ArrayList<>();
  private LinkConfig config;
  private DropListener dropListener = (why, packet) -> {};
  private boolean up = true;

  /** The packet that occupies the link, or null. */
  private ByteBuf sending;

  private long departNanos;

  private long lastArrivalNanos;

  private final Timer departure =
      new Timer() {
        @Override
        protected void fire(long nowNanos) {
          depart(nowNanos);
        }
      };

  private final Timer arrival =
      new Timer() {
        @Override
        protected void fire(long nowNanos) {
          arrive(nowNanos);
        }
      };

  /** A packet that others overtake. */
  private final class HeldBack extends Timer {
    private final ByteBuf packet;

    HeldBack(ByteBuf packet) {
      this.packet = packet;
    }

    @Override
    protected void fire(long nowNanos) {
      heldBack.remove(this);
      deliver(packet);
    }
  }

  /**
   * @param timers drives departures and arrivals; must be advanced by the caller in time order
   */
  public FaultInjector(
      LinkConfig config,
      PacketSink next,
      NanoClock clock,
      TimerQueue timers,
      RandomGenerator random) {
    this.config = config;
    this.next = next;
    this.clock = clock;
    this.timers = timers;
    this.random = random;
  }

  public LinkConfig config() {
    return config;
  }

  /**
   * Changes the link under way. The packet being sent keeps its serialisation time; delay and
   * faults apply to every packet that has not left yet.
   */
  public void configure(LinkConfig newConfig) {
    config = newConfig;
  }

  public LinkStats stats() {
    return stats;
  }

  public void onDrop(DropListener listener) {
    dropListener = listener;
  }

  public boolean isUp() {
    return up;
  }

  public void up() {
    up = true;
  }

  /** Takes the link down: nothing more is accepted. */
  public void down(Cut cut) {
    up = false;
    if (cut == Cut.DROP) {
      dropInside(LinkDrop.CUT);
    }
  }

  /** Octets waiting, the packet being sent not counted. */
  public long queuedBytes() {
    return queue.bytes();
  }

  /** Packets accepted and neither delivered nor dropped yet. */
  public int packetsInside() {
    return queue.size() + flight.size() + heldBack.size() + (sending == null ? 0 : 1);
  }

  @Override
  public void transmit(ByteBuf packet) {
    int bytes = packet.readableBytes();
    stats.countOffered(bytes);
    if (!up) {
      drop(LinkDrop.DOWN, packet);
    } else if (bytes > config.mtu()) {
      drop(LinkDrop.TOO_BIG, packet);
    } else if (sending == null) {
      transmitTime.startBusyPeriod();
      send(clock.nanoTime(), packet);
    } else if (queue.size() >= config.queuePackets()
        || queue.bytes() + bytes > config.queueBytes()) {
      drop(LinkDrop.QUEUE_FULL, packet);
    } else {
      queue.add(packet, 0);
      stats.countQueued(queue.size(), queue.bytes());
    }
  }

  private void send(long atNanos, ByteBuf packet) {
    long busyNanos = transmitTime.next(config, packet.readableBytes());
    if (busyNanos == 0) {
      launch(atNanos, packet);
      return;
    }
    sending = packet;
    departNanos = atNanos + busyNanos;
    timers.arm(departure, departNanos);
  }

  /** Catches up on nominal times when the caller is late, so that the rate is kept. */
  private void depart(long nowNanos) {
    while (sending != null && departNanos <= nowNanos) {
      ByteBuf packet = sending;
      long atNanos = departNanos;
      sending = null;
      launch(atNanos, packet);
      while (sending == null && !queue.isEmpty()) {
        send(atNanos, queue.poll());
      }
    }
  }

  private void launch(long atNanos, ByteBuf packet) {
    ByteBuf travelling = packet;
    if (happens(config.loss())) {
      drop(LinkDrop.LOST, packet);
      return;
    }
    if (happens(config.corrupt())) {
      travelling = flipBit(packet);
    }
    if (happens(config.duplicate())) {
      stats.countDuplicated();
      fly(atNanos, travelling.copy());
    }
    fly(atNanos, travelling);
  }

  private void fly(long atNanos, ByteBuf packet) {
    long arrivalNanos = atNanos + config.delayNanos();
    if (config.jitterNanos() > 0) {
      arrivalNanos += random.nextLong(config.jitterNanos() + 1);
    }
    if (flight.size() >= MAX_IN_FLIGHT) {
      drop(LinkDrop.QUEUE_FULL, packet);
    } else if (happens(config.reorder())) {
      stats.countReordered();
      HeldBack late = new HeldBack(packet);
      heldBack.add(late);
      timers.arm(late, arrivalNanos + config.reorderNanos());
    } else {
      lastArrivalNanos = Math.max(lastArrivalNanos, arrivalNanos);
      flight.add(packet, lastArrivalNanos);
      if (flight.size() == 1) {
        timers.arm(arrival, lastArrivalNanos);
      }
    }
  }

  private void arrive(long nowNanos) {
    while (!flight.isEmpty() && flight.headNanos() <= nowNanos) {
      deliver(flight.poll());
    }
    if (!flight.isEmpty()) {
      timers.arm(arrival, flight.headNanos());
    }
  }

  private void deliver(ByteBuf packet) {
    stats.countDelivered(packet.readableBytes());
    next.transmit(packet);
  }

  private boolean happens(double probability) {
    return probability > 0 && random.nextDouble() < probability;
  }

  /** On a copy: the sender may hold parts of the packet for retransmission. */
  private ByteBuf flipBit(ByteBuf packet) {
    stats.countCorrupted();
    ByteBuf copy = packet.copy();
    packet.release();
    if (copy.isReadable()) {
      int bit = random.nextInt(copy.readableBytes() * 8);
      int index = copy.readerIndex() + bit / 8;
      copy.setByte(index, copy.getByte(index) ^ 1 << bit % 8);
    }
    return copy;
  }

  private void drop(LinkDrop why, ByteBuf packet) {
    stats.countDrop(why);
    dropListener.onDrop(why, packet);
    packet.release();
  }

  private void dropInside(LinkDrop why) {
    if (sending != null) {
      ByteBuf packet = sending;
      sending = null;
      drop(why, packet);
    }
    while (!queue.isEmpty()) {
      drop(why, queue.poll());
    }
    while (!flight.isEmpty()) {
      drop(why, flight.poll());
    }
    for (HeldBack late : heldBack) {
      timers.remove(late);
      drop(why, late.packet);
    }
    heldBack.clear();
    lastArrivalNanos = 0;
    timers.remove(departure);
    timers.remove(arrival);
  }

  /** Takes the link down and releases whatever is inside. */
  @Override
  public void close() {
    down(Cut.DROP);
  }
}

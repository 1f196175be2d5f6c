package org.ilnp4j.link;

import io.netty.buffer.ByteBuf;
import java.util.LinkedHashSet;
import java.util.Set;
import org.ilnp4j.ip6.PacketSink;
import org.ilnp4j.link.LinkChance.Draw;
import org.ilnp4j.time.NanoClock;
import org.ilnp4j.time.Timer;
import org.ilnp4j.time.TimerQueue;

/**
 * One direction of an imperfect link in front of any sink: queue, rate, delay, and seeded faults
 * (loss, duplication, corruption, reordering). The simulated network is made of these in virtual
 * time, the link emulator in real time.
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

  /** Octets on the way at most: half a second at 4 Gbit/s. */
  static final long MAX_IN_FLIGHT_BYTES = 256 << 20;

  /** Packets held back to be overtaken at most. */
  static final int MAX_HELD_BACK = 1 << 16;

  private final PacketSink next;
  private final NanoClock clock;
  private final TimerQueue timers;
  private final LinkChance chance;
  private LossProcess losses;
  private final TransmitTime transmitTime = new TransmitTime();
  private final LinkStats stats = new LinkStats();
  private final PacketRing queue = new PacketRing();
  private final CoDel coDel = new CoDel();
  private final PacketRing flight = new PacketRing();
  private final Set<HeldBack> heldBack = new LinkedHashSet<>();
  private LinkConfig config;
  private DropListener dropListener = (why, packet) -> {};
  private boolean up = true;

  /** The packet that occupies the link, or null. */
  private ByteBuf sending;

  private long sendingNumber;

  /** Chances are counted from this one on. */
  private long firstPacket;

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
    private final long dueNanos;

    HeldBack(ByteBuf packet, long dueNanos) {
      this.packet = packet;
      this.dueNanos = dueNanos;
    }

    @Override
    protected void fire(long nowNanos) {
      heldBack.remove(this);
      deliver(packet, nowNanos - dueNanos);
    }
  }

  /**
   * @param timers drives departures and arrivals; must be advanced by the caller in time order
   * @param seed of all chance: with the same one the n-th packet offered meets the same faults
   */
  public FaultInjector(
      LinkConfig config, PacketSink next, NanoClock clock, TimerQueue timers, long seed) {
    this.config = config;
    this.next = next;
    this.clock = clock;
    this.timers = timers;
    this.chance = new LinkChance(seed);
    this.losses = new LossProcess(chance);
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

  /** The chances of the next packet are those of the first one of a new link. */
  public void restartChances() {
    firstPacket = stats.offeredPackets();
    losses = new LossProcess(chance);
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

  /** Packets waiting, the one being sent not counted. */
  public int queuedPackets() {
    return queue.size();
  }

  /** Packets accepted and neither delivered nor dropped yet. */
  public int packetsInside() {
    return queue.size() + flight.size() + heldBack.size() + (sending == null ? 0 : 1);
  }

  @Override
  public void transmit(ByteBuf packet) {
    int bytes = packet.readableBytes();
    long number = stats.offeredPackets() - firstPacket;
    stats.countOffered(bytes);
    if (!up) {
      drop(LinkDrop.DOWN, packet);
    } else if (bytes > config.mtu()) {
      drop(LinkDrop.TOO_BIG, packet);
    } else if (sending == null) {
      transmitTime.startBusyPeriod();
      send(clock.nanoTime(), packet, number);
    } else if (makeRoom(bytes)) {
      queue.add(packet, clock.nanoTime(), number);
      stats.countQueued(queue.size(), queue.bytes());
    } else {
      drop(LinkDrop.QUEUE_FULL, packet);
    }
  }

  /** True when a packet of that size may wait; drops others for it if that is the policy. */
  private boolean makeRoom(int bytes) {
    boolean canFit = config.queuePackets() > 0 && bytes <= config.queueBytes();
    if (config.dropPolicy() == DropPolicy.HEAD && canFit) {
      while (isFull(bytes)) {
        drop(LinkDrop.QUEUE_FULL, queue.poll());
      }
    }
    return !isFull(bytes);
  }

  private boolean isFull(int bytes) {
    return queue.size() >= config.queuePackets() || queue.bytes() + bytes > config.queueBytes();
  }

  private void send(long atNanos, ByteBuf packet, long number) {
    long busyNanos = transmitTime.next(config, packet.readableBytes());
    if (busyNanos == 0) {
      launch(atNanos, packet, number);
      return;
    }
    sending = packet;
    sendingNumber = number;
    departNanos = atNanos + busyNanos;
    timers.arm(departure, departNanos);
  }

  /** Catches up on nominal times when the caller is late, so that the rate is kept. */
  private void depart(long nowNanos) {
    while (sending != null && departNanos <= nowNanos) {
      ByteBuf packet = sending;
      long atNanos = departNanos;
      sending = null;
      launch(atNanos, packet, sendingNumber);
      sendFromQueue(atNanos);
    }
  }

  private void sendFromQueue(long atNanos) {
    while (sending == null && !queue.isEmpty()) {
      long number = queue.headNumber();
      boolean isDropped =
          config.dropPolicy() == DropPolicy.CODEL
              && coDel.drops(atNanos, atNanos - queue.headNanos(), queue.bytes() <= config.mtu());
      ByteBuf packet = queue.poll();
      if (isDropped) {
        drop(LinkDrop.AQM, packet);
      } else {
        send(atNanos, packet, number);
      }
    }
  }

  private void launch(long atNanos, ByteBuf packet, long number) {
    ByteBuf travelling = packet;
    if (losses.loses(config, number)) {
      drop(LinkDrop.LOST, packet);
      return;
    }
    if (chance.happens(config.corrupt(), number, Draw.CORRUPT)) {
      travelling = flipBit(packet, number);
    }
    if (chance.happens(config.duplicate(), number, Draw.DUPLICATE)) {
      stats.countDuplicated();
      fly(atNanos, travelling.copy(), number, Draw.JITTER_OF_COPY, Draw.REORDER_OF_COPY);
    }
    fly(atNanos, travelling, number, Draw.JITTER, Draw.REORDER);
  }

  private void fly(long atNanos, ByteBuf packet, long number, Draw jitter, Draw reorder) {
    long arrivalNanos = atNanos + config.delayNanos();
    if (config.jitterNanos() > 0) {
      arrivalNanos += chance.below(config.jitterNanos() + 1, number, jitter);
    }
    if (flight.size() >= MAX_IN_FLIGHT
        || flight.bytes() + packet.readableBytes() > MAX_IN_FLIGHT_BYTES
        || heldBack.size() >= MAX_HELD_BACK) {
      drop(LinkDrop.QUEUE_FULL, packet);
    } else if (chance.happens(config.reorder(), number, reorder)) {
      stats.countReordered();
      HeldBack late = new HeldBack(packet, arrivalNanos + config.reorderNanos());
      heldBack.add(late);
      timers.arm(late, late.dueNanos);
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
      long lateNanos = nowNanos - flight.headNanos();
      deliver(flight.poll(), lateNanos);
    }
    if (!flight.isEmpty()) {
      timers.arm(arrival, flight.headNanos());
    }
  }

  private void deliver(ByteBuf packet, long lateNanos) {
    stats.countLate(lateNanos);
    stats.countDelivered(packet.readableBytes());
    next.transmit(packet);
  }

  /** On a copy: the sender may hold parts of the packet for retransmission. */
  private ByteBuf flipBit(ByteBuf packet, long number) {
    stats.countCorrupted();
    ByteBuf copy = packet.copy();
    packet.release();
    if (copy.isReadable()) {
      int bit = (int) chance.below(copy.readableBytes() * 8L, number, Draw.CORRUPT_BIT);
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

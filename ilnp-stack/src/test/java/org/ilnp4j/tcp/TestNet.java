package org.ilnp4j.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.List;
import java.util.PriorityQueue;
import java.util.SplittableRandom;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import org.ilnp4j.time.NanoClock;
import org.ilnp4j.wire.Icmp6;
import org.ilnp4j.wire.Icmp6Error;
import org.ilnp4j.wire.Ip6;
import org.ilnp4j.wire.PacketView;
import org.ilnp4j.wire.TcpHeader;

/**
 * A network in virtual time: each Locator has an access link with rate, queue, delay, loss,
 * reordering, duplication and corruption; a packet passes the sender's and the receiver's.
 * Everything is drawn from one seed, and each kind of fault on each direction of each link has dice
 * of its own: the n-th packet there meets the same fate whatever the stack sends elsewhere, so that
 * two versions of it can be compared.
 */
final class TestNet {
  /** So many rounds without time passing are a loop, not a network. */
  private static final int MAX_ROUNDS_PER_INSTANT = 100_000;

  /** Decides, packet by packet, on one kind of fault. */
  private static final class Dice {
    private final SplittableRandom random;
    private long packets;
    private double next = -1;

    Dice(SplittableRandom random) {
      this.random = random;
    }

    /**
     * @param evenly strikes one packet of each {@code 1 / probability}, wherever in it, instead of
     *     each by itself
     */
    boolean strikes(double probability, boolean evenly) {
      if (probability == 0) {
        return false;
      }
      if (!evenly) {
        return random.nextDouble() < probability;
      }
      double block = 1 / probability;
      if (next < 0) {
        next = packets + random.nextDouble() * block;
      }
      if (packets++ < (long) next) {
        return false;
      }
      next = (Math.floor(next / block) + 1 + random.nextDouble()) * block;
      return true;
    }
  }

  /** One direction of an access link. */
  private static final class Direction {
    private final Dice loss;
    private final Dice duplication;
    private final Dice corruption;
    private final Dice reordering;
    private final SplittableRandom random;
    private long busyUntil;

    Direction(SplittableRandom random) {
      loss = new Dice(random.split());
      duplication = new Dice(random.split());
      corruption = new Dice(random.split());
      reordering = new Dice(random.split());
      this.random = random.split();
    }
  }

  /** One access link. The faults are those of either direction. */
  static final class Access {
    final long l64;
    final TestNode owner;
    long delayNanos;

    /** Added to the delay, uniform from 0 to this; packets overtake each other. */
    long jitterNanos;

    double loss;

    double duplication;
    double corruption;

    /** Probability of being held back by {@link #holdBackNanos}, so that others overtake. */
    double reordering;

    long holdBackNanos;

    /** Faults are spread evenly, which takes fewer packets to show a rate. */
    boolean evenly;

    boolean up = true;

    /** Octets per second; 0 is unlimited. */
    long rate;

    int queueBytes = 1 << 20;

    /** Larger packets do not pass. */
    int mtu = 65535;

    /** What is too large is reported to its sender; else it vanishes (a black hole). */
    boolean reports = true;

    int tooLarge;
    long queueDrops;
    private final Direction upwards;
    private final Direction downwards;

    Access(long l64, TestNode owner, long delayNanos, SplittableRandom random) {
      this.l64 = l64;
      this.owner = owner;
      this.delayNanos = delayNanos;
      upwards = new Direction(random);
      downwards = new Direction(random);
    }

    /** When the last bit has passed, or -1 when the queue is full. */
    private long pass(long nowNanos, int bytes, Direction d) {
      if (rate == 0) {
        return nowNanos;
      }
      long start = Math.max(nowNanos, d.busyUntil);
      if ((start - nowNanos) * rate / 1_000_000_000L > queueBytes) {
        queueDrops++;
        return -1;
      }
      d.busyUntil = start + bytes * 1_000_000_000L / rate;
      return d.busyUntil;
    }

    private long latency(Direction d) {
      long late = delayNanos;
      if (jitterNanos > 0) {
        late += d.random.nextLong(jitterNanos + 1);
      }
      return d.reordering.strikes(reordering, evenly) ? late + holdBackNanos : late;
    }
  }

  private record Event(long atNanos, long serial, Runnable action) {}

  /** Seeds the nodes. */
  private final SplittableRandom random;

  final List<TestNode> nodes = new ArrayList<>();
  private final List<Access> accesses = new ArrayList<>();
  private final PriorityQueue<Event> events =
      new PriorityQueue<>(
          (a, b) ->
              a.atNanos != b.atNanos
                  ? Long.compare(a.atNanos, b.atNanos)
                  : Long.compare(a.serial, b.serial));
  private long serial;
  private int flying;
  long now;

  /** Packets the nodes have sent. */
  long packetsSent;

  /** Times at which something happened. */
  long turns;

  /** Packets for which it is false vanish. */
  Predicate<ByteBuf> filter = p -> true;

  TestNet(long seed) {
    random = new SplittableRandom(seed);
  }

  TestNode node(String name, long nid, int mtu, TcpConfig config) {
    TestNode n = new TestNode(name, nid, mtu, config, random.nextLong(), this::transmit);
    nodes.add(n);
    return n;
  }

  Access access(TestNode owner, long l64, long delayNanos) {
    Access a = new Access(l64, owner, delayNanos, random.split());
    accesses.add(a);
    return a;
  }

  /** Null when there is none. */
  Access access(long l64) {
    for (int i = 0; i < accesses.size(); i++) {
      if (accesses.get(i).l64 == l64) {
        return accesses.get(i);
      }
    }
    return null;
  }

  private static final boolean TRACE = Boolean.getBoolean("tcp.trace");

  /** {@code -Dtcp.trace=true} prints each packet as it leaves and as it arrives. */
  private void trace(String what, ByteBuf packet) {
    if (!TRACE) {
      return;
    }
    PacketView v = new PacketView();
    TcpHeader h = new TcpHeader();
    if (v.parse(packet) != null || h.parse(packet, v.upperIndex, v.upperLength) != null) {
      System.out.printf("%10.3f %s garbage%n", now / 1e6, what);
      return;
    }
    StringBuilder flags = new StringBuilder();
    for (int i = 0; i < 5; i++) {
      flags.append((h.flags & 1 << i) != 0 ? "FSRPA".charAt(i) : "");
    }
    System.out.printf(
        "%10.3f %s %x>%x %d>%d %s seq %s ack %s len %d win %d sacks %d ts %s nonce %x%n",
        now / 1e6,
        what,
        v.srcL64 & 0xf,
        v.dstL64 & 0xf,
        h.srcPort,
        h.dstPort,
        flags,
        Integer.toUnsignedString(h.seq),
        Integer.toUnsignedString(h.ack),
        h.payloadLength,
        h.window,
        h.sackCount,
        h.hasTimestamps ? h.tsVal + " " + h.tsEcr : "no",
        v.nonceHigh);
  }

  private void transmit(ByteBuf packet) {
    trace("sent", packet);
    packetsSent++;
    Access from = access(packet.getLong(packet.readerIndex() + Ip6.SRC_L64));
    Access to = access(packet.getLong(packet.readerIndex() + Ip6.DST_L64));
    if (from == null || to == null || !from.up || !to.up || !filter.test(packet)) {
      packet.release();
      return;
    }
    Direction up = from.upwards;
    Direction down = to.downwards;
    int bytes = packet.readableBytes();
    if (bytes > Math.min(from.mtu, to.mtu)) {
      refuse(packet, from, to);
      return;
    }
    boolean lost = up.loss.strikes(from.loss, from.evenly);
    lost |= down.loss.strikes(to.loss, to.evenly);
    if (lost) {
      packet.release();
      return;
    }
    long left = from.pass(now, bytes, up);
    long arrived = left < 0 ? -1 : to.pass(left + from.latency(up), bytes, down);
    if (arrived < 0) {
      packet.release();
      return;
    }
    if (up.corruption.strikes(from.corruption, from.evenly)) {
      corrupt(packet, up.random);
    }
    if (up.duplication.strikes(from.duplication, from.evenly)) {
      deliver(packet.copy(), from, to, arrived + to.latency(down));
    }
    deliver(packet, from, to, arrived + to.latency(down));
  }

  private static void corrupt(ByteBuf packet, SplittableRandom random) {
    int offset = random.nextInt(packet.readableBytes());
    // Locators and nonce stand outside of ILNP's checksum by design; the link's own covers them.
    boolean bare = offset >= Ip6.SRC_L64 && offset < Ip6.SRC_NID;
    bare |= offset >= Ip6.DST_L64 && offset < Ip6.DST_NID;
    bare |= offset >= Ip6.HEADER_BYTES && offset < Ip6.HEADER_BYTES + 8;
    int at = packet.readerIndex() + (bare ? Ip6.HOP_LIMIT : offset);
    packet.setByte(at, packet.getByte(at) ^ 1 << random.nextInt(8));
  }

  /** A router in between cannot forward it. */
  private void refuse(ByteBuf packet, Access from, Access to) {
    Access narrow = from.mtu < to.mtu ? from : to;
    narrow.tooLarge++;
    if (narrow.reports) {
      in(
          2 * from.delayNanos,
          () -> {
            from.owner.receive(now, tooBig(packet, narrow.mtu));
            packet.release();
          });
    } else {
      packet.release();
    }
  }

  /** A router's Packet Too Big about a packet (RFC 4443 §3.2). */
  static ByteBuf tooBig(ByteBuf about, int mtu) {
    PacketView v = new PacketView();
    v.parse(about);
    int bytes = Icmp6Error.bytes(v, Ip6.HEADER_BYTES);
    ByteBuf error = about.alloc().directBuffer(Ip6.HEADER_BYTES + bytes);
    Ip6.write(error, 0, bytes, Ip6.PROTO_ICMP6, 64, 0x20010db8_9999_0001L, 1, v.srcL64, v.srcNid);
    Icmp6Error.write(error, Icmp6.PACKET_TOO_BIG, 0, mtu, v, Ip6.HEADER_BYTES);
    Ip6.complete(error, Ip6.HEADER_BYTES, Ip6.PROTO_ICMP6, Icmp6.CHECKSUM_OFFSET, false);
    return error;
  }

  private void deliver(ByteBuf packet, Access from, Access to, long atNanos) {
    flying++;
    at(
        atNanos,
        () -> {
          flying--;
          if (from.up && to.up) {
            trace("came", packet);
            to.owner.receive(now, packet);
          } else {
            packet.release();
          }
        });
  }

  /** Does something at a time. */
  void at(long atNanos, Runnable action) {
    events.add(new Event(atNanos, serial++, action));
  }

  void in(long delayNanos, Runnable action) {
    at(now + delayNanos, action);
  }

  /** Runs until nothing is due before {@code untilNanos}, which then is the time. */
  void runUntil(long untilNanos) {
    run(untilNanos, () -> false);
    now = untilNanos;
    endTurns();
  }

  /** Runs until the condition holds or {@code limitNanos} has come. */
  void runUntil(BooleanSupplier condition, long limitNanos) {
    run(limitNanos, condition);
  }

  void runFor(long nanos) {
    runUntil(now + nanos);
  }

  /** Runs until the condition holds; fails when it does not in time. */
  void await(long limitNanos, BooleanSupplier condition) {
    long until = now + limitNanos;
    run(until, condition);
    assertThat(condition.getAsBoolean())
        .as("condition after %d ms", (now - until + limitNanos) / 1_000_000)
        .isTrue();
  }

  private void run(long untilNanos, BooleanSupplier condition) {
    endTurns();
    int rounds = 0;
    while (!condition.getAsBoolean()) {
      long next = events.isEmpty() ? NanoClock.NEVER : events.peek().atNanos;
      for (TestNode n : nodes) {
        next = Math.min(next, n.timers.nextDeadlineNanos());
      }
      if (next > untilNanos) {
        now = Math.max(now, untilNanos);
        return;
      }
      turns++;
      rounds = next > now ? 0 : rounds + 1;
      if (rounds > MAX_ROUNDS_PER_INSTANT) {
        throw new AssertionError("time does not pass beyond " + now + " ns");
      }
      now = Math.max(now, next);
      while (!events.isEmpty() && events.peek().atNanos <= now) {
        events.poll().action.run();
      }
      endTurns();
    }
  }

  private void endTurns() {
    for (TestNode n : nodes) {
      n.timers.advance(now);
      n.engine.endTurn(now);
    }
  }

  /** Nothing may be left: connections, timers, entries in use, buffers. */
  void assertNoLeaks() {
    filter = p -> true;
    runFor(NanoClock.seconds(300));
    assertThat(flying).as("packets under way").isZero();
    for (TestNode n : nodes) {
      assertThat(n.engine.connections()).as(n.name + " connections").isZero();
      assertThat(n.timers.armed()).as(n.name + " timers").isZero();
      assertThat(n.ilcc.all()).as(n.name).allMatch(c -> c.sessions() == 0);
    }
    for (TestNode n : nodes) {
      assertThat(n.usedMemory()).as(n.name + " buffers").isZero();
      assertThat(n.engine.memory().usedBytes()).as(n.name + " budget").isZero();
    }
  }
}

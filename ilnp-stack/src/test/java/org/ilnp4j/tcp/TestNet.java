package org.ilnp4j.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import org.ilnp4j.time.NanoClock;
import org.ilnp4j.wire.Ip6;
import org.ilnp4j.wire.PacketView;
import org.ilnp4j.wire.TcpHeader;

/**
 * A network in virtual time: each Locator has an access link with rate, delay, loss, reordering and
 * duplication; a packet passes the sender's and the receiver's. Everything is drawn from one seed.
 */
final class TestNet {
  /** One access link. */
  static final class Access {
    final long l64;
    final TestNode owner;
    long delayNanos;
    long jitterNanos;
    double loss;
    double duplication;
    double corruption;
    boolean up = true;

    /** Octets per second; 0 is unlimited. */
    long rate;

    int queueBytes = 1 << 20;
    long queueDrops;
    private long busyUntilUp;
    private long busyUntilDown;

    Access(long l64, TestNode owner, long delayNanos) {
      this.l64 = l64;
      this.owner = owner;
      this.delayNanos = delayNanos;
    }

    /** When the last bit has passed, or -1 when the queue is full. */
    private long pass(long nowNanos, int bytes, boolean upwards) {
      if (rate == 0) {
        return nowNanos;
      }
      long start = Math.max(nowNanos, upwards ? busyUntilUp : busyUntilDown);
      if ((start - nowNanos) * rate / 1_000_000_000L > queueBytes) {
        queueDrops++;
        return -1;
      }
      long end = start + bytes * 1_000_000_000L / rate;
      if (upwards) {
        busyUntilUp = end;
      } else {
        busyUntilDown = end;
      }
      return end;
    }
  }

  private record Event(long atNanos, long serial, Runnable action) {}

  final Random random;
  final List<TestNode> nodes = new ArrayList<>();
  private final Map<Long, Access> accesses = new HashMap<>();
  private final PriorityQueue<Event> events =
      new PriorityQueue<>(
          (a, b) ->
              a.atNanos != b.atNanos
                  ? Long.compare(a.atNanos, b.atNanos)
                  : Long.compare(a.serial, b.serial));
  private long serial;
  private int flying;
  long now;

  /** Packets for which it is false vanish. */
  Predicate<ByteBuf> filter = p -> true;

  TestNet(long seed) {
    random = new Random(seed);
  }

  TestNode node(String name, long nid, int mtu, TcpConfig config) {
    TestNode n = new TestNode(name, nid, mtu, config, random.nextLong(), this::transmit);
    nodes.add(n);
    return n;
  }

  Access access(TestNode owner, long l64, long delayNanos) {
    Access a = new Access(l64, owner, delayNanos);
    accesses.put(l64, a);
    return a;
  }

  Access access(long l64) {
    return accesses.get(l64);
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
        "%10.3f %s %x>%x %d>%d %s seq %s ack %s len %d win %d sacks %d nonce %x%n",
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
        v.nonceHigh);
  }

  private void transmit(ByteBuf packet) {
    trace("sent", packet);
    Access from = accesses.get(packet.getLong(packet.readerIndex() + Ip6.SRC_L64));
    Access to = accesses.get(packet.getLong(packet.readerIndex() + Ip6.DST_L64));
    if (from == null || to == null || !from.up || !to.up || !filter.test(packet)) {
      packet.release();
      return;
    }
    if (random.nextDouble() < from.loss || random.nextDouble() < to.loss) {
      packet.release();
      return;
    }
    long left = from.pass(now, packet.readableBytes(), true);
    long arrived = left < 0 ? -1 : to.pass(left + from.delayNanos, packet.readableBytes(), false);
    if (arrived < 0) {
      packet.release();
      return;
    }
    if (random.nextDouble() < from.corruption) {
      int offset = random.nextInt(packet.readableBytes());
      // Locators and nonce stand outside of ILNP's checksum by design; the link's own covers them.
      boolean bare = offset >= Ip6.SRC_L64 && offset < Ip6.SRC_NID;
      bare |= offset >= Ip6.DST_L64 && offset < Ip6.DST_NID;
      bare |= offset >= Ip6.HEADER_BYTES && offset < Ip6.HEADER_BYTES + 8;
      int at = packet.readerIndex() + (bare ? Ip6.HOP_LIMIT : offset);
      packet.setByte(at, packet.getByte(at) ^ 1 << random.nextInt(8));
    }
    if (random.nextDouble() < from.duplication) {
      deliver(packet.copy(), from, to, arrived);
    }
    deliver(packet, from, to, arrived);
  }

  private void deliver(ByteBuf packet, Access from, Access to, long atNanos) {
    long jitter = from.jitterNanos + to.jitterNanos;
    long extra = jitter == 0 ? 0 : (long) (random.nextDouble() * jitter);
    flying++;
    at(
        atNanos + to.delayNanos + extra,
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
    while (!condition.getAsBoolean()) {
      long next = events.isEmpty() ? NanoClock.NEVER : events.peek().atNanos;
      for (TestNode n : nodes) {
        next = Math.min(next, n.timers.nextDeadlineNanos());
      }
      if (next > untilNanos) {
        now = Math.max(now, untilNanos);
        return;
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

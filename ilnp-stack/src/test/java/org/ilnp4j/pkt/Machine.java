package org.ilnp4j.pkt;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import org.ilnp4j.host.Host;
import org.ilnp4j.host.HostConfig;
import org.ilnp4j.ilnp.Correspondent;
import org.ilnp4j.mobility.HandoffPolicy;
import org.ilnp4j.mobility.LocatorPlumber;
import org.ilnp4j.mobility.MobilityConfig;
import org.ilnp4j.mobility.MobilityConfig.UplinkConfig;
import org.ilnp4j.mobility.MobilityObserver;
import org.ilnp4j.tcp.TcpConfig;
import org.ilnp4j.tcp.TcpConnection;
import org.ilnp4j.tcp.TcpHandler;
import org.ilnp4j.time.NanoClock;

/**
 * The host under test with its clock and its wires. Time moves only in {@link #advanceTo} and
 * {@link #awaitPacket}; what the host sends is kept in order.
 */
final class Machine {
  static final long US = 0x02144ffffeabcd01L;
  static final long PEER = 0x02144ffffeabcd02L;

  /** Locators by the names scripts use: two uplinks of ours, two Locators of the peer. */
  static final List<String> UPLINKS = List.of("wlan0", "wlan1");

  private static final long[] OUR_L64 = {0x20010db800010001L, 0x20010db800030003L};
  static final List<String> PEERS = List.of("peer0", "peer1");
  private static final long[] PEER_L64 = {0x20010db800020002L, 0x20010db800040004L};

  /** No script needs more; one that loops must end. */
  private static final long MAX_NANOS = NanoClock.seconds(40 * 86_400L);

  private static final int MAX_STEPS = 500_000;
  private static final int MAX_SENT = 200_000;
  private static final long SEED = 20260101;

  final boolean ilnp;
  final Host host;
  final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true, true);
  final Deque<Segment> sent = new ArrayDeque<>();
  long now = NanoClock.seconds(1000);
  private final long startNanos = now;
  private int steps;
  private int packets;
  private ScriptStop bad;
  private boolean inTurn;

  /** Called after every turn of the host. */
  Runnable afterTurn = () -> {};

  Machine(boolean ilnp, int mtu, TcpConfig tcp) {
    this.ilnp = ilnp;
    List<UplinkConfig> uplinks =
        List.of(
            new UplinkConfig(UPLINKS.get(0), 10, OUR_L64[0], 0, 0),
            new UplinkConfig(UPLINKS.get(1), 20, OUR_L64[1], 0, 0));
    MobilityConfig mobility = MobilityConfig.of(uplinks, HandoffPolicy.byName("preference"));
    host =
        new Host(
            new HostConfig(US, mtu, 12, 64, tcp, mobility),
            this::transmit,
            allocator,
            LocatorPlumber.NONE,
            new Random(SEED),
            MobilityObserver.NONE);
    host.onLink(now, UPLINKS.get(0), true);
    turn();
    sent.clear();
  }

  int receiveBufferBytes() {
    return host.config().tcp().receiveBufferBytes();
  }

  static long locator(String name) {
    int i = UPLINKS.indexOf(name);
    int j = PEERS.indexOf(name);
    if (i < 0 && j < 0) {
      throw ScriptStop.syntax("one of " + UPLINKS + " or " + PEERS, name);
    }
    return i >= 0 ? OUR_L64[i] : PEER_L64[j];
  }

  static String locatorName(long l64) {
    for (int i = 0; i < 2; i++) {
      if (OUR_L64[i] == l64 || PEER_L64[i] == l64) {
        return OUR_L64[i] == l64 ? UPLINKS.get(i) : PEERS.get(i);
      }
    }
    return Long.toHexString(l64);
  }

  private void transmit(ByteBuf packet) {
    try {
      if (++packets <= MAX_SENT) {
        sent.add(new Segment(packet, now));
      }
    } catch (ScriptStop stop) {
      bad = stop; // the host must not see it
    } finally {
      packet.release();
    }
  }

  // ---- time -----------------------------------------------------------------------------------

  /** Microseconds since the script began. */
  long micros() {
    return (now - startNanos) / 1000;
  }

  private long nanos(long micros) {
    return startNanos + micros * 1000;
  }

  /** Lets the time pass; timers due at that very moment fire only after what the script does. */
  void advanceTo(long micros) {
    long target = nanos(micros);
    while (host.nextDeadlineNanos() < target) {
      step();
    }
    now = Math.max(now, target);
  }

  /** Lets the time pass until a packet is there, or to the limit. */
  void awaitPacket(long limitMicros) {
    long limit = Math.min(nanos(limitMicros), startNanos + MAX_NANOS);
    while (sent.isEmpty() && host.nextDeadlineNanos() <= limit) {
      step();
    }
    if (sent.isEmpty()) {
      now = Math.max(now, limit);
    }
  }

  private void step() {
    long next = host.nextDeadlineNanos();
    if (++steps > MAX_STEPS || next - startNanos > MAX_NANOS || packets > MAX_SENT) {
      throw ScriptStop.fail("endless script", "an end", steps + " steps, " + packets + " packets");
    }
    now = Math.max(now, next);
    host.advance(now);
    turn();
  }

  void turn() {
    host.endTurn(now);
    if (!inTurn) {
      inTurn = true;
      afterTurn.run();
      inTurn = false;
      host.endTurn(now);
    }
    if (bad != null) {
      throw bad;
    }
  }

  // ---- input ----------------------------------------------------------------------------------

  void deliver(ByteBuf packet) {
    host.onPacket(now, packet);
    turn();
  }

  TcpConnection connect(int port, TcpHandler handler) {
    try {
      if (ilnp) {
        return host.connect(now, PEER, List.of(PEER_L64[0]), port, handler);
      }
      Correspondent c = host.ilcc().openClassic(now, OUR_L64[0], PEER, PEER_L64[0]);
      return host.tcp().connect(now, c, port, handler);
    } catch (IllegalStateException e) {
      throw ScriptStop.fail("connect", "a connection", e.getMessage());
    }
  }

  void link(String uplink, String what) {
    try {
      switch (what) {
        case "up", "down" -> host.onLink(now, uplink, what.equals("up"));
        default -> host.locators().requestHandoff(now, what.equals("hard"), uplink);
      }
    } catch (IllegalArgumentException e) {
      throw ScriptStop.fail("link", uplink + " " + what, e.getMessage());
    }
    turn();
  }

  // ---- end ------------------------------------------------------------------------------------

  /** Ends everything; null, or what was left behind. */
  String close() {
    afterTurn = () -> {};
    host.close(now);
    host.endTurn(now);
    sent.clear();
    long buffers = allocator.metric().usedDirectMemory() + allocator.metric().usedHeapMemory();
    if (buffers > 0) {
      return buffers + " octets of buffers";
    }
    if (host.armedTimers() > 0) {
      return host.armedTimers() + " armed timers";
    }
    return host.tcp().connections() > 0 ? host.tcp().connections() + " connections" : null;
  }
}

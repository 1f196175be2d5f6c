package org.ilnp4j.host;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.util.ResourceLeakDetector;
import io.netty.util.concurrent.FastThreadLocalThread;
import java.lang.management.ManagementFactory;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Random;
import org.ilnp4j.ip6.GatheredPacket;
import org.ilnp4j.ip6.PacketSink;
import org.ilnp4j.mobility.HandoffPolicy;
import org.ilnp4j.mobility.LocatorPlumber;
import org.ilnp4j.mobility.MobilityConfig;
import org.ilnp4j.mobility.MobilityConfig.UplinkConfig;
import org.ilnp4j.mobility.MobilityObserver;
import org.ilnp4j.tcp.TcpAcceptor;
import org.ilnp4j.tcp.TcpCloseReason;
import org.ilnp4j.tcp.TcpConfig;
import org.ilnp4j.tcp.TcpConnection;
import org.ilnp4j.tcp.TcpHandler;
import org.ilnp4j.time.NanoClock;
import org.ilnp4j.util.Counter;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** In the steady state of a transfer, no segment costs the garbage collector anything. */
class HostAllocationTest {
  private static final int CHUNK_BYTES = 64 << 10;

  /** So many packets are under way in a turn: no more than Netty recycles without a new list. */
  private static final int PACKETS_PER_TURN = 20;

  private static final int SEGMENTS = 100_000;
  private static final int SEGMENT_BYTES = 1400;
  private static final long TURN_NANOS = NanoClock.millis(1) / 20;
  private static final int PORT = 80;
  private static final long LEFT_L64 = 0x2001_0db8_000a_0001L;
  private static final long RIGHT_L64 = 0x2001_0db8_000b_0001L;

  /** For all segments together: less than one object for a thousand of them. */
  private static final long MOST_BYTES = SEGMENTS / 1000 * 24L;

  private static final PooledByteBufAllocator ALLOCATOR = PooledByteBufAllocator.DEFAULT;

  /** A host, and what waits to be delivered to it. */
  private static final class Node {
    final Host host;
    final ArrayDeque<ByteBuf> inbox = new ArrayDeque<>(1024);
    Node peer;

    Node(long nid, long l64, boolean gathers) {
      MobilityConfig mobility =
          MobilityConfig.of(
              List.of(new UplinkConfig("uplink", 10, l64, 0, 0)), HandoffPolicy.PREFERENCE);
      host =
          new Host(
              HostConfig.of(nid, mobility).withTcp(tcp(gathers)),
              gathers ? new Gathering() : packet -> peer.inbox.add(packet),
              ALLOCATOR,
              LocatorPlumber.NONE,
              new Random(nid),
              MobilityObserver.NONE);
      host.onLink(0, "uplink", true);
    }

    private static TcpConfig tcp(boolean gathers) {
      int window = PACKETS_PER_TURN * (gathers ? 1 << 16 : SEGMENT_BYTES);
      return TcpConfig.DEFAULT.withBuffers(window, window);
    }

    void turn(long nowNanos, boolean gathers) {
      for (ByteBuf b = inbox.poll(); b != null; b = inbox.poll()) {
        host.onPacket(nowNanos, b, gathers, gathers ? SEGMENT_BYTES : 0);
      }
      host.advance(nowNanos);
      host.endTurn(nowNanos);
    }

    /** A pair of devices that pass super-segments whole. */
    private final class Gathering implements PacketSink {
      @Override
      public void transmit(ByteBuf packet) {
        peer.inbox.add(packet);
      }

      @Override
      public int gatherBytes() {
        return 65_575;
      }

      @Override
      public void transmit(GatheredPacket packet) {
        peer.inbox.add(packet.flatten(ALLOCATOR, 0));
      }
    }
  }

  /** Sends for ever, or drops what it reads. */
  private static final class Program implements TcpHandler {
    private final ByteBuf chunk = ALLOCATOR.directBuffer(CHUNK_BYTES).writeZero(CHUNK_BYTES);
    private final boolean sends;
    long received;

    Program(boolean sends) {
      this.sends = sends;
    }

    private void pump(long nowNanos, TcpConnection c) {
      while (sends && c.sendSpaceBytes() > 0) {
        c.send(nowNanos, chunk.retainedSlice(0, Math.min(c.sendSpaceBytes(), CHUNK_BYTES)));
      }
    }

    @Override
    public void onConnected(long nowNanos, TcpConnection c) {
      pump(nowNanos, c);
    }

    @Override
    public void onReadable(long nowNanos, TcpConnection c) {
      for (ByteBuf b = c.read(nowNanos, CHUNK_BYTES); b != null; ) {
        received += b.readableBytes();
        b.release();
        b = c.read(nowNanos, CHUNK_BYTES);
      }
    }

    @Override
    public void onWritable(long nowNanos, TcpConnection c) {
      pump(nowNanos, c);
    }

    @Override
    public void onClosed(long nowNanos, TcpConnection c, TcpCloseReason reason) {
      chunk.release();
    }
  }

  private long nowNanos;
  private Throwable failure;

  @ParameterizedTest(name = "super-segments {0}")
  @ValueSource(booleans = {false, true})
  void shouldAllocateNothingPerSegment(boolean gathers) throws Exception {
    // As on an event loop: only such threads have caches of pooled buffers.
    Thread t = new FastThreadLocalThread(() -> run(gathers), "loop");
    t.setUncaughtExceptionHandler((thread, e) -> failure = e);
    ResourceLeakDetector.Level level = ResourceLeakDetector.getLevel();
    ResourceLeakDetector.setLevel(ResourceLeakDetector.Level.DISABLED); // it allocates much
    t.start();
    t.join();
    ResourceLeakDetector.setLevel(level);
    assertThat(failure).isNull();
  }

  private void run(boolean gathers) {
    Node a = new Node(1, LEFT_L64, gathers);
    Node b = new Node(2, RIGHT_L64, gathers);
    a.peer = b;
    b.peer = a;
    Program receiver = new Program(false);
    TcpAcceptor acceptor = (now, pending) -> pending.accept(now, receiver);
    b.host.listen(PORT, acceptor);
    a.host.connect(0, 2, List.of(RIGHT_L64), PORT, new Program(true));
    for (int i = 0; i < 5; i++) {
      transfer(a, b, receiver, gathers); // code is compiled, tables grow to what they need
    }
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long before = threads.getCurrentThreadAllocatedBytes();
    transfer(a, b, receiver, gathers);
    long allocated = threads.getCurrentThreadAllocatedBytes() - before;
    assertThat(a.host.counters().get(Counter.TCP_RETRANSMITTED)).isZero();
    a.host.close(nowNanos);
    b.turn(nowNanos, gathers);
    b.host.close(nowNanos);
    a.inbox.forEach(ByteBuf::release);
    b.inbox.forEach(ByteBuf::release);
    assertThat(allocated).as("octets of heap for %d segments", SEGMENTS).isLessThan(MOST_BYTES);
  }

  private void transfer(Node a, Node b, Program receiver, boolean gathers) {
    long end = receiver.received + (long) SEGMENTS * SEGMENT_BYTES;
    for (int turn = 0; receiver.received < end; turn++) {
      if (turn > SEGMENTS) {
        throw new AssertionError("the transfer stands still");
      }
      nowNanos += TURN_NANOS;
      a.turn(nowNanos, gathers);
      b.turn(nowNanos, gathers);
    }
  }
}

package org.ilnp4j.sim;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.List;
import org.ilnp4j.link.CountingAllocator;
import org.ilnp4j.time.NanoClock;
import org.junit.jupiter.api.AfterEach;

/** A network with a fixed seed whose end is checked: no packet, no buffer left. */
abstract class SimTestBase {
  static final long SEED = 20260101;
  static final long MS = NanoClock.millis(1);
  static final long SECOND = NanoClock.seconds(1);

  /** Subnetworks: 2001:db8:n:0. */
  static long l64(int n) {
    return 0x2001_0db8_0000_0000L | (long) n << 16;
  }

  final CountingAllocator buffers = new CountingAllocator();
  final SimNetwork network = new SimNetwork(SEED, buffers.allocator());

  @AfterEach
  void leavesNothingBehind() {
    network.close();
    assertThat(network.packetsInside()).isZero();
    buffers.assertAllReleased();
  }

  /** One arrival at a {@link Recorder}. */
  record Arrival(long nanos, String port, byte[] bytes) {
    int number() {
      int n = bytes.length;
      return (bytes[n - 4] & 0xff) << 24
          | (bytes[n - 3] & 0xff) << 16
          | (bytes[n - 2] & 0xff) << 8
          | (bytes[n - 1] & 0xff);
    }

    int hopLimit() {
      return bytes[7] & 0xff;
    }

    /** Octet at an offset from the IPv6 header. */
    int octet(int offset) {
      return bytes[offset] & 0xff;
    }

    boolean isIcmp(int type) {
      return octet(6) == 58 && octet(40) == type;
    }
  }

  /** An end host that writes down what happens to it. */
  static final class Recorder implements SimNode {
    final List<Arrival> arrivals = new ArrayList<>();
    final List<String> calls = new ArrayList<>();
    private final String name;

    Recorder(String name) {
      this.name = name;
    }

    @Override
    public String name() {
      return name;
    }

    @Override
    public void onPacket(long nowNanos, SimPort port, ByteBuf packet) {
      byte[] bytes = new byte[packet.readableBytes()];
      packet.readBytes(bytes);
      packet.release();
      arrivals.add(new Arrival(nowNanos, port.name(), bytes));
      calls.add("packet");
    }

    @Override
    public void onLink(long nowNanos, SimPort port, boolean up) {
      calls.add(port.name() + (up ? " up" : " down"));
    }

    @Override
    public void endTurn(long nowNanos) {
      calls.add("end");
    }

    List<Integer> numbers() {
      return arrivals.stream().map(Arrival::number).toList();
    }

    List<Long> times() {
      return arrivals.stream().map(Arrival::nanos).toList();
    }

    List<Arrival> icmp(int type) {
      return arrivals.stream().filter(a -> a.isIcmp(type)).toList();
    }
  }
}

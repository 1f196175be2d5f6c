package org.ilnp4j.sim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.ilnp4j.link.FaultInjector.Cut;
import org.ilnp4j.link.LinkConfig;
import org.ilnp4j.link.LinkDrop;
import org.ilnp4j.time.NanoClock;
import org.junit.jupiter.api.Test;

class SimNetworkTest extends SimTestBase {
  private final Recorder a = new Recorder("a");
  private final Recorder b = new Recorder("b");
  private final SimPort a0 = network.port(a, "eth0");
  private final SimPort b0 = network.port(b, "eth0");

  @Test
  void shouldCarryPacketsBothWaysWithEachDirectionsOwnRate() {
    network.connect(a0, b0, LinkConfig.of(12_000_000, 5 * MS), LinkConfig.of(1_200_000, MS));
    a0.transmit(buffers.packet(1500, 1));
    b0.transmit(buffers.packet(1500, 2));
    network.runUntil(SECOND);
    assertThat(b.times()).containsExactly(6 * MS);
    assertThat(a.times()).containsExactly(11 * MS);
    assertThat(network.nowNanos()).isEqualTo(SECOND);
  }

  @Test
  void shouldRunActionsOfOneInstantInTheOrderTheyWereScheduled() {
    List<String> order = new ArrayList<>();
    network.at(5, () -> order.add("first"));
    network.at(5, () -> network.after(0, () -> order.add("from within")));
    network.at(5, () -> order.add("second"));
    network.at(4, () -> order.add("before"));
    network.runUntil(10);
    assertThat(order).containsExactly("before", "first", "second", "from within");
  }

  @Test
  void shouldGiveANodeAllPacketsOfAnInstantBeforeItsTurnEnds() {
    network.connect(a0, b0, LinkConfig.of(0, MS));
    network.runUntil(0);
    b.calls.clear();
    for (int i = 0; i < 3; i++) {
      a0.transmit(buffers.packet(100, i));
    }
    network.runUntil(MS - 1);
    b.calls.clear();
    network.runUntil(MS);
    assertThat(b.calls.subList(b.calls.indexOf("packet"), b.calls.size()))
        .containsExactly("packet", "packet", "packet", "end");
  }

  @Test
  void shouldTellBothEndsWhenTheLinkChanges() {
    SimLink link = network.connect(a0, b0, LinkConfig.of(0, MS));
    network.runUntil(0);
    assertThat(a.calls).contains("eth0 up");
    assertThat(b.calls).contains("eth0 up");
    link.down(Cut.DROP);
    network.runUntil(0);
    assertThat(a.calls).contains("eth0 down");
    assertThat(b.calls).contains("eth0 down");
    assertThat(a0.isUp()).isFalse();
    a0.transmit(buffers.packet(100, 1));
    link.up();
    a0.transmit(buffers.packet(100, 2));
    network.runUntil(SECOND);
    assertThat(b.numbers()).containsExactly(2);
    assertThat(link.from(a0).stats().drops(LinkDrop.DOWN)).isEqualTo(1);
  }

  @Test
  void shouldStopWhenTheConditionHoldsAndSayWhenItDoesNot() {
    network.connect(a0, b0, LinkConfig.of(0, 3 * MS));
    a0.transmit(buffers.packet(100, 1));
    assertThat(network.runUntil(() -> !b.arrivals.isEmpty(), SECOND)).isTrue();
    assertThat(network.nowNanos()).isEqualTo(3 * MS);
    assertThat(network.runUntil(() -> b.arrivals.size() > 1, SECOND)).isFalse();
    assertThat(network.nowNanos()).isEqualTo(SECOND);
  }

  @Test
  void shouldStepFromEventToEvent() {
    network.connect(a0, b0, LinkConfig.of(12_000_000, 5 * MS));
    while (network.nextEventNanos() == 0) {
      network.step(); // link up
    }
    a0.transmit(buffers.packet(1500, 1));
    assertThat(network.nextEventNanos()).isEqualTo(MS);
    assertThat(network.step()).isTrue();
    assertThat(network.nowNanos()).isEqualTo(MS);
    assertThat(network.step()).isTrue();
    assertThat(network.nowNanos()).isEqualTo(6 * MS);
    assertThat(b.numbers()).containsExactly(1);
    assertThat(network.step()).isFalse();
    assertThat(network.nextEventNanos()).isEqualTo(NanoClock.NEVER);
  }

  @Test
  void shouldCatchUpWithARealClockAndIgnoreOneThatLagsBehind() {
    network.connect(a0, b0, LinkConfig.of(0, MS));
    a0.transmit(buffers.packet(100, 1));
    network.advanceTo(10 * MS);
    assertThat(b.times()).containsExactly(MS);
    network.advanceTo(5 * MS);
    assertThat(network.nowNanos()).isEqualTo(10 * MS);
  }

  @Test
  void shouldWakeANodeAtItsDeadline() {
    List<Long> woken = new ArrayList<>();
    SimNode clockwork =
        new SimNode() {
          @Override
          public String name() {
            return "clockwork";
          }

          @Override
          public void onPacket(long nowNanos, SimPort port, ByteBuf packet) {
            packet.release();
          }

          @Override
          public void advance(long nowNanos) {
            woken.add(nowNanos);
          }

          @Override
          public long nextDeadlineNanos() {
            return woken.size() < 3 ? (woken.size() + 1) * 7 : NanoClock.NEVER;
          }
        };
    network.port(clockwork, "p");
    network.runUntil(100);
    assertThat(woken).containsExactly(7L, 14L, 21L);
  }

  @Test
  void shouldRefuseToHangWhenTimeDoesNotPass() {
    SimNode stuck =
        new SimNode() {
          @Override
          public String name() {
            return "stuck";
          }

          @Override
          public void onPacket(long nowNanos, SimPort port, ByteBuf packet) {
            packet.release();
          }

          @Override
          public long nextDeadlineNanos() {
            return 0;
          }
        };
    network.port(stuck, "p");
    assertThatIllegalStateException()
        .isThrownBy(() -> network.runUntil(100))
        .withMessageContaining("virtual time does not pass beyond 0 ns");
  }

  @Test
  void shouldRefuseNamesUsedTwiceAndActionsInThePast() {
    assertThatIllegalArgumentException().isThrownBy(() -> network.port(a, "eth0"));
    assertThatIllegalArgumentException().isThrownBy(() -> network.port(new Recorder("a"), "x"));
    network.runUntil(10);
    assertThatIllegalArgumentException().isThrownBy(() -> network.at(9, () -> {}));
    network.connect(a0, b0, LinkConfig.PERFECT);
    assertThatIllegalStateException()
        .isThrownBy(() -> network.connect(a0, network.port(b, "eth1"), LinkConfig.PERFECT));
  }

  @Test
  void shouldDropAndCountWhatLeavesAnUnconnectedPort() {
    a0.transmit(buffers.packet(100, 1));
    assertThat(a0.unconnectedDrops()).isEqualTo(1);
  }

  @Test
  void shouldReplayTheSameTraceFromTheSameSeedAndAnotherFromAnother() {
    long first = traceHash(7);
    assertThat(traceHash(7)).isEqualTo(first);
    assertThat(traceHash(8)).isNotEqualTo(first);
  }

  @Test
  void shouldNotLetTrafficOnOneLinkShiftTheDiceOfAnother() {
    assertThat(lossPattern(false)).isEqualTo(lossPattern(true));
  }

  private List<Integer> lossPattern(boolean withOtherTraffic) {
    try (SimNetwork net = new SimNetwork(SEED, buffers.allocator())) {
      Recorder from = new Recorder("from");
      Recorder to = new Recorder("to");
      SimPort from0 = net.port(from, "0");
      SimPort from1 = net.port(from, "1");
      LinkConfig lossy = LinkConfig.of(0, MS).withLoss(0.3);
      net.connect(from0, net.port(to, "0"), lossy);
      net.connect(from1, net.port(to, "1"), lossy);
      for (int i = 0; i < 200; i++) {
        from0.transmit(buffers.packet(100, i));
        if (withOtherTraffic) {
          from1.transmit(buffers.packet(100, i));
        }
      }
      net.runUntil(SECOND);
      return to.arrivals.stream().filter(x -> x.port().equals("0")).map(Arrival::number).toList();
    }
  }

  /** Random traffic through a router over faulty links; every event goes into the hash. */
  private long traceHash(long seed) {
    long[] hash = {17};
    try (SimNetwork net = new SimNetwork(seed, buffers.allocator())) {
      net.observe(
          new SimObserver() {
            @Override
            public void onSent(long now, SimPort port, ByteBuf packet) {
              mix(1, now, port.toString(), packet);
            }

            @Override
            public void onDelivered(long now, SimPort port, ByteBuf packet) {
              mix(2, now, port.toString(), packet);
            }

            @Override
            public void onDropped(long now, SimPort port, LinkDrop why, ByteBuf packet) {
              mix(3, now, port + why.name(), packet);
            }

            private void mix(int kind, long now, String where, ByteBuf packet) {
              hash[0] = hash[0] * 31 + kind;
              hash[0] = hash[0] * 31 + now;
              hash[0] = hash[0] * 31 + where.hashCode();
              hash[0] = hash[0] * 31 + ByteBufUtil.hashCode(packet);
            }
          });
      Recorder left = new Recorder("left");
      Recorder right = new Recorder("right");
      SimRouter router = new SimRouter(net, "router", 0xf);
      SimPort left0 = net.port(left, "0");
      LinkConfig faulty =
          LinkConfig.of(20_000_000, 2 * MS)
              .withLoss(0.05)
              .withDuplicate(0.05)
              .withCorrupt(0.05)
              .withReorder(0.05, MS)
              .withJitter(MS)
              .withQueuePackets(10);
      SimPort inner = router.addInterface("in", l64(1));
      net.connect(left0, inner, faulty);
      net.connect(router.addInterface("out", l64(2)), net.port(right, "0"), faulty);
      router.advertise(inner, RaConfig.ofLocator(l64(1), 30 * MS, 70 * MS));
      SplittableRandom traffic = new SplittableRandom(99);
      for (int i = 0; i < 300; i++) {
        int number = i;
        int bytes = 44 + traffic.nextInt(1400);
        net.at(traffic.nextLong(SECOND), () -> left0.transmit(buffers.packet(bytes, number)));
      }
      net.runUntil(2 * SECOND);
      assertThat(right.arrivals).hasSizeGreaterThan(200);
      assertThat(left.icmp(134)).hasSizeGreaterThan(20);
    }
    return hash[0];
  }

  @Test
  void shouldReleaseWhatIsUnderWayWhenClosed() {
    network.connect(a0, b0, LinkConfig.of(1_000_000, SECOND));
    for (int i = 0; i < 20; i++) {
      a0.transmit(buffers.packet(1000, i));
    }
    network.runUntil(100 * MS);
    assertThat(network.packetsInside()).isEqualTo(20);
    network.close();
  }
}

package org.ilnp4j.sim;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import java.util.ArrayList;
import java.util.List;
import org.ilnp4j.ilnp.Correspondent;
import org.ilnp4j.ilnp.SessionMode;
import org.ilnp4j.link.FaultInjector.Cut;
import org.ilnp4j.link.LinkConfig;
import org.ilnp4j.link.LinkDrop;
import org.ilnp4j.mobility.Handoff;
import org.ilnp4j.mobility.HandoffPolicy;
import org.ilnp4j.mobility.MobilityObserver;
import org.ilnp4j.sim.EmbeddedNetwork.Scene;
import org.ilnp4j.tcp.TcpCloseReason;
import org.ilnp4j.tcp.TcpInfo;
import org.ilnp4j.util.Counter;
import org.ilnp4j.util.Counters;
import org.ilnp4j.util.DropReason;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The main job in virtual time: a download that moves between two links, and what it costs. */
class HandoffDownloadTest extends SimTestBase {
  private static final long MEGABYTE = 1_000_000;

  /** Round trip over the first and the second access network, without queues. */
  private static final long LAN_RTT = 4 * MS;

  private static final long WAN_RTT = 24 * MS;

  private final List<Handoff> moves = new ArrayList<>();
  private final List<Long> updateRttNanos = new ArrayList<>();
  private EmbeddedNetwork scene;
  private BulkFlow flow;

  private final MobilityObserver observer =
      new MobilityObserver() {
        @Override
        public void onHandoff(long nowNanos, Handoff handoff) {
          moves.add(handoff);
        }

        @Override
        public void onUpdateAcknowledged(long nowNanos, Correspondent c, long rttNanos) {
          updateRttNanos.add(rttNanos);
        }
      };

  @AfterEach
  void leavesNoTimer() {
    network.close();
    assertThat(scene.mobile().host().armedTimers()).isZero();
    assertThat(scene.correspondent().host().armedTimers()).isZero();
  }

  private void download(Scene figures, long bytes) {
    scene = new EmbeddedNetwork(network, figures, observer);
    assertThat(network.runUntil(scene::isReady, SECOND)).isTrue();
    flow = new BulkFlow(scene, buffers.allocator(), bytes);
    flow.start(80);
  }

  private void runUntilReceived(long bytes) {
    assertThat(
            network.runUntil(() -> flow.receivedBytes >= bytes, network.nowNanos() + 60 * SECOND))
        .as("stuck at %d octets", flow.receivedBytes)
        .isTrue();
  }

  private void pass(long nanos) {
    network.runUntil(network.nowNanos() + nanos);
  }

  private TcpInfo sender() {
    return flow.server.info(network.nowNanos());
  }

  private Handoff lastMove() {
    return moves.get(moves.size() - 1);
  }

  /** Runs to the end: every octet right, both sides closed in the orderly way. */
  private void finish(long bytes) {
    runUntilReceived(bytes);
    assertThat(network.runUntil(flow::isClosed, network.nowNanos() + 5 * SECOND)).isTrue();
    assertThat(flow.receivedBytes).isEqualTo(bytes);
    assertThat(flow.wrongReads).isZero();
    assertThat(flow.clientEnd).isEqualTo(TcpCloseReason.NORMAL);
    assertThat(flow.serverEnd).isEqualTo(TcpCloseReason.NORMAL);
  }

  @Test
  void shouldFillTheLinkWithoutLossWhileNothingMoves() {
    download(Scene.DEFAULT, 20 * MEGABYTE);
    long start = network.nowNanos();
    runUntilReceived(20 * MEGABYTE);
    double mbit = 20 * MEGABYTE * 8e3 / (network.nowNanos() - start);
    // 1412 of 1500 octets are data: 94 Mbit/s at most.
    assertThat(mbit).isBetween(90.0, 94.2);
    assertThat(sender().mode()).isEqualTo(SessionMode.ILNP);
    assertThat(sender().retransmittedSegments()).isZero();
    assertThat(moves).hasSize(1);
    finish(20 * MEGABYTE);
  }

  @Test
  void shouldMoveSoftlyWithoutLossRetransmissionOrGap() {
    download(Scene.DEFAULT, 30 * MEGABYTE);
    runUntilReceived(10 * MEGABYTE);
    flow.watchGaps(network.nowNanos());
    scene.access(1).up();
    pass(SECOND);
    assertThat(lastMove().kind()).isEqualTo(Handoff.Kind.SOFT);
    assertThat(lastMove().toUplink()).isEqualTo(EmbeddedNetwork.uplink(1));
    assertThat(sender().path().remoteL64()).isEqualTo(EmbeddedNetwork.accessL64(1));
    assertThat(sender().retransmittedSegments()).isZero();
    // Slow start on the new path sends a burst each round trip; there is no gap but those.
    assertThat(flow.longestGapNanos()).isLessThan(WAN_RTT);
    scene.access(0).down(Cut.DROP);
    finish(30 * MEGABYTE);
    assertThat(flow.longestGapNanos()).isLessThan(WAN_RTT);
    // The update waits for no queue on the way out, its answer comes by the idle link.
    assertThat(updateRttNanos.get(0)).isBetween(WAN_RTT, WAN_RTT + MS);
    assertThat(scene.access(1).isUp()).isTrue();
  }

  @Test
  void shouldMoveSoftlyFromTheSlowNetworkToTheFastOne() {
    download(Scene.DEFAULT, 30 * MEGABYTE);
    scene.access(0).down(Cut.DROP);
    scene.access(1).up();
    runUntilReceived(10 * MEGABYTE);
    flow.watchGaps(network.nowNanos());
    TcpInfo before = sender();
    scene.access(0).up();
    pass(SECOND);
    assertThat(lastMove().kind()).isEqualTo(Handoff.Kind.SOFT);
    assertThat(lastMove().toUplink()).isEqualTo(EmbeddedNetwork.uplink(0));
    assertThat(flow.longestGapNanos()).isLessThan(20 * MS);
    // Packets overtake each other between the two paths; that is no loss.
    assertThat(sender().timeouts()).isEqualTo(before.timeouts());
    finish(30 * MEGABYTE);
  }

  @Test
  void shouldMoveHardWithinTheOutageAndOneRoundTrip() {
    download(Scene.DEFAULT, 30 * MEGABYTE);
    runUntilReceived(10 * MEGABYTE);
    long inFlight = sender().flightBytes();
    scene.access(0).down(Cut.DROP);
    flow.watchGaps(network.nowNanos());
    pass(500 * MS);
    scene.access(1).up();
    runUntilReceived(15 * MEGABYTE);
    assertThat(lastMove().kind()).isEqualTo(Handoff.Kind.HARD);
    assertThat(lastMove().toUplink()).isEqualTo(EmbeddedNetwork.uplink(1));
    assertThat(flow.longestGapNanos()).isBetween(500 * MS, 500 * MS + WAN_RTT + 10 * MS);
    // What was in flight is sent again, and little more.
    long segmentsInFlight = inFlight / 1412;
    assertThat(sender().retransmittedSegments())
        .isBetween(segmentsInFlight * 3 / 4, segmentsInFlight + 10);
    finish(30 * MEGABYTE);
  }

  @Test
  void shouldSurviveTheCourseOfTheDemonstration() {
    download(Scene.DEFAULT, 42 * MEGABYTE);
    runUntilReceived(8 * MEGABYTE);
    flow.watchGaps(network.nowNanos());
    scene.access(1).up();
    pass(SECOND);
    scene.access(0).down(Cut.DROP);
    pass(500 * MS);
    assertThat(flow.longestGapNanos()).isLessThan(WAN_RTT);
    assertThat(sender().retransmittedSegments()).isZero();
    runUntilReceived(30 * MEGABYTE);
    flow.watchGaps(network.nowNanos());
    scene.access(1).down(Cut.DROP);
    pass(500 * MS);
    scene.access(0).up();
    runUntilReceived(34 * MEGABYTE);
    assertThat(flow.longestGapNanos()).isBetween(500 * MS, 500 * MS + LAN_RTT + 10 * MS);
    assertThat(moves.stream().map(Handoff::kind).filter(k -> k == Handoff.Kind.SOFT)).hasSize(1);
    assertThat(moves.stream().map(Handoff::kind).filter(k -> k == Handoff.Kind.HARD)).hasSize(1);
    finish(42 * MEGABYTE);
  }

  @Test
  void shouldLeaveALinkThatDiesWithoutALinkEvent() {
    download(Scene.DEFAULT.withPolicy(HandoffPolicy.PREFERENCE), 20 * MEGABYTE);
    scene.access(1).up();
    runUntilReceived(5 * MEGABYTE);
    assertThat(scene.activeAccess()).isZero();
    scene.access(0).configure(LinkConfig.PERFECT.withLoss(1));
    flow.watchGaps(network.nowNanos());
    runUntilReceived(10 * MEGABYTE);
    assertThat(scene.activeAccess()).isEqualTo(1);
    // Three advertisements of 2 s each are missed, then the node moves.
    assertThat(flow.longestGapNanos()).isLessThan(8 * SECOND);
    finish(20 * MEGABYTE);
  }

  @Test
  void shouldRecoverWhenTheFirstLocatorUpdatesAreLost() {
    download(Scene.DEFAULT, 20 * MEGABYTE);
    runUntilReceived(5 * MEGABYTE);
    scene.access(0).down(Cut.DROP);
    pass(500 * MS);
    LinkConfig good = scene.access(1).from(scene.mobile().uplink("wlan1")).config();
    scene.access(1).from(scene.mobile().uplink("wlan1")).configure(good.withLoss(1));
    scene.access(1).up();
    pass(100 * MS);
    scene.access(1).from(scene.mobile().uplink("wlan1")).configure(good);
    flow.watchGaps(network.nowNanos());
    runUntilReceived(10 * MEGABYTE);
    assertThat(flow.longestGapNanos()).isLessThan(SECOND);
    finish(20 * MEGABYTE);
  }

  @Test
  void shouldFinishOnLossyLinksThatChangeEverySecond() {
    download(Scene.DEFAULT, 20 * MEGABYTE);
    LinkConfig lossy =
        scene
            .access(0)
            .from(scene.mobile().uplink("wlan0"))
            .config()
            .withLoss(0.01)
            .withReorder(0.01, 2 * MS)
            .withDuplicate(0.01)
            .withCorrupt(0.005);
    scene.access(0).configure(lossy);
    scene.access(1).configure(lossy);
    for (int i = 0; i < 6 && !flow.isComplete(); i++) {
      pass(SECOND);
      scene.access((i + 1) % 2).up();
      pass(300 * MS);
      scene.access(i % 2).down(Cut.DROP);
    }
    finish(20 * MEGABYTE);
    Counters c = scene.mobile().host().counters();
    assertThat(c.get(DropReason.TCP_CHECKSUM)).isPositive();
    assertThat(c.get(Counter.LU_SENT)).isPositive();
  }

  @Test
  void shouldReplayAMoveExactlyFromItsSeed() {
    long first = courseHash(7);
    assertThat(courseHash(7)).isEqualTo(first);
    assertThat(courseHash(8)).isNotEqualTo(first);
    download(Scene.DEFAULT, MEGABYTE);
  }

  private long courseHash(long seed) {
    long[] hash = {17};
    try (SimNetwork net = new SimNetwork(seed, buffers.allocator())) {
      net.observe(
          new SimObserver() {
            @Override
            public void onDelivered(long now, SimPort port, ByteBuf packet) {
              hash[0] = (hash[0] * 31 + now) * 31 + ByteBufUtil.hashCode(packet);
            }

            @Override
            public void onDropped(long now, SimPort port, LinkDrop why, ByteBuf packet) {
              hash[0] = (hash[0] * 31 + now) * 31 + why.ordinal();
            }
          });
      EmbeddedNetwork course = new EmbeddedNetwork(net, Scene.DEFAULT, MobilityObserver.NONE);
      assertThat(net.runUntil(course::isReady, SECOND)).isTrue();
      BulkFlow f = new BulkFlow(course, buffers.allocator(), 4 * MEGABYTE);
      f.start(80);
      net.at(net.nowNanos() + 100 * MS, () -> course.access(0).down(Cut.DROP));
      net.at(net.nowNanos() + 200 * MS, () -> course.access(1).up());
      assertThat(net.runUntil(f::isComplete, 20 * SECOND)).isTrue();
    }
    return hash[0];
  }
}

package org.ilnp4j.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.function.Consumer;
import org.ilnp4j.ilnp.LocalLocator;
import org.ilnp4j.time.NanoClock;
import org.ilnp4j.util.Counter;
import org.ilnp4j.wire.Ip6;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A connection whose ends change their Locators (design: soft and hard handoff). */
class TcpMoveTest {
  private static final TcpConfig CONFIG = TcpConfig.DEFAULT.withBuffers(256 << 10, 256 << 10);
  private static final long RATE = 100_000_000 / 8;

  /** Links of 100 Mbit/s with queues that hold a whole window. */
  private static Pair pair(long seed, long oldOneWayMs, long newOneWayMs) {
    Pair pair = new Pair(seed, true, CONFIG, 1500, 0);
    pair.net.access(Pair.L1).delayNanos = NanoClock.millis(oldOneWayMs);
    pair.net.access(Pair.L2).delayNanos = NanoClock.millis(newOneWayMs);
    pair.net.access(Pair.L1).rate = RATE;
    pair.net.access(Pair.L2).rate = RATE;
    return pair;
  }

  private static long retransmitted(Pair pair) {
    return repeated(pair.mn) + repeated(pair.cn);
  }

  /** Without tail loss probes: the first acknowledgement on a slower path may make one look due. */
  private static long repeated(TestNode node) {
    return node.counters.get(Counter.TCP_RETRANSMITTED)
        - node.counters.get(Counter.TCP_TAIL_PROBES);
  }

  @ParameterizedTest(name = "one way {0} to {1} ms, up {2}, down {3}, LU {4}")
  @CsvSource({
    "5, 5, 0, 3000000, true",
    "5, 5, 3000000, 0, true",
    "100, 2, 0, 3000000, true",
    "100, 2, 3000000, 0, true",
    "100, 2, 2000000, 2000000, true",
    "2, 100, 0, 3000000, true",
    "2, 100, 3000000, 0, true",
    "20, 20, 1500000, 1500000, false",
    "100, 2, 0, 3000000, false",
    "2, 100, 1000000, 0, false",
  })
  void shouldLoseAndRepeatNothingOnASoftMove(
      long oldMs, long newMs, int up, int down, boolean tell) {
    Pair pair = pair(1, oldMs, newMs);
    pair.open(up, down);
    pair.net.await(
        NanoClock.seconds(60), () -> pair.server.received + pair.client.received > (up + down) / 3);
    pair.client.longestGapNanos = 0;
    pair.server.longestGapNanos = 0;
    pair.softMove(pair.mn, Pair.L1, Pair.L2, tell);
    pair.net.await(NanoClock.seconds(60), pair::isDone);
    pair.assertIntact();
    // A probe may carry new data instead; then it repeats nothing.
    assertThat(retransmitted(pair)).as("retransmitted segments").isNotPositive();
    assertThat(pair.client.connection.info(pair.net.now).pathChanges()).isEqualTo(1);
    assertThat(pair.server.connection.info(pair.net.now).pathChanges()).isEqualTo(1);
    long gap = Math.max(pair.client.longestGapNanos, pair.server.longestGapNanos);
    assertThat(gap).as("longest gap").isLessThan(NanoClock.millis(2 * Math.max(oldMs, newMs) + 30));
    pair.net.assertNoLeaks();
  }

  @Test
  void shouldNotTimeOutOnTheFastPathWhileTheSlowOneHoldsUpAcknowledgements() {
    Pair pair = pair(11, 700, 2);
    pair.open(0, 3_000_000);
    pair.net.await(NanoClock.seconds(60), () -> pair.client.received > 1_000_000);
    long before = retransmitted(pair); // the SYN, on such a path
    pair.softMove(pair.mn, Pair.L1, Pair.L2, true);
    pair.net.await(NanoClock.seconds(60), pair::isDone);
    pair.assertIntact();
    assertThat(retransmitted(pair)).isEqualTo(before);
    assertThat(pair.cn.counters.get(Counter.TCP_TIMEOUTS)).isZero();
    pair.net.assertNoLeaks();
  }

  @Test
  void shouldProbeAClosedWindowAtOnceWhenThereIsAPathAgain() {
    Pair pair = pair(12, 10, 10);
    pair.open(1_000_000, 0);
    pair.server.paused = true;
    pair.server.keepOpen = true;
    pair.net.runFor(NanoClock.seconds(30));
    pair.hardMove(pair.mn, Pair.L1, Pair.L2, NanoClock.seconds(60), true);
    pair.net.runFor(NanoClock.seconds(50));
    pair.server.paused = false;
    pair.server.drain(pair.net.now); // the window update goes to where the mobile node was
    long before = pair.server.received;
    pair.net.runFor(NanoClock.seconds(10) + NanoClock.millis(100));
    assertThat(pair.server.received).isGreaterThan(before);
    pair.server.connection.shutdownOutput(pair.net.now);
    pair.net.await(NanoClock.seconds(60), pair::isDone);
    pair.assertIntact();
    pair.net.assertNoLeaks();
  }

  @Test
  void shouldLeaveNothingWhenAbortedRightAfterAMove() {
    for (Move move : Move.values()) {
      Pair pair = pair(13, 10, 10);
      pair.open(1_000_000, 1_000_000);
      pair.net.runFor(NanoClock.millis(150));
      pair.client.connection.abort(pair.net.now);
      move.go(pair);
      pair.net.runFor(NanoClock.seconds(2));
      if (pair.server.closed == null) {
        pair.server.connection.abort(pair.net.now);
      }
      pair.listener.close();
      pair.net.assertNoLeaks();
    }
  }

  @Test
  void shouldSurviveManySoftMovesThereAndBack() {
    Pair pair = pair(3, 40, 3);
    pair.open(2_000_000, 4_000_000);
    for (int i = 0; i < 20; i++) {
      pair.net.runFor(NanoClock.millis(130));
      boolean back = i % 2 == 1;
      pair.softMove(pair.mn, back ? Pair.L2 : Pair.L1, back ? Pair.L1 : Pair.L2, true);
    }
    pair.net.await(NanoClock.seconds(60), pair::isDone);
    pair.assertIntact();
    assertThat(retransmitted(pair)).isZero();
    pair.net.assertNoLeaks();
  }

  @Test
  void shouldSurviveSoftMovesOfBothSidesAtOnce() {
    Pair pair = pair(4, 40, 3);
    pair.net.access(Pair.LD).delayNanos = NanoClock.millis(20);
    pair.open(2_000_000, 2_000_000);
    pair.net.runFor(NanoClock.millis(400));
    pair.softMove(pair.mn, Pair.L1, Pair.L2, true);
    pair.softMove(pair.cn, Pair.LC, Pair.LD, true);
    pair.net.await(NanoClock.seconds(60), pair::isDone);
    pair.assertIntact();
    assertThat(retransmitted(pair)).isZero();
    pair.net.assertNoLeaks();
  }

  @ParameterizedTest(name = "one way {0} to {1} ms, outage {2} ms, up {3}, down {4}, LU {5}")
  @CsvSource({
    "10, 10, 0,     0, 4000000, true",
    "10, 10, 0,     4000000, 0, true",
    "10, 50, 0,     0, 4000000, true",
    "50, 10, 0,     4000000, 0, true",
    "10, 10, 500,   0, 4000000, true",
    "10, 10, 500,   4000000, 0, true",
    "10, 10, 500,   2000000, 2000000, true",
    "10, 10, 500,   0, 4000000, false",
    "10, 10, 500,   4000000, 0, false",
    "10, 10, 10000, 0, 4000000, true",
    "10, 10, 10000, 4000000, 0, true",
    "10, 10, 40000, 0, 4000000, false",
    "10, 40, 3,     1000000, 4000000, true",
  })
  void shouldGoOnWithinOneRoundTripAfterAHardMove(
      long oldMs, long newMs, long outageMs, int up, int down, boolean tell) {
    Pair pair = pair(5, oldMs, newMs);
    pair.open(up, down);
    pair.net.await(
        NanoClock.seconds(60), () -> pair.server.received + pair.client.received > (up + down) / 3);
    pair.client.longestGapNanos = 0;
    pair.server.longestGapNanos = 0;
    pair.hardMove(pair.mn, Pair.L1, Pair.L2, NanoClock.millis(outageMs), tell);
    pair.net.await(NanoClock.seconds(100), pair::isDone);
    pair.assertIntact();
    long limit = NanoClock.millis(outageMs + 2 * newMs + 2 * oldMs + 20);
    if (down > up) {
      assertThat(pair.client.longestGapNanos).as("gap at the mobile node").isLessThan(limit);
    } else if (up > down) {
      assertThat(pair.server.longestGapNanos).as("gap at the other").isLessThan(limit);
    }
    TestNode sender = down > up ? pair.cn : pair.mn;
    if (tell) {
      assertThat(sender.counters.get(Counter.TCP_RETRANSMITTED_AFTER_MOVE)).isPositive();
    }
    assertThat(sender.counters.get(Counter.TCP_FAST_RECOVERIES))
        .as("no sign of congestion")
        .isZero();
    pair.net.assertNoLeaks();
  }

  /** A program that has something to send only now and then, as behind a proxy. */
  @Test
  void shouldTellAWriterThatFoundNoRoomAfterAMoveWhenThereIsRoomAgain() {
    Pair pair = new Pair(7, true, TcpConfig.DEFAULT.withBuffers(4 << 20, 4 << 20), 1500, 0);
    for (long l64 : new long[] {Pair.L1, Pair.L2}) {
      pair.net.access(l64).delayNanos = NanoClock.millis(50);
      pair.net.access(l64).rate = 12_500_000;
      pair.net.access(l64).queueBytes = 2 << 20;
    }
    pair.open(60_000_000, 0);
    pair.net.runFor(NanoClock.seconds(2)); // at full speed first, so that the window is large
    pair.client.trickle = true;
    for (int tick = 0; tick < 5000 && !pair.isDone(); tick++) {
      if (tick == 1000) {
        assertThat(pair.client.connection.sendSpaceBytes()).isGreaterThan(1 << 20);
        pair.hardMove(pair.mn, Pair.L1, Pair.L2, NanoClock.millis(1), true);
      }
      pair.client.allowed = Math.max(pair.client.allowed, pair.client.sent) + 16_000;
      pair.client.pump(pair.net.now);
      pair.net.runFor(NanoClock.millis(2));
    }
    pair.client.trickle = false;
    pair.client.pump(pair.net.now);
    pair.net.await(NanoClock.seconds(60), pair::isDone);
    pair.assertIntact();
    pair.net.assertNoLeaks();
  }

  @Test
  void shouldNotTakeALossOnTheBrokenLinkForCongestionOnTheNewOne() {
    Pair pair = pair(6, 10, 10);
    pair.open(0, 4_000_000);
    pair.net.await(NanoClock.seconds(60), () -> pair.client.received > 1_000_000);
    pair.hardMove(pair.mn, Pair.L1, Pair.L2, NanoClock.millis(500), true);
    pair.net.runFor(NanoClock.millis(600));
    TcpInfo info = pair.server.connection.info(pair.net.now);
    assertThat(info.path().remoteL64()).isEqualTo(Pair.L2);
    assertThat(info.ssthreshBytes()).isEqualTo(Long.MAX_VALUE);
    assertThat(info.cwndBytes()).isGreaterThan(10L * info.mssBytes());
    pair.net.await(NanoClock.seconds(60), pair::isDone);
    pair.assertIntact();
    pair.net.assertNoLeaks();
  }

  @Test
  void shouldSurviveHardMovesOfBothSidesAtOnce() {
    Pair pair = pair(7, 10, 10);
    pair.open(1_000_000, 3_000_000);
    pair.net.runFor(NanoClock.millis(150));
    // Each one's packets go to where the other was; looking it up by name breaks the tie.
    pair.hardMove(pair.mn, Pair.L1, Pair.L2, NanoClock.millis(300), false);
    pair.hardMove(pair.cn, Pair.LC, Pair.LD, NanoClock.millis(300), false);
    pair.update(pair.mn, NanoClock.millis(1300), Pair.LD);
    pair.net.await(NanoClock.seconds(100), pair::isDone);
    pair.assertIntact();
    pair.net.assertNoLeaks();
  }

  @Test
  void shouldReturnToAPathWithWhatItLearnedThere() {
    Pair pair = pair(8, 30, 5);
    pair.client = null;
    pair.open(0, 8_000_000);
    pair.net.await(NanoClock.seconds(60), () -> pair.client.received > 2_000_000);
    long srtt = pair.server.connection.info(pair.net.now).srttNanos();
    pair.softMove(pair.mn, Pair.L1, Pair.L2, true);
    pair.net.runFor(NanoClock.millis(100));
    assertThat(pair.server.connection.info(pair.net.now).srttNanos()).isLessThan(srtt / 2);
    pair.softMove(pair.mn, Pair.L2, Pair.L1, true);
    pair.net.runFor(NanoClock.millis(31));
    assertThat(pair.server.connection.info(pair.net.now).path().remoteL64()).isEqualTo(Pair.L1);
    assertThat(pair.server.connection.info(pair.net.now).srttNanos()).isBetween(srtt / 2, srtt * 2);
    pair.net.await(NanoClock.seconds(60), pair::isDone);
    pair.assertIntact();
    pair.net.assertNoLeaks();
  }

  @Test
  void shouldRepairWhatASoftMoveLostAfterAll() {
    Pair pair = pair(9, 10, 10);
    pair.open(0, 3_000_000);
    pair.net.await(NanoClock.seconds(60), () -> pair.client.received > 1_000_000);
    pair.net.access(Pair.L1).up = false; // nobody noticed
    pair.softMove(pair.mn, Pair.L1, Pair.L2, true);
    pair.net.await(NanoClock.seconds(60), pair::isDone);
    pair.assertIntact();
    assertThat(pair.cn.counters.get(Counter.TCP_OLD_PATH_EXPIRED)).isPositive();
    assertThat(pair.cn.counters.get(Counter.TCP_TIMEOUTS)).isZero();
    assertThat(pair.client.longestGapNanos).isLessThan(NanoClock.millis(400));
    pair.net.assertNoLeaks();
  }

  @Test
  void shouldSendNothingAndCountNothingWhileThereIsNoPath() {
    Pair pair = pair(10, 10, 10);
    pair.open(0, 3_000_000);
    pair.net.await(NanoClock.seconds(60), () -> pair.client.received > 1_000_000);
    pair.hardMove(pair.mn, Pair.L1, Pair.L2, NanoClock.seconds(100), true);
    pair.net.runFor(NanoClock.millis(1));
    long before = pair.mn.counters.get(Counter.TCP_SEGMENTS_OUT);
    pair.net.runFor(NanoClock.seconds(90));
    assertThat(pair.mn.counters.get(Counter.TCP_SEGMENTS_OUT)).isEqualTo(before);
    pair.net.await(NanoClock.seconds(60), pair::isDone);
    pair.assertIntact();
    pair.net.assertNoLeaks();
  }

  /** What is under way on it is waited for; the times it had come to do not count. */
  @Test
  void shouldNotWaitForABackedOffTimerWhenLeavingForAPathKnownBefore() {
    Pair pair = pair(14, 10, 10);
    pair.open(4_000_000, 0);
    pair.net.runFor(NanoClock.millis(100));
    pair.softMove(pair.mn, Pair.L1, Pair.L2, true);
    pair.net.runFor(NanoClock.millis(100));
    pair.softMove(pair.mn, Pair.L2, Pair.L1, true);
    pair.net.runFor(NanoClock.millis(100));
    pair.net.filter = packet -> packet.getLong(packet.readerIndex() + Ip6.SRC_L64) != Pair.L1;
    pair.net.await(
        NanoClock.seconds(60), () -> pair.client.connection.info(pair.net.now).timeouts() == 6);
    long before = pair.server.received;
    pair.softMove(pair.mn, Pair.L1, Pair.L2, true);
    pair.net.runFor(NanoClock.millis(400));
    assertThat(pair.server.received).isGreaterThan(before);
    pair.net.await(NanoClock.seconds(60), pair::isDone);
    pair.assertIntact();
    pair.net.assertNoLeaks();
  }

  @Test
  void shouldNotTakeAnOutageForABlackHole() {
    Pair pair = new Pair(15, false, CONFIG, 1500, 20);
    pair.open(4_000_000, 0);
    pair.net.await(NanoClock.seconds(60), () -> pair.server.received > 1_000_000);
    pair.net.access(Pair.L1).up = false;
    pair.mn.ilcc.local().remove(pair.mn.ilcc.local().get(Pair.L1));
    pair.mn.ilcc.localChanged(pair.net.now);
    pair.net.runFor(NanoClock.seconds(10));
    assertThat(pair.mn.counters.get(Counter.TCP_TIMEOUTS)).isGreaterThan(2);
    pair.net.access(Pair.L1).up = true;
    pair.mn.addLocator(Pair.L1, LocalLocator.State.ACTIVE);
    pair.mn.ilcc.localChanged(pair.net.now);
    pair.net.runFor(NanoClock.millis(200));
    assertThat(pair.mn.counters.get(Counter.TCP_MTU_BLACK_HOLES)).isZero();
    assertThat(pair.client.connection.info(pair.net.now).mssBytes()).isGreaterThan(1400);
    pair.net.await(NanoClock.seconds(60), pair::isDone);
    pair.assertIntact();
    pair.net.assertNoLeaks();
  }

  /** The probe that goes out at once may be lost; the next one follows as after any first one. */
  @Test
  void shouldProbeAClosedWindowPatientlyAnewOnANewPath() {
    Pair pair = pair(16, 10, 10);
    pair.open(1_000_000, 0);
    pair.server.paused = true;
    pair.server.keepOpen = true;
    pair.net.runFor(NanoClock.seconds(120));
    pair.net.filter = packet -> false;
    pair.server.paused = false;
    pair.server.drain(pair.net.now);
    long before = pair.server.received;
    pair.hardMove(pair.mn, Pair.L1, Pair.L2, 0, true);
    pair.net.runFor(NanoClock.millis(100));
    pair.net.filter = packet -> true;
    pair.net.runFor(NanoClock.millis(1100));
    assertThat(pair.server.received).isGreaterThan(before);
    pair.server.connection.shutdownOutput(pair.net.now);
    pair.net.await(NanoClock.seconds(60), pair::isDone);
    pair.assertIntact();
    pair.net.assertNoLeaks();
  }

  // ---- every state ----------------------------------------------------------------------------

  private enum Move {
    SOFT_MN,
    HARD_MN,
    OUTAGE_MN,
    SOFT_CN,
    HARD_CN,
    OUTAGE_CN;

    void go(Pair p) {
      switch (this) {
        case SOFT_MN:
          p.softMove(p.mn, Pair.L1, Pair.L2, true);
          break;
        case HARD_MN:
          p.hardMove(p.mn, Pair.L1, Pair.L2, 0, true);
          break;
        case OUTAGE_MN:
          p.hardMove(p.mn, Pair.L1, Pair.L2, NanoClock.millis(1500), true);
          break;
        case SOFT_CN:
          p.softMove(p.cn, Pair.LC, Pair.LD, true);
          break;
        case HARD_CN:
          p.hardMove(p.cn, Pair.LC, Pair.LD, 0, true);
          break;
        case OUTAGE_CN:
          p.hardMove(p.cn, Pair.LC, Pair.LD, NanoClock.millis(1500), true);
          break;
      }
    }
  }

  /** Brings a connection to a state of the mobile node, moves, and expects a good end. */
  private static void moveIn(TcpState state, Consumer<Pair> bring, Consumer<Pair> end) {
    for (Move move : Move.values()) {
      Pair pair = pair(20 + move.ordinal(), 10, 10);
      bring.accept(pair);
      assertThat(pair.client.connection.state()).as("before %s", move).isEqualTo(state);
      move.go(pair);
      end.accept(pair);
      pair.net.await(NanoClock.seconds(100), pair::isDone);
      pair.assertIntact();
      pair.net.assertNoLeaks();
    }
  }

  @Test
  void shouldSurviveInSynSent() {
    for (Move move : new Move[] {Move.SOFT_MN, Move.HARD_MN, Move.OUTAGE_MN}) {
      Pair pair = pair(30, 10, 10);
      pair.open(10_000, 10_000);
      pair.net.runFor(NanoClock.millis(2));
      assertThat(pair.client.connection.state()).isEqualTo(TcpState.SYN_SENT);
      move.go(pair);
      pair.net.await(NanoClock.seconds(10), pair::isDone);
      pair.assertIntact();
      pair.net.assertNoLeaks();
    }
  }

  @Test
  void shouldSurviveInSynReceivedOfTheOtherSide() {
    for (Move move : Move.values()) {
      Pair pair = pair(31, 10, 10);
      pair.open(10_000, 10_000);
      pair.net.runFor(NanoClock.millis(12));
      assertThat(pair.server.connection.state()).isEqualTo(TcpState.SYN_RECEIVED);
      move.go(pair);
      pair.net.await(NanoClock.seconds(10), pair::isDone);
      pair.assertIntact();
      pair.net.assertNoLeaks();
    }
  }

  @Test
  void shouldSurviveInEstablishedWhileIdle() {
    moveIn(
        TcpState.ESTABLISHED,
        p -> {
          p.open(0, 0);
          p.client.keepOpen = true;
          p.server.keepOpen = true;
          p.net.runFor(NanoClock.seconds(1));
        },
        p -> {
          p.net.runFor(NanoClock.seconds(3));
          p.client.connection.shutdownOutput(p.net.now);
          p.server.connection.shutdownOutput(p.net.now);
        });
  }

  @Test
  void shouldSurviveWhenIdleForLong() {
    moveIn(
        TcpState.ESTABLISHED,
        p -> {
          p.open(100_000, 100_000);
          p.client.keepOpen = true;
          p.server.keepOpen = true;
          p.net.runFor(NanoClock.seconds(60));
        },
        p -> {
          p.net.runFor(NanoClock.seconds(60));
          p.client.connection.shutdownOutput(p.net.now);
          p.server.connection.shutdownOutput(p.net.now);
        });
  }

  @Test
  void shouldSurviveBehindAZeroWindow() {
    moveIn(
        TcpState.ESTABLISHED,
        p -> {
          p.open(1_000_000, 0);
          p.server.keepOpen = true;
          p.server.paused = true;
          p.net.runFor(NanoClock.seconds(5));
          assertThat(p.client.connection.info(p.net.now).sendWindowBytes()).isZero();
        },
        p -> {
          p.net.runFor(NanoClock.seconds(4));
          p.server.paused = false;
          p.server.drain(p.net.now);
          p.server.connection.shutdownOutput(p.net.now);
        });
  }

  @Test
  void shouldSurviveInFinWait1() {
    moveIn(
        TcpState.FIN_WAIT_1,
        p -> {
          p.openAndAwait(30_000, 30_000);
          p.net.runFor(NanoClock.millis(1));
        },
        p -> {});
  }

  @Test
  void shouldSurviveInFinWait2() {
    moveIn(
        TcpState.FIN_WAIT_2,
        p -> {
          p.open(1000, 1000);
          p.server.keepOpen = true;
          p.net.runFor(NanoClock.millis(500));
        },
        p -> {
          p.net.runFor(NanoClock.seconds(3));
          p.server.connection.shutdownOutput(p.net.now);
        });
  }

  @Test
  void shouldSurviveInCloseWait() {
    moveIn(
        TcpState.CLOSE_WAIT,
        p -> {
          p.open(1000, 1000);
          p.client.keepOpen = true;
          p.net.runFor(NanoClock.millis(500));
        },
        p -> {
          p.net.runFor(NanoClock.seconds(3));
          p.client.connection.shutdownOutput(p.net.now);
        });
  }

  @Test
  void shouldSurviveInLastAck() {
    moveIn(
        TcpState.LAST_ACK,
        p -> {
          p.open(1000, 1000);
          p.client.keepOpen = true;
          p.net.runFor(NanoClock.millis(500));
          p.client.connection.shutdownOutput(p.net.now);
          p.net.runFor(NanoClock.millis(1));
        },
        p -> {});
  }

  @Test
  void shouldSurviveInClosing() {
    moveIn(
        TcpState.CLOSING,
        p -> {
          p.open(0, 0);
          p.client.keepOpen = true;
          p.server.keepOpen = true;
          p.net.runFor(NanoClock.millis(500));
          p.client.connection.shutdownOutput(p.net.now);
          p.server.connection.shutdownOutput(p.net.now);
          p.net.await(NanoClock.seconds(1), () -> p.client.connection.state() == TcpState.CLOSING);
        },
        p -> {});
  }

  @Test
  void shouldSurviveInTimeWaitWhileTheLastAckIsLost() {
    for (Move move : Move.values()) {
      Pair pair = pair(50 + move.ordinal(), 10, 10);
      pair.open(1000, 1000);
      pair.server.keepOpen = true;
      pair.net.runFor(NanoClock.millis(500));
      pair.net.filter = packet -> pair.client.connection.state() != TcpState.TIME_WAIT;
      pair.server.connection.shutdownOutput(pair.net.now);
      pair.net.runFor(NanoClock.millis(20));
      assertThat(pair.client.connection.state()).isEqualTo(TcpState.TIME_WAIT);
      assertThat(pair.server.connection.state()).isEqualTo(TcpState.LAST_ACK);
      pair.net.filter = packet -> true;
      move.go(pair);
      pair.net.await(NanoClock.seconds(30), pair::isDone);
      pair.assertIntact();
      pair.net.assertNoLeaks();
    }
  }
}

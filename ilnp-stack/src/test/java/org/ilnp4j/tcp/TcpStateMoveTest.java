package org.ilnp4j.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.ilnp4j.ilnp.LocalLocator;
import org.ilnp4j.ilnp.LocatorPair;
import org.ilnp4j.tcp.recovery.PathState;
import org.ilnp4j.time.NanoClock;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A change of the path in every state: nobody waits for a timer that the old path had backed off,
 * what was lost there is not congestion here, the new path begins with what is known of it and no
 * more, and the stream arrives (design: soft and hard handoff).
 */
class TcpStateMoveTest {
  private static final long RATE = 100_000_000 / 8;
  private static final long ONE_WAY_NANOS = NanoClock.millis(10);

  /** A Locator Update without an answer goes out again (RFC 6743 §3 leaves the time open). */
  private static final long UPDATE_REPEAT_NANOS = NanoClock.seconds(1);

  /** A few round trips from when the path can be used. */
  private static final long AT_ONCE_NANOS = NanoClock.millis(150);

  private static final long OUTAGE_NANOS = NanoClock.millis(1500);

  /** What is left to send takes this long, slow start included. */
  private static final long REST_NANOS = NanoClock.seconds(2);

  /** How the old path goes. */
  enum How {
    SOFT,
    HARD,
    OUTAGE
  }

  enum Who {
    WE,
    THEY,
    BOTH
  }

  private static Pair pair(MoveStage stage, boolean ilnp) {
    TcpConfig config =
        TcpConfig.DEFAULT
            .withBuffers(256 << 10, 256 << 10)
            .withEcn(stage == MoveStage.ECN_REDUCTION ? EcnMode.ON : EcnMode.OFF)
            .withBacklog(stage == MoveStage.SYN_COOKIE ? 4 : TcpConfig.DEFAULT.backlog())
            .withQuickAcks(0);
    Pair pair = new Pair(90 + stage.ordinal(), ilnp, config, 1500, 0);
    for (long l64 : new long[] {Pair.L1, Pair.L2}) {
      pair.net.access(l64).delayNanos = ONE_WAY_NANOS;
      pair.net.access(l64).rate = RATE;
    }
    return pair;
  }

  // ---- moves ----------------------------------------------------------------------------------

  static List<Arguments> moves() {
    List<Arguments> all = new ArrayList<>();
    for (MoveStage stage : MoveStage.values()) {
      for (How how : How.values()) {
        for (Who who : Who.values()) {
          all.add(Arguments.of(stage, how, who, true));
          all.add(Arguments.of(stage, how, who, false));
        }
      }
    }
    return all;
  }

  @ParameterizedTest(name = "{0}, {1}, {2} move, first LU arrives: {3}")
  @MethodSource("moves")
  void shouldGetOnAtOnceAfterAMove(MoveStage stage, How how, Who who, boolean told) {
    Pair p = pair(stage, true);
    stage.bring(p);
    assertThat(stage.isReached(p)).as("%s reached", stage).isTrue();
    p.net.filter = packet -> true;
    long usable = move(p, how, who, told);
    stage.atMove(p);
    boolean sends = stage.progress == MoveStage.Progress.RECEIVED;
    p.net.runUntil(Math.min(usable, p.net.now + AT_ONCE_NANOS));
    boolean moved = sends && hasMoved(stage.sender(p));
    if (moved) {
      assertFreshPath(MoveSteps.path(stage.sender(p)));
    }
    p.net.runUntil(usable);
    stage.act(p);
    long late = how == How.SOFT ? AfterMove.MIN_OLD_PATH_NANOS : 0; // it may deliver for so long
    if (stage == MoveStage.SYN_SENT_BACKED_OFF) {
      late +=
          Handshake.CLASSIC_FALLBACK_NANOS; // in classic mode, which takes turns, there is no move
    }
    getOn(stage, p, p.net.now + late + AT_ONCE_NANOS);
    if (sends && !moved) {
      assertThat(hasMoved(stage.sender(p))).as("moved").isTrue();
      assertFreshPath(MoveSteps.path(stage.sender(p)));
    }
    finish(stage, p, REST_NANOS);
  }

  /** Moves, and tells; the time from which packets get through on the new path. */
  private static long move(Pair p, How how, Who who, boolean told) {
    long outage = how == How.OUTAGE ? OUTAGE_NANOS : 0;
    long update = ONE_WAY_NANOS + (told ? 0 : UPDATE_REPEAT_NANOS);
    boolean we = who != Who.THEY;
    boolean they = who != Who.WE;
    if (we) {
      leave(p, p.mn, Pair.L1, Pair.L2, how, outage);
      tell(p, p.cn, how, outage + update, Pair.L1, Pair.L2);
    }
    if (they) {
      leave(p, p.cn, Pair.LC, Pair.LD, how, outage);
      tell(p, p.mn, how, outage + update, Pair.LC, Pair.LD);
    }
    return p.net.now + outage + update;
  }

  private static void leave(Pair p, TestNode n, long from, long to, How how, long outage) {
    if (how == How.SOFT) {
      p.softMove(n, from, to, false);
    } else {
      p.hardMove(n, from, to, outage, false);
    }
  }

  private static void tell(Pair p, TestNode n, How how, long delay, long from, long to) {
    if (how == How.SOFT) {
      p.update(n, delay, to, from);
    } else {
      p.update(n, delay, to);
    }
  }

  private static void getOn(MoveStage stage, Pair p, long untilNanos) {
    long before = stage.mark(p);
    p.net.runUntil(() -> stage.mark(p) > before || stage.isOver(p), untilNanos);
    assertThat(stage.mark(p) > before || stage.isOver(p)).as("progress beyond %d", before).isTrue();
  }

  private static boolean hasMoved(Stream sender) {
    LocatorPair pair = MoveSteps.path(sender).pair;
    boolean left = pair.localL64() == Pair.L1 || pair.localL64() == Pair.LC;
    return !left || (pair.remoteL64() != Pair.L1 && pair.remoteL64() != Pair.LC);
  }

  /** Looked at before it can have congestion of its own. */
  private static void assertFreshPath(PathState path) {
    assertThat(path.rtt.isBackedOff()).as("backed off").isFalse();
    assertThat(path.rtt.rtoNanos()).as("RTO").isLessThanOrEqualTo(NanoClock.seconds(1));
    assertThat(path.phase()).isEqualTo(PathState.Phase.OPEN);
    assertThat(path.isReducing()).as("reducing").isFalse();
    assertThat(path.congestion.ssthreshBytes()).as("ssthresh").isEqualTo(Long.MAX_VALUE);
    assertThat(path.congestion.cwndBytes())
        .as("cwnd")
        .isGreaterThanOrEqualTo(10L * path.mssBytes());
    assertThat(path.mssBytes()).as("MSS").isGreaterThan(1400);
  }

  private static void finish(MoveStage stage, Pair p, long restNanos) {
    stage.end(p);
    p.net.await(restNanos, p::isDone);
    p.assertIntact();
    for (Stream s : new Stream[] {p.client, p.server}) {
      assertThat(MoveSteps.state(s)).isIn(TcpState.TIME_WAIT, TcpState.CLOSED);
    }
    assertThat(p.mn.engine.connections() + p.cn.engine.connections())
        .as("in TIME-WAIT")
        .isPositive();
    p.net.assertNoLeaks();
  }

  // ---- losses right after the move ------------------------------------------------------------

  static List<Arguments> lossyMoves() {
    List<Arguments> all = new ArrayList<>();
    for (MoveStage stage : MoveStage.values()) {
      for (Who who : Who.values()) {
        all.add(Arguments.of(stage, who));
      }
    }
    return all;
  }

  @ParameterizedTest(name = "{0}, {1} move")
  @MethodSource("lossyMoves")
  void shouldNotBeHeldUpByOldTimersWhenTheFirstPacketsOnTheNewPathAreLost(
      MoveStage stage, Who who) {
    Pair p = pair(stage, true);
    stage.bring(p);
    assertThat(stage.isReached(p)).as("%s reached", stage).isTrue();
    p.net.filter = packet -> false;
    long usable = move(p, How.HARD, who, true);
    stage.atMove(p);
    p.net.runUntil(usable + 3 * ONE_WAY_NANOS);
    p.net.filter = packet -> true;
    stage.act(p);
    getOn(stage, p, p.net.now + NanoClock.seconds(1) + AT_ONCE_NANOS);
    finish(stage, p, REST_NANOS);
  }

  // ---- a link that comes back -----------------------------------------------------------------

  static List<Arguments> flaps() {
    List<Arguments> all = new ArrayList<>();
    for (MoveStage stage : MoveStage.values()) {
      for (boolean ilnp : new boolean[] {true, false}) {
        for (boolean noticed : new boolean[] {true, false}) {
          all.add(Arguments.of(stage, ilnp, noticed, 40));
          all.add(Arguments.of(stage, ilnp, noticed, 4000));
        }
      }
    }
    return all;
  }

  @ParameterizedTest(name = "{0}, ILNP {1}, noticed {2}, away {3} ms")
  @MethodSource("flaps")
  void shouldGetOnWhenTheOnlyPathComesBack(
      MoveStage stage, boolean ilnp, boolean noticed, int awayMs) {
    Pair p = pair(stage, ilnp);
    stage.bring(p);
    assertThat(stage.isReached(p)).as("%s reached", stage).isTrue();
    p.net.filter = packet -> true;
    p.net.access(Pair.L1).up = false;
    if (noticed) {
      p.mn.ilcc.local().remove(p.mn.ilcc.local().get(Pair.L1));
      p.mn.ilcc.localChanged(p.net.now);
    }
    stage.atMove(p);
    p.net.runFor(NanoClock.millis(awayMs));
    p.net.access(Pair.L1).up = true;
    if (noticed) {
      p.mn.addLocator(Pair.L1, LocalLocator.State.ACTIVE);
      p.mn.ilcc.localChanged(p.net.now);
    }
    stage.act(p);
    // Unless a link event says that it is back, timers have to find out; the other side's always.
    boolean ours = noticed && stage != MoveStage.TIME_WAIT;
    long timers = NanoClock.millis(2L * awayMs) + NanoClock.seconds(70);
    getOn(stage, p, p.net.now + (ours ? AT_ONCE_NANOS : timers));
    finish(stage, p, REST_NANOS + timers);
  }
}

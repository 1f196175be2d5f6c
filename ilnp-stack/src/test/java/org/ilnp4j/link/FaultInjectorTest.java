package org.ilnp4j.link;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.ilnp4j.link.FaultInjector.Cut;
import org.ilnp4j.time.ManualClock;
import org.ilnp4j.time.NanoClock;
import org.ilnp4j.time.TimerQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class FaultInjectorTest {
  private static final long SEED = 20260101;
  private static final long MS = NanoClock.millis(1);

  private final CountingAllocator buffers = new CountingAllocator();
  private final ManualClock clock = new ManualClock();
  private final TimerQueue timers = new TimerQueue();
  private final List<Long> times = new ArrayList<>();
  private final List<Integer> numbers = new ArrayList<>();
  private FaultInjector link;
  private int sent;

  @AfterEach
  void leavesNothingBehind() {
    LinkStats s = link.stats();
    assertThat(s.offeredPackets() + s.duplicatedPackets())
        .isEqualTo(s.deliveredPackets() + s.totalDrops() + link.packetsInside());
    link.close();
    assertThat(link.packetsInside()).isZero();
    assertThat(timers.armed()).isZero();
    buffers.assertAllReleased();
  }

  private void link(LinkConfig config) {
    link = new FaultInjector(config, this::arrived, clock, timers, SEED);
  }

  private void arrived(ByteBuf packet) {
    times.add(clock.nanoTime());
    numbers.add(CountingAllocator.number(packet));
    packet.release();
  }

  private void send(int count, int bytes) {
    for (int i = 0; i < count; i++) {
      link.transmit(buffers.packet(bytes, sent++));
    }
  }

  private void runUntil(long nanos) {
    while (timers.nextDeadlineNanos() <= nanos) {
      clock.advanceTo(Math.max(clock.nanoTime(), timers.nextDeadlineNanos()));
      timers.advance(clock.nanoTime());
    }
    clock.advanceTo(nanos);
  }

  @Test
  void shouldTakeOneMillisecondFor1500OctetsAt12Megabit() {
    link(LinkConfig.of(12_000_000, 10 * MS));
    send(3, 1500);
    runUntil(20 * MS);
    assertThat(times).containsExactly(11 * MS, 12 * MS, 13 * MS);
  }

  @Test
  void shouldNotLoseTimeToRoundingWhenTheRateDoesNotDivide() {
    link(LinkConfig.of(7_000_000, 0).withQueuePackets(10_000));
    send(7000, 1000); // 8 000 000 ns / 7 each: 7000 packets take 8 s exactly
    runUntil(NanoClock.seconds(9));
    assertThat(times.get(6999)).isEqualTo(NanoClock.seconds(8));
    assertThat(times.get(0)).isEqualTo(1_142_857);
  }

  @Test
  void shouldDeliverFromTheTimerQueueOnlyWhenPerfect() {
    link(LinkConfig.PERFECT);
    send(2, 100);
    assertThat(times).isEmpty();
    assertThat(timers.nextDeadlineNanos()).isZero();
    runUntil(0);
    assertThat(numbers).containsExactly(0, 1);
  }

  @Test
  void shouldDropAtTheTailWhenThePacketQueueIsFull() {
    link(LinkConfig.of(12_000_000, 0).withQueuePackets(5));
    send(10, 1500); // one is being sent, five wait
    runUntil(NanoClock.seconds(1));
    assertThat(numbers).containsExactly(0, 1, 2, 3, 4, 5);
    assertThat(link.stats().drops(LinkDrop.QUEUE_FULL)).isEqualTo(4);
    assertThat(link.stats().maxQueuePackets()).isEqualTo(5);
    assertThat(link.stats().maxQueueBytes()).isEqualTo(7500);
  }

  @Test
  void shouldDropAtTheTailWhenTheOctetQueueIsFullYetTakeASmallerPacket() {
    link(LinkConfig.of(12_000_000, 0).withQueueBytes(4000));
    send(4, 1500); // one sent, two wait with 3000 octets, the fourth does not fit
    send(1, 1000);
    runUntil(NanoClock.seconds(1));
    assertThat(numbers).containsExactly(0, 1, 2, 4);
  }

  @Test
  void shouldApplyANewRateToPacketsThatStillWait() {
    link(LinkConfig.of(12_000_000, 0));
    send(3, 1500);
    runUntil(MS / 2);
    link.configure(LinkConfig.of(120_000_000, 0));
    runUntil(10 * MS);
    assertThat(times).containsExactly(MS, MS + MS / 10, MS + 2 * MS / 10);
  }

  @Test
  void shouldKeepTheOrderWhenTheDelayShrinks() {
    link(LinkConfig.of(0, 50 * MS));
    send(1, 100);
    link.configure(LinkConfig.of(0, MS));
    send(1, 100);
    runUntil(100 * MS);
    assertThat(numbers).containsExactly(0, 1);
    assertThat(times).containsExactly(50 * MS, 50 * MS);
  }

  @Test
  void shouldKeepTheOrderUnderJitterAndStayWithinIt() {
    link(LinkConfig.of(0, 10 * MS).withJitter(5 * MS));
    for (int i = 0; i < 1000; i++) {
      send(1, 100);
      runUntil((i + 1) * 20 * MS);
    }
    long least = Long.MAX_VALUE;
    long most = 0;
    for (int i = 0; i < 1000; i++) {
      long took = times.get(i) - i * 20 * MS;
      least = Math.min(least, took);
      most = Math.max(most, took);
    }
    assertThat(least).isBetween(10 * MS, 10 * MS + MS / 10);
    assertThat(most).isBetween(15 * MS - MS / 10, 15 * MS);
    for (int i = 0; i < 100; i++) {
      send(1, 100);
      runUntil(clock.nanoTime() + MS / 10);
    }
    runUntil(clock.nanoTime() + NanoClock.seconds(1));
    assertThat(numbers).hasSize(1100).isSorted();
  }

  @Test
  void shouldLoseDuplicateCorruptAndReorderAboutAsOftenAsAsked() {
    link(
        LinkConfig.of(0, MS)
            .withLoss(0.1)
            .withDuplicate(0.05)
            .withCorrupt(0.02)
            .withReorder(0.03, 5 * MS));
    for (int i = 0; i < 20_000; i++) {
      send(1, 100);
      runUntil((i + 1) * MS);
    }
    runUntil(NanoClock.seconds(30));
    LinkStats s = link.stats();
    double arrivedOnce = 20_000 - s.drops(LinkDrop.LOST);
    assertThat(s.drops(LinkDrop.LOST) / 20_000.0).isEqualTo(0.1, within(0.01));
    assertThat(s.duplicatedPackets() / arrivedOnce).isEqualTo(0.05, within(0.005));
    assertThat(s.corruptedPackets() / arrivedOnce).isEqualTo(0.02, within(0.004));
    assertThat(s.reorderedPackets() / arrivedOnce / 1.05).isEqualTo(0.03, within(0.005));
    assertThat(link.packetsInside()).isZero();
  }

  @Test
  void shouldLetLaterPacketsOvertakeOneThatIsHeldBack() {
    link(LinkConfig.of(0, MS).withReorder(1, 5 * MS));
    send(1, 100);
    link.configure(LinkConfig.of(0, MS));
    send(2, 100);
    runUntil(10 * MS);
    assertThat(numbers).containsExactly(1, 2, 0);
    assertThat(times).containsExactly(MS, MS, 6 * MS);
  }

  @Test
  void shouldFlipExactlyOneBitAndLeaveTheSendersMemoryAlone() {
    List<byte[]> got = new ArrayList<>();
    link =
        new FaultInjector(
            LinkConfig.PERFECT.withCorrupt(1),
            p -> {
              byte[] bytes = new byte[p.readableBytes()];
              p.readBytes(bytes);
              p.release();
              got.add(bytes);
            },
            clock,
            timers,
            SEED);
    ByteBuf kept = buffers.packet(200, 7);
    byte[] before = new byte[200];
    kept.getBytes(0, before);
    link.transmit(kept.retainedDuplicate());
    runUntil(MS);
    byte[] after = new byte[200];
    kept.getBytes(0, after);
    kept.release();
    assertThat(after).isEqualTo(before);
    int flipped = 0;
    for (int i = 0; i < 200; i++) {
      flipped += Integer.bitCount((got.get(0)[i] ^ before[i]) & 0xff);
    }
    assertThat(flipped).isEqualTo(1);
  }

  @Test
  void shouldLoseEverythingInsideWhenCutAndNothingWhenDrained() {
    link(LinkConfig.of(12_000_000, 5 * MS));
    send(4, 1500);
    runUntil(2 * MS + MS / 2); // two travel, one is being sent, one waits
    link.down(Cut.DROP);
    send(1, 1500);
    runUntil(20 * MS);
    assertThat(numbers).isEmpty();
    assertThat(link.stats().drops(LinkDrop.CUT)).isEqualTo(4);
    assertThat(link.stats().drops(LinkDrop.DOWN)).isEqualTo(1);

    link.up();
    send(4, 1500);
    link.down(Cut.DRAIN);
    runUntil(40 * MS);
    assertThat(numbers).containsExactly(5, 6, 7, 8);
    assertThat(times).startsWith(26 * MS);
  }

  @Test
  void shouldRefusePacketsLargerThanTheMtu() {
    link(LinkConfig.PERFECT.withMtu(1280));
    send(1, 1281);
    send(1, 1280);
    runUntil(0);
    assertThat(numbers).containsExactly(1);
    assertThat(link.stats().drops(LinkDrop.TOO_BIG)).isEqualTo(1);
  }

  @Test
  void shouldKeepTheRateWhenItsDriverIsLate() {
    link(LinkConfig.of(12_000_000, 0));
    send(8, 1500);
    clock.advanceTo(5 * MS + MS / 2); // five should have left by now
    timers.advance(clock.nanoTime());
    timers.advance(clock.nanoTime());
    assertThat(numbers).containsExactly(0, 1, 2, 3, 4);
    runUntil(8 * MS);
    assertThat(numbers).hasSize(8);
    assertThat(times.get(7)).isEqualTo(8 * MS);
  }

  @Test
  void shouldAccountForEveryPacketWhileAllFaultsAreOn() {
    link(
        LinkConfig.of(5_000_000, 3 * MS)
            .withJitter(MS)
            .withLoss(0.2)
            .withDuplicate(0.2)
            .withCorrupt(0.2)
            .withReorder(0.2, 4 * MS)
            .withQueueBytes(20_000));
    SplittableRandom random = new SplittableRandom(SEED);
    for (int i = 0; i < 3000; i++) {
      send(random.nextInt(4), 44 + random.nextInt(1456));
      runUntil(clock.nanoTime() + random.nextLong(3 * MS));
      if (i % 500 == 499) {
        link.down(random.nextBoolean() ? Cut.DROP : Cut.DRAIN);
        send(2, 100);
        link.up();
      }
    }
    assertThat(link.stats().deliveredPackets()).isGreaterThan(1000);
    assertThat(link.stats().drops(LinkDrop.QUEUE_FULL)).isPositive();
    assertThat(link.stats().drops(LinkDrop.CUT)).isPositive();
  }

  /** Offers numbered packets one after another and returns the numbers of those that arrive. */
  private List<Integer> survivors(LinkConfig config, int count) {
    numbers.clear();
    sent = 0;
    link(config);
    for (int i = 0; i < count; i++) {
      send(1, 100);
      runUntil(clock.nanoTime() + MS);
    }
    runUntil(clock.nanoTime() + NanoClock.seconds(1));
    return List.copyOf(numbers);
  }

  @Test
  void shouldLoseTheSamePacketsWhateverElseHappensToThem() {
    LinkConfig lossy = LinkConfig.of(0, MS).withLoss(0.2);
    List<Integer> plain = survivors(lossy, 2000);
    assertThat(survivors(lossy, 2000)).isEqualTo(plain);
    // With jitter and reordering; and with many dropped before they get to be lost.
    List<Integer> others = survivors(lossy.withJitter(MS / 2).withReorder(0.5, MS), 2000);
    assertThat(others).containsExactlyInAnyOrderElementsOf(plain);
    numbers.clear();
    sent = 0;
    link(lossy.withRate(800_000).withQueuePackets(1)); // one packet a millisecond, two at once
    for (int i = 0; i < 500; i++) {
      send(4, 100);
      runUntil(clock.nanoTime() + 2 * MS);
    }
    assertThat(numbers).hasSizeGreaterThan(300);
    assertThat(plain).containsAll(numbers);
  }

  @Test
  void shouldBeginItsChancesAnewWhenAsked() {
    List<Integer> plain = survivors(LinkConfig.of(0, MS).withLoss(0.2), 500);
    numbers.clear();
    send(7, 100); // what comes before does not count
    runUntil(clock.nanoTime() + 2 * MS);
    link.restartChances();
    numbers.clear();
    sent = 0;
    send(500, 100);
    runUntil(clock.nanoTime() + 2 * MS);
    assertThat(numbers).isEqualTo(plain);
  }

  @Test
  void shouldLoseOtherPacketsWithAnotherSeed() {
    link(LinkConfig.PERFECT.withLoss(0.5));
    FaultInjector other =
        new FaultInjector(LinkConfig.PERFECT.withLoss(0.5), this::arrived, clock, timers, SEED + 1);
    send(200, 100);
    runUntil(0);
    List<Integer> first = List.copyOf(numbers);
    numbers.clear();
    for (int i = 0; i < 200; i++) {
      other.transmit(buffers.packet(100, i));
    }
    runUntil(0);
    assertThat(numbers).isNotEqualTo(first).hasSizeBetween(70, 130);
    other.close();
  }

  @Test
  void shouldLoseInBurstsOfTheLengthAsked() {
    int count = 50_000;
    // A burst begins with every 100th packet and takes 4 on average, of which 3/4 are lost.
    List<Integer> arrived = survivors(LinkConfig.PERFECT.withBursts(0.01, 0.25, 0.75), count);
    double lossRate = 1 - arrived.size() / (double) count;
    double inBurst = 0.01 / (0.01 + 0.25);
    assertThat(lossRate).isEqualTo(inBurst * 0.75, within(0.003));

    List<Integer> whole = survivors(LinkConfig.PERFECT.withBursts(0.01, 0.25, 1), count);
    int bursts = 0;
    for (int i = 1; i < whole.size(); i++) {
      bursts += whole.get(i) - whole.get(i - 1) > 1 ? 1 : 0;
    }
    assertThat((count - whole.size()) / (double) bursts).isEqualTo(4, within(0.3));
  }

  @Test
  void shouldEndABurstWhenBurstsAreSwitchedOff() {
    link(LinkConfig.PERFECT.withBursts(1, 0, 1));
    send(10, 100);
    link.configure(LinkConfig.PERFECT.withBursts(0, 1, 1));
    send(10, 100);
    runUntil(0);
    assertThat(numbers).containsExactly(10, 11, 12, 13, 14, 15, 16, 17, 18, 19);
  }

  @Test
  void shouldDropTheOldestWhenAskedToDropAtTheHead() {
    LinkConfig config = LinkConfig.of(12_000_000, 0).withDropPolicy(DropPolicy.HEAD);
    link(config.withQueuePackets(3));
    send(10, 1500); // one is being sent, of the others the last three stay
    runUntil(NanoClock.seconds(1));
    assertThat(numbers).containsExactly(0, 7, 8, 9);
    assertThat(link.stats().drops(LinkDrop.QUEUE_FULL)).isEqualTo(6);
  }

  @Test
  void shouldDropAPacketThatCanNeverFitWhateverThePolicy() {
    LinkConfig config = LinkConfig.of(12_000_000, 0).withDropPolicy(DropPolicy.HEAD);
    link(config.withQueueBytes(1000));
    send(2, 900);
    send(1, 1500);
    runUntil(NanoClock.seconds(1));
    assertThat(numbers).containsExactly(0, 1);
  }

  @Test
  void shouldKeepTheWaitNearItsTargetWithCoDel() {
    link(LinkConfig.of(12_000_000, 0).withQueuePackets(1000).withDropPolicy(DropPolicy.CODEL));
    List<Long> waits = new ArrayList<>();
    // Twice what the link carries, from a sender that halves its rate at each loss it sees.
    double perMs = 2;
    double credit = 0;
    long seen = 0;
    for (int ms = 0; ms < 20_000; ms++) {
      credit += perMs;
      for (; credit >= 1; credit--) {
        send(1, 1500);
      }
      runUntil(clock.nanoTime() + MS);
      long drops = link.stats().totalDrops();
      perMs = drops > seen ? perMs * 0.7 : perMs + 0.002;
      seen = drops;
      if (ms > 5000) {
        waits.add((long) link.queuedPackets());
      }
    }
    waits.sort(null);
    // A millisecond each: 5 ms are the target, and the sender's saw-tooth is above it.
    assertThat(waits.get(waits.size() / 2)).isLessThan(20);
    assertThat(link.stats().drops(LinkDrop.AQM)).isPositive();
    assertThat(link.stats().drops(LinkDrop.QUEUE_FULL)).isZero();
    assertThat(link.stats().deliveredPackets()).isGreaterThan(17_000); // 85 % of the link
  }

  @Test
  void shouldNotDropAShortQueueWithCoDel() {
    link(LinkConfig.of(12_000_000, 0).withDropPolicy(DropPolicy.CODEL));
    for (int i = 0; i < 500; i++) {
      send(4, 1500); // waits up to 3 ms
      runUntil(clock.nanoTime() + 4 * MS);
    }
    runUntil(clock.nanoTime() + NanoClock.seconds(1));
    assertThat(numbers).hasSize(2000);
  }

  @Test
  void shouldSayHowLateItsDriverWas() {
    link(LinkConfig.of(0, MS));
    send(1, 100);
    clock.advanceTo(3 * MS);
    timers.advance(clock.nanoTime());
    assertThat(numbers).containsExactly(0);
    assertThat(link.stats().maxLateNanos()).isEqualTo(2 * MS);
  }

  @Test
  void shouldBoundWhatIsOnTheWay() {
    link(LinkConfig.of(0, NanoClock.seconds(3600)).withMtu(65535));
    ByteBuf packet = buffers.packet(65535, 0);
    for (int i = 0; i < 5000; i++) {
      link.transmit(packet.retainedDuplicate());
    }
    packet.release();
    assertThat(link.packetsInside()).isEqualTo((int) (FaultInjector.MAX_IN_FLIGHT_BYTES / 65535));
    assertThat(link.stats().drops(LinkDrop.QUEUE_FULL)).isEqualTo(5000 - link.packetsInside());
  }
}

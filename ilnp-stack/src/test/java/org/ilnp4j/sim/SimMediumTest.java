package org.ilnp4j.sim;

import static org.assertj.core.api.Assertions.assertThat;

import org.ilnp4j.link.FaultInjector.Cut;
import org.ilnp4j.link.LinkConfig;
import org.ilnp4j.link.LinkDrop;
import org.junit.jupiter.api.Test;

class SimMediumTest extends SimTestBase {
  private static final LinkConfig TWELVE_MEGABIT = LinkConfig.of(12_000_000, 0);

  private final Recorder ap = new Recorder("ap");
  private final Recorder one = new Recorder("one");
  private final Recorder two = new Recorder("two");
  private final SimPort apPort = network.port(ap, "radio").answersTo(100);
  private final SimPort onePort = network.port(one, "radio").answersTo(1);
  private final SimPort twoPort = network.port(two, "radio").answersTo(2);

  private void send(SimPort from, int count, int bytes, long dstNid) {
    for (int i = 0; i < count; i++) {
      from.transmit(buffers.packet(bytes, i, l64(1), 77, l64(2), dstNid));
    }
  }

  private SimMedium cell(LinkConfig config) {
    return network.medium(config).join(apPort).join(onePort).join(twoPort).gateway(apPort);
  }

  @Test
  void shouldCarryOnePacketAtATimeWhicheverStationSends() {
    network.medium(TWELVE_MEGABIT).join(onePort).join(twoPort);
    send(onePort, 3, 1500, 2);
    send(twoPort, 3, 1500, 1);
    network.runUntil(SECOND);
    // Turns alternate: six packets of 1 ms each share the medium.
    assertThat(two.times()).containsExactly(MS, 3 * MS, 5 * MS);
    assertThat(one.times()).containsExactly(2 * MS, 4 * MS, 6 * MS);
  }

  @Test
  void shouldLeaveTheOtherDirectionOnlyWhatItsPacketsNeed() {
    network
        .medium(LinkConfig.of(10_000_000, 0).withQueuePackets(100_000))
        .join(onePort)
        .join(twoPort);
    send(onePort, 10_000, 1500, 2);
    for (int i = 0; i < 10_000; i++) {
      network.after(i * 2_500_000L, () -> send(twoPort, 1, 100, 1)); // an ACK for every other
    }
    network.runUntil(10 * SECOND);
    // 1500 octets take 1.2 ms, 100 octets 0.08 ms every 2.5 ms: 10 s carry 0.968 * 10 s / 1.2 ms.
    assertThat(two.arrivals.size()).isBetween(8060, 8068);
    assertThat(one.arrivals.size()).isBetween(3998, 4001);
  }

  @Test
  void shouldShareFairlyBetweenABusyAndALightStation() {
    cell(TWELVE_MEGABIT);
    send(onePort, 100, 1500, 100);
    network.runUntil(10 * MS + 1);
    send(twoPort, 1, 1500, 100);
    network.runUntil(SECOND);
    // It waits for the packet in the air, not for the queue of the other.
    assertThat(ap.arrivals.get(11).nanos()).isEqualTo(12 * MS);
    assertThat(ap.arrivals).hasSize(101);
    assertThat(network.packetsInside()).isZero();
    assertThat(ap.numbers().subList(10, 14)).containsExactly(10, 0, 11, 12);
  }

  @Test
  void shouldSendToTheStationThatAnswersElseToTheGateway() {
    cell(TWELVE_MEGABIT);
    send(onePort, 1, 100, 2);
    send(onePort, 1, 100, 4711);
    send(apPort, 1, 100, 1);
    send(apPort, 1, 100, 4711);
    network.runUntil(SECOND);
    assertThat(two.arrivals).hasSize(1);
    assertThat(ap.arrivals).hasSize(1);
    assertThat(one.arrivals).hasSize(1);
    assertThat(network.packetsInside()).isZero();
  }

  @Test
  void shouldCountPacketsNoStationAnswersTo() {
    SimMedium cell = cell(TWELVE_MEGABIT);
    send(apPort, 3, 100, 4711);
    network.runUntil(SECOND);
    assertThat(cell.sent(apPort).drops(LinkDrop.NO_STATION)).isEqualTo(3);
  }

  @Test
  void shouldReachEveryOtherStationWithAMulticast() {
    SimMedium cell = cell(TWELVE_MEGABIT);
    apPort.transmit(buffers.packet(1500, 1, l64(1), 77, 0xff02L << 48, 1));
    network.runUntil(SECOND);
    assertThat(one.times()).containsExactly(MS);
    assertThat(two.times()).containsExactly(MS);
    assertThat(ap.arrivals).isEmpty();
    assertThat(cell.sent(apPort).deliveredPackets()).isEqualTo(1);
  }

  @Test
  void shouldLoseTheQueueOfAStationThatLeaves() {
    SimMedium cell = cell(TWELVE_MEGABIT);
    send(onePort, 5, 1500, 100);
    send(twoPort, 2, 1500, 1);
    network.runUntil(MS / 2);
    cell.leave(onePort, Cut.DROP);
    network.runUntil(SECOND);
    assertThat(ap.arrivals).isEmpty(); // the one in the air is cut short as well
    assertThat(one.arrivals).isEmpty();
    assertThat(cell.sent(onePort).drops(LinkDrop.CUT)).isEqualTo(5);
    assertThat(cell.received(onePort).drops(LinkDrop.DOWN)).isEqualTo(2);
    assertThat(one.calls).contains("radio down");
    cell.enter(onePort);
    send(onePort, 1, 1500, 100);
    network.runUntil(2 * SECOND);
    assertThat(ap.arrivals).hasSize(1);
    assertThat(one.calls).contains("radio up");
  }

  @Test
  void shouldDropAtTheTailOfEachStationsOwnQueue() {
    SimMedium cell = cell(TWELVE_MEGABIT.withQueuePackets(3));
    send(onePort, 10, 1500, 100);
    send(twoPort, 2, 1500, 100);
    network.runUntil(SECOND);
    assertThat(cell.sent(onePort).drops(LinkDrop.QUEUE_FULL)).isEqualTo(6);
    assertThat(cell.sent(twoPort).drops(LinkDrop.QUEUE_FULL)).isZero();
    assertThat(ap.arrivals).hasSize(6);
  }

  @Test
  void shouldAddTheOverheadOfEachPacketAndTheDelay() {
    network
        .medium(LinkConfig.of(12_000_000, 2 * MS).withPerPacket(MS / 2))
        .join(onePort)
        .join(twoPort);
    send(onePort, 2, 1500, 2);
    network.runUntil(SECOND);
    assertThat(two.times()).containsExactly(3 * MS + MS / 2, 5 * MS);
  }
}

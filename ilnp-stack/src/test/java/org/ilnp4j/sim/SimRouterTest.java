package org.ilnp4j.sim;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.List;
import org.ilnp4j.link.FaultInjector.Cut;
import org.ilnp4j.link.LinkConfig;
import org.ilnp4j.util.DropReason;
import org.ilnp4j.wire.Icmp6;
import org.ilnp4j.wire.Ip6;
import org.ilnp4j.wire.PacketView;
import org.ilnp4j.wire.PrefixInformation;
import org.ilnp4j.wire.RouterAdvertisement;
import org.ilnp4j.wire.RouterSolicitation;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class SimRouterTest extends SimTestBase {
  private static final long ROUTER_NID = 0xfe;

  private final Recorder host = new Recorder("host");
  private final Recorder far = new Recorder("far");
  private final SimRouter router = new SimRouter(network, "router", ROUTER_NID);
  private final SimPort host0 = network.port(host, "eth0");
  private final SimPort far0 = network.port(far, "eth0");
  private final SimPort lan = router.addInterface("lan", l64(1));
  private final SimPort wan = router.addInterface("wan", l64(2));
  private SimLink lanLink;
  private SimLink wanLink;

  @BeforeEach
  void connect() {
    lanLink = network.connect(host0, lan, LinkConfig.of(12_000_000, 0));
    wanLink = network.connect(wan, far0, LinkConfig.of(0, MS).withMtu(1400));
  }

  private ByteBuf toFar(int bytes, int hopLimit) {
    ByteBuf p = buffers.packet(bytes, 1, l64(1), 1, l64(2), 2);
    p.setByte(Ip6.HOP_LIMIT, hopLimit);
    return p;
  }

  private RouterAdvertisement parse(Arrival a) {
    PacketView v = new PacketView();
    ByteBuf buf = Unpooled.wrappedBuffer(a.bytes());
    assertThat(v.parse(buf)).isNull();
    assertThat(Icmp6.check(v)).isNull();
    assertThat(RouterAdvertisement.checkSender(v.hopLimit, v.srcL64)).isNull();
    assertThat(v.srcNid).isEqualTo(ROUTER_NID);
    RouterAdvertisement.Parsed parsed = RouterAdvertisement.parse(buf, v.upperIndex, v.upperLength);
    assertThat(parsed.drop()).isNull();
    return parsed.advertisement();
  }

  @Test
  void shouldForwardAndCountDownTheHopLimit() {
    host0.transmit(toFar(1000, 64));
    network.runUntil(SECOND);
    assertThat(far.arrivals).hasSize(1);
    assertThat(far.arrivals.get(0).hopLimit()).isEqualTo(63);
  }

  @Test
  void shouldReportTimeExceededFromItsAddressOnTheSendersSide() {
    host0.transmit(toFar(100, 1));
    network.runUntil(SECOND);
    assertThat(far.arrivals).isEmpty();
    assertThat(router.counters().get(DropReason.IP_HOP_LIMIT)).isEqualTo(1);
    Arrival error = host.icmp(Icmp6.TIME_EXCEEDED).get(0);
    PacketView v = new PacketView();
    ByteBuf buf = Unpooled.wrappedBuffer(error.bytes());
    assertThat(v.parse(buf)).isNull();
    assertThat(Icmp6.check(v)).isNull();
    assertThat(v.srcL64).isEqualTo(l64(1));
    assertThat(v.srcNid).isEqualTo(ROUTER_NID);
    assertThat(v.dstNid).isEqualTo(1);
    assertThat(v.upperLength).isEqualTo(8 + 100);
  }

  @Test
  void shouldReportPacketTooBigWithTheMtuOfTheNextLink() {
    host0.transmit(toFar(1500, 64));
    host0.transmit(toFar(1400, 64));
    network.runUntil(SECOND);
    assertThat(far.arrivals).hasSize(1);
    Arrival error = host.icmp(Icmp6.PACKET_TOO_BIG).get(0);
    assertThat(Unpooled.wrappedBuffer(error.bytes()).getInt(44)).isEqualTo(1400);
    assertThat(error.bytes()).hasSize(1280);
  }

  @Test
  void shouldReportNoRoute() {
    host0.transmit(buffers.packet(100, 1, l64(1), 1, l64(77), 2));
    network.runUntil(SECOND);
    Arrival error = host.icmp(Icmp6.DEST_UNREACHABLE).get(0);
    assertThat(error.octet(41)).isEqualTo(Icmp6.NO_ROUTE);
    assertThat(router.counters().get(DropReason.OUT_NO_ROUTE)).isEqualTo(1);
  }

  @Test
  void shouldReportADeadLinkOnlyWhenAskedTo() {
    wanLink.down(Cut.DROP);
    host0.transmit(toFar(100, 64));
    network.runUntil(SECOND);
    assertThat(host.icmp(Icmp6.DEST_UNREACHABLE)).isEmpty();
    router.reportDeadLinks(true);
    host0.transmit(toFar(100, 64));
    network.runUntil(2 * SECOND);
    assertThat(host.icmp(Icmp6.DEST_UNREACHABLE).get(0).octet(41))
        .isEqualTo(Icmp6.ADDRESS_UNREACHABLE);
  }

  @Test
  void shouldNotReportErrorsAboutErrorsAndLimitTheRest() {
    ByteBuf error = buffers.packet(60, 1, l64(1), 1, l64(77), 2);
    error.setByte(Ip6.NEXT_HEADER, Ip6.PROTO_ICMP6);
    error.setByte(40, Icmp6.DEST_UNREACHABLE);
    host0.transmit(error);
    network.runUntil(SECOND);
    assertThat(host.arrivals).isEmpty();
    for (int i = 0; i < 200; i++) {
      host0.transmit(buffers.packet(60, 1, l64(1), 1, l64(77), 2));
    }
    network.runUntil(2 * SECOND);
    assertThat(host.arrivals.size()).isBetween(20, 25);
    assertThat(router.counters().get(DropReason.OUT_NO_ROUTE)).isEqualTo(201);
  }

  @Test
  void shouldDropMalformedPacketsAndCountWhy() {
    host0.transmit(buffers.packet(60, 1).writerIndex(39));
    ByteBuf version4 = toFar(100, 64);
    version4.setByte(0, 0x45);
    host0.transmit(version4);
    ByteBuf tooLong = toFar(100, 64);
    tooLong.setShort(Ip6.PAYLOAD_LENGTH, 61);
    host0.transmit(tooLong);
    host0.transmit(buffers.packet(100, 1, 0xfe80L << 48, 1, l64(2), 2));
    host0.transmit(buffers.packet(100, 1, l64(1), 1, l64(1), ROUTER_NID));
    host0.transmit(buffers.packet(100, 1, l64(1), 1, 0xff02L << 48, 5));
    network.runUntil(SECOND);
    assertThat(far.arrivals).isEmpty();
    assertThat(router.counters().get(DropReason.IP_TRUNCATED)).isEqualTo(1);
    assertThat(router.counters().get(DropReason.IP_BAD_VERSION)).isEqualTo(1);
    assertThat(router.counters().get(DropReason.IP_BAD_LENGTH)).isEqualTo(1);
    assertThat(router.counters().get(DropReason.IP_BAD_SOURCE)).isEqualTo(1);
    assertThat(router.counters().get(DropReason.UPPER_UNKNOWN_PROTOCOL)).isEqualTo(1);
    assertThat(router.counters().get(DropReason.IP_NOT_FOR_US)).isEqualTo(1);
  }

  @Test
  void shouldAdvertiseAtOnceAndThenWithinTheInterval() {
    router.advertise(lan, RaConfig.ofLocator(l64(1), 3 * SECOND, 5 * SECOND));
    network.runUntil(100 * SECOND);
    List<Long> times = host.times();
    assertThat(times.get(0)).isLessThan(MS);
    assertThat(times).hasSizeBetween(21, 34);
    for (int i = 1; i < times.size(); i++) {
      assertThat(times.get(i) - times.get(i - 1)).isBetween(3 * SECOND, 5 * SECOND);
    }
    RouterAdvertisement ra = parse(host.arrivals.get(0));
    assertThat(ra.routerLifetimeSeconds()).isEqualTo(15);
    assertThat(ra.advertisementIntervalMillis()).isEqualTo(5000);
    assertThat(ra.prefixes()).containsExactly(PrefixInformation.locator(l64(1), 15, 15));
    assertThat(far.arrivals).isEmpty();
  }

  @Test
  void shouldTellANewConfigurationAtOnceAndThenFallSilent() {
    router.advertise(lan, RaConfig.ofLocator(l64(1), 3 * SECOND, 5 * SECOND));
    network.runUntil(SECOND);
    RaConfig withdrawn =
        RaConfig.ofLocator(l64(1), 3 * SECOND, 5 * SECOND)
            .withPrefixes(List.of(PrefixInformation.locator(l64(1), 0, 0)));
    router.advertise(lan, withdrawn);
    network.runUntil(SECOND + 10 * MS);
    assertThat(host.arrivals).hasSize(2);
    assertThat(parse(host.arrivals.get(1)).prefixes().get(0).preferredSeconds()).isZero();
    router.stopAdvertising(lan);
    network.runUntil(60 * SECOND);
    assertThat(host.arrivals).hasSize(2);
  }

  @Test
  void shouldAdvertiseAtOnceWhenTheLinkComesUp() {
    router.advertise(lan, RaConfig.ofLocator(l64(1), 30 * SECOND, 50 * SECOND));
    network.runUntil(SECOND);
    lanLink.down(Cut.DROP);
    network.runUntil(2 * SECOND);
    lanLink.up();
    network.runUntil(2 * SECOND + 10 * MS);
    assertThat(host.arrivals).hasSize(2);
    assertThat(host.arrivals.get(1).nanos()).isLessThan(2 * SECOND + MS);
  }

  @Test
  void shouldAnswerASolicitationToItsSender() {
    router.advertise(lan, RaConfig.ofLocator(l64(1), 30 * SECOND, 50 * SECOND));
    network.runUntil(SECOND);
    host0.transmit(solicitation(0xfe80L << 48, 1, 255));
    network.runUntil(SECOND + 10 * MS);
    assertThat(host.arrivals).hasSize(2);
    Arrival answer = host.arrivals.get(1);
    parse(answer);
    assertThat(answer.octet(24)).isEqualTo(0xfe);
    assertThat(answer.octet(39)).isEqualTo(1);
  }

  @Test
  void shouldAnswerASolicitationWithoutAddressToAllButNotTooOften() {
    router.advertise(lan, RaConfig.ofLocator(l64(1), 30 * SECOND, 50 * SECOND));
    network.runUntil(SECOND);
    for (int i = 0; i < 100; i++) {
      network.after(i * MS, () -> host0.transmit(solicitation(0, 0, 255)));
    }
    network.runUntil(2 * SECOND);
    assertThat(host.arrivals).hasSizeBetween(4, 6); // one before, then every 30 ms of 100 ms
    assertThat(host.arrivals.get(1).octet(24)).isEqualTo(0xff);
  }

  @Test
  void shouldIgnoreASolicitationFromBeyondTheLink() {
    router.advertise(lan, RaConfig.ofLocator(l64(1), 30 * SECOND, 50 * SECOND));
    network.runUntil(SECOND);
    host0.transmit(solicitation(0xfe80L << 48, 1, 254));
    network.runUntil(2 * SECOND);
    assertThat(host.arrivals).hasSize(1);
    assertThat(router.counters().get(DropReason.RA_HOP_LIMIT)).isEqualTo(1);
  }

  @Test
  void shouldDelayAdvertisementsBehindDataOnASaturatedLink() {
    lanLink.from(lan).configure(LinkConfig.of(12_000_000, 0).withQueuePackets(1000));
    router.advertise(lan, RaConfig.ofLocator(l64(1), SECOND, SECOND));
    network.runUntil(SECOND / 2);
    for (int i = 0; i < 900; i++) {
      far0.transmit(buffers.packet(1400, i, l64(2), 2, l64(1), 1));
    }
    network.runUntil(10 * SECOND);
    // Sent at 1 s, when (1.4 kB at 12 Mbit/s take 14/15 ms) 900 packets need until 1.341 s.
    List<Arrival> ras = host.icmp(Icmp6.ROUTER_ADVERTISEMENT);
    assertThat(ras.get(1).nanos()).isBetween(SECOND + 340 * MS, SECOND + 342 * MS);
    assertThat(ras.get(2).nanos()).isBetween(2 * SECOND, 2 * SECOND + MS);
  }

  private ByteBuf solicitation(long srcL64, long srcNid, int hopLimit) {
    int bytes = RouterSolicitation.bytes(RouterAdvertisement.NO_LINK_LAYER);
    ByteBuf p = buffers.allocator().directBuffer(Ip6.HEADER_BYTES + bytes);
    Ip6.write(p, 0, bytes, Ip6.PROTO_ICMP6, hopLimit, srcL64, srcNid, 0xff02L << 48, 2);
    RouterSolicitation.write(p, RouterAdvertisement.NO_LINK_LAYER);
    RaSender.finishChecksum(p);
    return p;
  }
}

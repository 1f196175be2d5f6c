package org.ilnp4j.sim;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import org.ilnp4j.link.LinkConfig;
import org.ilnp4j.wire.Checksum;
import org.ilnp4j.wire.Icmp6;
import org.ilnp4j.wire.Ip6;
import org.ilnp4j.wire.NonceOption;
import org.ilnp4j.wire.PacketView;
import org.junit.jupiter.api.Test;

class MiddleboxTest extends SimTestBase {
  private final Recorder in = new Recorder("in");
  private final Recorder out = new Recorder("out");
  private final SimPort in0 = network.port(in, "0");
  private final SimPort out0 = network.port(out, "0");

  private void place(Middlebox box) {
    network.connect(in0, box.inside(), LinkConfig.of(0, MS));
    network.connect(box.outside(), out0, LinkConfig.of(0, MS));
  }

  /** A UDP or ICMPv6 packet with a right checksum: NID-only for UDP with a nonce. */
  private ByteBuf packet(int protocol, boolean nonce, long srcL64, long dstL64) {
    ByteBuf p = buffers.allocator().directBuffer(200);
    int upper = 16;
    int option = nonce ? NonceOption.headerBytes(NonceOption.SHORT) : 0;
    Ip6.write(
        p, 0, option + upper, nonce ? Ip6.PROTO_DEST_OPTS : protocol, 64, srcL64, 1, dstL64, 2);
    if (nonce) {
      NonceOption.write(p, protocol, NonceOption.SHORT, 0x01020304, 0);
    }
    int at = p.writerIndex();
    if (protocol == Ip6.PROTO_UDP) {
      p.writeShort(5).writeShort(6).writeShort(upper).writeShort(0);
    } else {
      Icmp6.writeEcho(p, Icmp6.ECHO_REQUEST, 5, 6);
    }
    p.writeLong(0x1122334455667788L);
    PacketView v = new PacketView();
    assertThat(v.parse(p)).isNull();
    boolean nidOnly = nonce && protocol == Ip6.PROTO_UDP;
    p.setShort(
        at + (protocol == Ip6.PROTO_UDP ? 6 : 2),
        Checksum.finish(nidOnly ? v.sumNidOnly() : v.sumIpv6()));
    return p;
  }

  private static PacketView view(Arrival a) {
    PacketView v = new PacketView();
    assertThat(v.parse(Unpooled.wrappedBuffer(a.bytes()))).isNull();
    return v;
  }

  @Test
  void shouldDropDestinationOptionsSilently() {
    OptionsFilter box = new OptionsFilter(network, "box", false);
    place(box);
    in0.transmit(packet(Ip6.PROTO_UDP, true, l64(1), l64(2)));
    in0.transmit(packet(Ip6.PROTO_UDP, false, l64(1), l64(2)));
    out0.transmit(packet(Ip6.PROTO_UDP, true, l64(2), l64(1)));
    network.runUntil(SECOND);
    assertThat(out.arrivals).hasSize(1);
    assertThat(in.arrivals).isEmpty();
    assertThat(box.dropped()).isEqualTo(2);
    assertThat(box.passed()).isEqualTo(1);
  }

  @Test
  void shouldFindDestinationOptionsBehindHopByHopOptions() {
    place(new OptionsFilter(network, "box", false));
    ByteBuf p = packet(Ip6.PROTO_UDP, true, l64(1), l64(2));
    ByteBuf longer = buffers.allocator().directBuffer(200);
    longer.writeBytes(p, 0, 40).writeByte(Ip6.PROTO_DEST_OPTS).writeByte(0).writeByte(1);
    longer.writeByte(4).writeInt(0).writeBytes(p, 40, p.writerIndex() - 40);
    longer.setByte(Ip6.NEXT_HEADER, Ip6.PROTO_HOP_BY_HOP);
    longer.setShort(Ip6.PAYLOAD_LENGTH, longer.readableBytes() - 40);
    p.release();
    in0.transmit(longer);
    network.runUntil(SECOND);
    assertThat(out.arrivals).isEmpty();
  }

  @Test
  void shouldReportTheOptionAsAnUnknowingHostDoes() {
    place(new OptionsFilter(network, "box", true));
    in0.transmit(packet(Ip6.PROTO_UDP, true, l64(1), l64(2)));
    network.runUntil(SECOND);
    Arrival problem = in.icmp(Icmp6.PARAMETER_PROBLEM).get(0);
    assertThat(problem.octet(41)).isEqualTo(Icmp6.UNKNOWN_OPTION);
    PacketView v = view(problem);
    assertThat(Icmp6.check(v)).isNull();
    assertThat(Icmp6.parameter(v.buf, v.upperIndex)).isEqualTo(42);
    assertThat(v.srcNid).isEqualTo(2);
    assertThat(problem.octet(48 + 42)).isEqualTo(NonceOption.TYPE);
  }

  @Test
  void shouldDropTheIcmpTypesItIsToldTo() {
    place(new IcmpFilter(network, "box", type -> type == Icmp6.ECHO_REQUEST));
    in0.transmit(packet(Ip6.PROTO_ICMP6, false, l64(1), l64(2)));
    in0.transmit(packet(Ip6.PROTO_ICMP6, true, l64(1), l64(2)));
    in0.transmit(packet(Ip6.PROTO_UDP, true, l64(1), l64(2)));
    ByteBuf reply = packet(Ip6.PROTO_ICMP6, false, l64(1), l64(2));
    reply.setByte(40, Icmp6.ECHO_REPLY);
    in0.transmit(reply);
    network.runUntil(SECOND);
    assertThat(out.arrivals).hasSize(2);
    assertThat(out.icmp(Icmp6.ECHO_REPLY)).hasSize(1);
  }

  @Test
  void shouldRewriteLocatorsAndKeepEveryChecksumRight() {
    LocatorRewriter box = new LocatorRewriter(network, "box", l64(1), l64(0x7777));
    place(box);
    in0.transmit(packet(Ip6.PROTO_UDP, true, l64(1), l64(2)));
    in0.transmit(packet(Ip6.PROTO_UDP, false, l64(1), l64(2)));
    in0.transmit(packet(Ip6.PROTO_ICMP6, true, l64(1), l64(2)));
    in0.transmit(packet(Ip6.PROTO_UDP, false, l64(3), l64(2)));
    out0.transmit(packet(Ip6.PROTO_UDP, false, l64(2), l64(0x7777)));
    network.runUntil(SECOND);
    PacketView ilnp = view(out.arrivals.get(0));
    assertThat(ilnp.srcL64).isEqualTo(l64(0x7777));
    assertThat(Checksum.isValid(ilnp.sumNidOnly())).isTrue();
    PacketView classic = view(out.arrivals.get(1));
    assertThat(classic.srcL64).isEqualTo(l64(0x7777));
    assertThat(Checksum.isValid(classic.sumIpv6())).isTrue();
    assertThat(Icmp6.check(view(out.arrivals.get(2)))).isNull();
    assertThat(view(out.arrivals.get(3)).srcL64).isEqualTo(l64(3));
    PacketView inbound = view(in.arrivals.get(0));
    assertThat(inbound.dstL64).isEqualTo(l64(1));
    assertThat(Checksum.isValid(inbound.sumIpv6())).isTrue();
    assertThat(box.changed()).isEqualTo(4);
  }
}

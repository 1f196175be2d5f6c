package org.ilnp4j.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.SplittableRandom;
import org.ilnp4j.util.DropReason;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Random damage to good packets, through every parser: none throws, none loops, none points outside
 * of its input. Buffers have no spare capacity, so that a read past the end throws. The seed is
 * {@code -Dilnp4j.seed}, else fixed; a failure names it and the packet.
 */
@Timeout(120)
class MutationTest {
  private static final int ROUNDS = 200_000;

  /** Values that lengths, counts and types like to break at. */
  private static final int[] EDGES = {
    0, 1, 2, 3, 4, 5, 7, 8, 12, 0x7f, 0x80, 0x8b, 0xfe, 0xff, 6, 17, 43, 44, 58, 59, 60
  };

  private final PacketView view = new PacketView();
  private final QuotedPacket quoted = new QuotedPacket();
  private final TcpHeader tcp = new TcpHeader();
  private final LocatorUpdate update = new LocatorUpdate();
  private final EnumSet<DropReason> seen = EnumSet.noneOf(DropReason.class);
  private int accepted;

  @Test
  void shouldSurviveAnyDamage() {
    long seed = Long.getLong("ilnp4j.seed", 6744);
    SplittableRandom random = new SplittableRandom(seed);
    List<byte[]> corpus = corpus();
    for (int round = 0; round < ROUNDS; round++) {
      byte[] packet = mutate(random, corpus);
      int offset = random.nextInt(3);
      byte[] shifted = new byte[offset + packet.length];
      System.arraycopy(packet, 0, shifted, offset, packet.length);
      ByteBuf buf = Unpooled.wrappedBuffer(shifted);
      buf.skipBytes(offset);
      try {
        parsePacket(buf);
        parseEverywhere(random, packet);
      } catch (RuntimeException | AssertionError e) {
        throw new AssertionError(
            String.format("seed %d, round %d, packet:%n%s", seed, round, Hex.dump(buf)), e);
      }
    }
    // The damage must reach deep: most kinds of refusal, and plenty that still passes.
    assertThat(accepted).isGreaterThan(ROUNDS / 20);
    assertThat(seen)
        .contains(
            DropReason.IP_TRUNCATED,
            DropReason.IP_BAD_VERSION,
            DropReason.IP_BAD_LENGTH,
            DropReason.EXT_TRUNCATED,
            DropReason.EXT_BAD_ORDER,
            DropReason.EXT_UNKNOWN_HEADER,
            DropReason.EXT_UNKNOWN_OPTION,
            DropReason.EXT_BAD_OPTION,
            DropReason.ROUTING_HEADER,
            DropReason.FRAGMENT,
            DropReason.NONCE_BAD_LENGTH,
            DropReason.NONCE_TWICE,
            DropReason.ICMP_CHECKSUM,
            DropReason.LU_BAD_LENGTH,
            DropReason.LU_BAD_CODE,
            DropReason.LU_NO_LOCATORS,
            DropReason.LU_BAD_OPERATION,
            DropReason.RA_TRUNCATED,
            DropReason.RA_BAD_OPTION,
            DropReason.UDP_TRUNCATED,
            DropReason.UDP_CHECKSUM,
            DropReason.TCP_TRUNCATED,
            DropReason.TCP_BAD_OFFSET);
  }

  /** As a host does it: from the IPv6 header up. */
  private void parsePacket(ByteBuf buf) {
    DropReason drop = view.parse(buf);
    inside(view.start, view.length, buf);
    inside(view.upperIndex, view.upperLength, buf);
    assertThat(view.nonceOffset).isBetween(0, Math.max(0, view.length - 6));
    assertThat(view.problemPointer).isBetween(0, view.length);
    if (drop != null) {
      seen.add(drop);
      assertThat(view.upperLength).isZero();
    } else {
      accepted++;
      assertThat(view.upperIndex + view.upperLength).isEqualTo(view.start + view.length);
      Checksum.isValid(view.sumIpv6() + view.sumNidOnly());
      parseUpper();
    }
    ByteBuf error = Unpooled.buffer(1280);
    Icmp6Error.write(error, Icmp6.PARAMETER_PROBLEM, 0, view.problemPointer, view, 56);
    assertThat(error.readableBytes()).isBetween(8, 1280 - 56).isEqualTo(Icmp6Error.bytes(view, 56));
    Icmp6Error.isAllowed(view, false);
  }

  private void parseUpper() {
    ByteBuf buf = view.buf;
    int index = view.upperIndex;
    int length = view.upperLength;
    switch (view.protocol) {
      case Ip6.PROTO_TCP -> parseTcp(buf, index, length);
      case Ip6.PROTO_UDP -> {
        note(Udp.check(view));
        inside(view.upperIndex, view.upperLength, buf);
        assertThat(view.upperLength).isLessThanOrEqualTo(length);
      }
      case Ip6.PROTO_ICMP6 -> {
        DropReason drop = Icmp6.check(view);
        note(drop);
        if (drop != DropReason.ICMP_TRUNCATED) {
          parseIcmp(buf, index, length);
        }
      }
      default -> {}
    }
  }

  private void parseIcmp(ByteBuf buf, int index, int length) {
    switch (Icmp6.type(buf, index)) {
      case Icmp6.LOCATOR_UPDATE -> note(update.parse(buf, index, length));
      case Icmp6.ROUTER_ADVERTISEMENT -> note(RouterAdvertisement.parse(buf, index, length).drop());
      case Icmp6.ROUTER_SOLICITATION -> note(RouterSolicitation.check(buf, index, length));
      default -> note(quoted.parse(buf, index + 8, length - 8));
    }
  }

  private void parseTcp(ByteBuf buf, int index, int length) {
    DropReason drop = tcp.parse(buf, index, length);
    note(drop);
    if (drop == null) {
      assertThat(tcp.payloadIndex - index).isBetween(TcpHeader.MIN_BYTES, TcpHeader.MAX_BYTES);
      assertThat(tcp.payloadIndex + tcp.payloadLength).isEqualTo(index + length);
      assertThat(tcp.sackCount).isBetween(0, TcpHeader.MAX_SACK_BLOCKS);
      assertThat(tcp.windowScale).isBetween(-1, 14);
      ByteBuf out = Unpooled.buffer(60);
      tcp.write(out);
      assertThat(out.readableBytes()).isLessThanOrEqualTo(TcpHeader.MAX_BYTES);
    }
  }

  /** Every parser on a random part of the packet, whatever it is, with nothing behind it. */
  private void parseEverywhere(SplittableRandom random, byte[] packet) {
    int from = random.nextInt(packet.length + 1);
    byte[] part = Arrays.copyOfRange(packet, from, from + random.nextInt(packet.length - from + 1));
    ByteBuf buf = Unpooled.wrappedBuffer(part);
    int length = part.length;
    parseTcp(buf, 0, length);
    DropReason lu = update.parse(buf, 0, length);
    note(lu);
    assertThat(update.count).isBetween(lu == null ? 1 : 0, lu == null ? 255 : 0);
    RouterAdvertisement.Parsed ra = RouterAdvertisement.parse(buf, 0, length);
    note(ra.drop());
    assertThat(ra.drop() == null).isNotEqualTo(ra.advertisement() == null);
    if (ra.advertisement() != null) {
      ByteBuf out = Unpooled.buffer();
      ra.advertisement().write(out);
      assertThat(RouterAdvertisement.parse(out, 0, out.readableBytes()).advertisement())
          .isEqualTo(ra.advertisement());
    }
    note(RouterSolicitation.check(buf, 0, length));
    note(quoted.parse(buf, 0, length));
    inside(quoted.ip.upperIndex, quoted.ip.upperLength, buf);
  }

  private void note(DropReason drop) {
    if (drop != null) {
      seen.add(drop);
    }
  }

  private static void inside(int index, int length, ByteBuf buf) {
    assertThat(index).isGreaterThanOrEqualTo(0);
    assertThat(length).isGreaterThanOrEqualTo(0);
    assertThat(index + length).isLessThanOrEqualTo(buf.writerIndex());
  }

  private static byte[] mutate(SplittableRandom random, List<byte[]> corpus) {
    byte[] packet = corpus.get(random.nextInt(corpus.size())).clone();
    int times = 1 + random.nextInt(4);
    for (int i = 0; i < times && packet.length > 0; i++) {
      int at = random.nextInt(packet.length);
      switch (random.nextInt(8)) {
        case 0 -> packet[at] ^= (byte) (1 << random.nextInt(8));
        case 1 -> packet[at] = (byte) random.nextInt(256);
        case 2 -> packet[at] = edge(random);
        // Where headers, lengths, types and counts are.
        case 3 -> packet[Math.min(packet.length - 1, 40 + random.nextInt(24))] = edge(random);
        case 4 -> packet = Arrays.copyOf(packet, at);
        case 5 -> packet = Arrays.copyOf(packet, packet.length + random.nextInt(20));
        case 6 -> packet = splice(packet, corpus.get(random.nextInt(corpus.size())), at);
        default -> setLength(random, packet);
      }
    }
    if (random.nextBoolean()) {
      repairLength(packet); // or most damage would be refused at the very first check
    }
    return packet;
  }

  private static byte edge(SplittableRandom random) {
    return (byte) EDGES[random.nextInt(EDGES.length)];
  }

  /** The head of one, the tail of another. */
  private static byte[] splice(byte[] head, byte[] tail, int at) {
    byte[] spliced = tail.clone();
    System.arraycopy(head, 0, spliced, 0, Math.min(at, tail.length));
    return spliced;
  }

  private static void setLength(SplittableRandom random, byte[] packet) {
    if (packet.length > 5) {
      int length = random.nextBoolean() ? random.nextInt(65536) : random.nextInt(packet.length);
      packet[4] = (byte) (length >>> 8);
      packet[5] = (byte) length;
    }
  }

  private static void repairLength(byte[] packet) {
    int payload = packet.length - Ip6.HEADER_BYTES;
    if (payload >= 0) {
      packet[4] = (byte) (payload >>> 8);
      packet[5] = (byte) payload;
    }
  }

  private static List<byte[]> corpus() {
    List<byte[]> all = new ArrayList<>();
    for (String dump :
        List.of(
            SpecPackets.SYN,
            SpecPackets.SYN_LONG_NONCE,
            SpecPackets.UDP_HELLO,
            SpecPackets.LU_HARD,
            SpecPackets.LU_SOFT,
            SpecPackets.LU_SOFT_ACK,
            SpecPackets.PARAMETER_PROBLEM)) {
      all.add(Hex.bytes(dump));
    }
    String nonce = "8b 04 a1 b2 c3 d4";
    add(all, Packets.packet().destOpts("1e 02 0000 8b 04 a1 b2 c3 d4 01 02 0000").udp());
    add(all, Packets.packet().destOpts(nonce).destOpts("1e 04 00000000").udp());
    add(
        all,
        Packets.packet()
            .hopByHop("01 04 00000000")
            .ext(43, "00 04 00 00000000")
            .ext(44, "00 0000 12345678")
            .destOpts(nonce)
            .udp());
    // TCP with every option.
    ByteBuf segment = Unpooled.buffer();
    TcpHeader h = new TcpHeader().clear();
    h.flags = TcpHeader.SYN;
    h.mss = 1440;
    h.windowScale = 7;
    h.sackPermitted = true;
    h.hasTimestamps = true;
    h.write(segment);
    add(all, Packets.packet().destOpts(nonce).upper(Ip6.PROTO_TCP, Hex.dump(segment)));
    segment.clear();
    h.clear();
    h.flags = TcpHeader.ACK;
    h.hasTimestamps = true;
    h.sackCount = 3;
    h.write(segment);
    segment.writeZero(50);
    add(all, Packets.packet().destOpts(nonce).upper(Ip6.PROTO_TCP, Hex.dump(segment)));
    // Locator Update of 255, router discovery.
    ByteBuf message = Unpooled.buffer();
    LocatorUpdate.write(message, 1, 255, new long[255], new int[255], new int[255]);
    add(all, Packets.packet().destOpts(nonce).upper(Ip6.PROTO_ICMP6, Hex.dump(message)));
    message.clear();
    new RouterAdvertisement(
            64,
            0,
            1800,
            List.of(
                PrefixInformation.locator(SpecPackets.MN_OLD, 60, 30),
                PrefixInformation.locator(SpecPackets.MN_NEW, 60, 30)),
            1500,
            0x0200_0000_0001L,
            3000)
        .write(message);
    add(all, Packets.multicastPacket().upper(Ip6.PROTO_ICMP6, Hex.dump(message)));
    message.clear();
    RouterSolicitation.write(message, 0x0200_0000_0001L);
    add(all, Packets.multicastPacket().upper(Ip6.PROTO_ICMP6, Hex.dump(message)));
    return all;
  }

  private static void add(List<byte[]> corpus, ByteBuf packet) {
    byte[] bytes = new byte[packet.readableBytes()];
    packet.readBytes(bytes);
    corpus.add(bytes);
  }
}

package org.ilnp4j.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.SplittableRandom;
import org.ilnp4j.util.DropReason;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** TCP headers and options (RFC 9293 §3.1, RFC 7323, RFC 2018). */
class TcpHeaderTest {
  /** Ports 1 and 2, seq 3, ack 4, offset to be set, ACK, window 5. */
  private static final String FIXED = "0001 0002 00000003 00000004 %02x %02x 0005 0000 0000";

  private final TcpHeader tcp = new TcpHeader();

  private DropReason parse(int flags, String options) {
    byte[] optionBytes = Hex.bytes(options);
    int offset = (20 + optionBytes.length) / 4;
    ByteBuf buf = Hex.parse(String.format(FIXED, offset << 4, flags) + options);
    return tcp.parse(buf, 0, buf.readableBytes());
  }

  @Test
  void shouldReadAllOptionsOfSyn() {
    // As Linux sends it: MSS 1440, SACK permitted, timestamps, NOP, window scale 7.
    assertThat(parse(TcpHeader.SYN, "020405a0 0402 080a 11223344 55667788 01 030307")).isNull();
    assertThat(tcp.mss).isEqualTo(1440);
    assertThat(tcp.sackPermitted).isTrue();
    assertThat(tcp.hasTimestamps).isTrue();
    assertThat(tcp.tsVal).isEqualTo(0x11223344);
    assertThat(tcp.tsEcr).isEqualTo(0x55667788);
    assertThat(tcp.windowScale).isEqualTo(7);
    assertThat(tcp.payloadLength).isZero();
  }

  @Test
  void shouldIgnoreSynOptionsOutsideSyn() {
    assertThat(parse(TcpHeader.ACK, "020405a0 0402 0101 01 030307")).isNull();
    assertThat(tcp.mss).isEqualTo(-1);
    assertThat(tcp.sackPermitted).isFalse();
    assertThat(tcp.windowScale).isEqualTo(-1);
  }

  @Test
  void shouldReadSackBlocks() {
    parse(TcpHeader.ACK, "0101 0512 fffffff0 00000010 00000020 00000030");
    assertThat(tcp.sackCount).isEqualTo(2);
    assertThat(tcp.sackLeft[0]).isEqualTo(0xfffffff0);
    assertThat(tcp.sackRight[0]).isEqualTo(0x10);
    assertThat(tcp.sackLeft[1]).isEqualTo(0x20);
    assertThat(tcp.sackRight[1]).isEqualTo(0x30);
  }

  @ParameterizedTest
  @CsvSource({"0502 0101", "0506 00000001 0101", "0509 00000001000000 0101 01"})
  void shouldIgnoreSackOfOddLength(String option) {
    String padded = option.replace(" ", "");
    parse(TcpHeader.ACK, padded + "01".repeat((8 - padded.length() / 2 % 4) % 4));
    assertThat(tcp.sackCount).isZero();
  }

  /** RFC 5482 §3.1: seconds, or minutes with the first bit set. */
  @ParameterizedTest
  @CsvSource({"0001,1", "7fff,32767", "8222,32760", "8223,32820", "ffff,1966020"})
  void shouldReadAndWriteUserTimeouts(String value, int seconds) {
    parse(TcpHeader.ACK, "1c04" + value);
    assertThat(tcp.userTimeoutSeconds).isEqualTo(seconds);
    ByteBuf out = Unpooled.buffer();
    tcp.write(out);
    assertThat(out.readableBytes()).isEqualTo(tcp.headerBytes()).isEqualTo(24);
    TcpHeader back = new TcpHeader();
    back.parse(out, 0, 24);
    assertThat(back.userTimeoutSeconds).isEqualTo(seconds);
    parse(TcpHeader.ACK, "1c03" + value.substring(2) + "00");
    assertThat(tcp.userTimeoutSeconds).as("of another length").isEqualTo(-1);
  }

  /** RFC 7323 §2.3: larger shifts are used as 14. */
  @ParameterizedTest
  @CsvSource({"00, 0", "0e, 14", "0f, 14", "ff, 14"})
  void shouldBoundWindowScale(String shift, int used) {
    parse(TcpHeader.SYN, "0303" + shift + "00");
    assertThat(tcp.windowScale).isEqualTo(used);
  }

  @Test
  void shouldStopAtMalformedOptionAndKeepWhatCameBefore() {
    for (String bad : new String[] {"0800 0000", "0801 0000", "08ff 0000", "fe09 0000"}) {
      assertThat(parse(TcpHeader.SYN, "020405a0" + bad)).isNull();
      assertThat(tcp.mss).as(bad).isEqualTo(1440);
      assertThat(tcp.hasTimestamps).as(bad).isFalse();
    }
    // A kind in the last octet has no room for its length.
    assertThat(parse(TcpHeader.SYN, "010101 02")).isNull();
    assertThat(tcp.mss).isEqualTo(-1);
  }

  @Test
  void shouldStopAtEndOfOptionList() {
    parse(TcpHeader.SYN, "00 01 01 01 020405a0");
    assertThat(tcp.mss).isEqualTo(-1);
  }

  @Test
  void shouldSkipUnknownOptions() {
    parse(TcpHeader.SYN, "fd06 01020304 0101 020405a0");
    assertThat(tcp.mss).isEqualTo(1440);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 4, 6, 15})
  void shouldRefuseDataOffsetOutsideTheSegment(int offset) {
    ByteBuf buf = Hex.parse(String.format(FIXED, offset << 4, TcpHeader.ACK));
    assertThat(tcp.parse(buf, 0, 20)).isEqualTo(DropReason.TCP_BAD_OFFSET);
  }

  @Test
  void shouldRefuseTruncatedHeader() {
    ByteBuf buf = Hex.parse(String.format(FIXED, 0x50, TcpHeader.ACK));
    for (int n = 0; n < 20; n++) {
      assertThat(tcp.parse(buf, 0, n)).isEqualTo(DropReason.TCP_TRUNCATED);
      assertThat(tcp.flags).isZero();
    }
    assertThat(tcp.parse(buf, 0, 20)).isNull();
  }

  @Test
  void shouldCountSynAndFinInSequenceSpace() {
    ByteBuf buf = Hex.parse(String.format(FIXED, 0x50, TcpHeader.SYN | TcpHeader.FIN) + "aabbcc");
    assertThat(tcp.parse(buf, 0, 23)).isNull();
    assertThat(tcp.payloadIndex).isEqualTo(20);
    assertThat(tcp.payloadLength).isEqualTo(3);
    assertThat(tcp.sequenceLength()).isEqualTo(5);
  }

  @Test
  void shouldLeaveOutSackBlocksThatDoNotFit() {
    tcp.clear();
    tcp.sackCount = 4;
    assertThat(tcp.sackRoom()).isEqualTo(4);
    assertThat(tcp.headerBytes()).isEqualTo(56);
    tcp.hasTimestamps = true;
    assertThat(tcp.sackRoom()).isEqualTo(3);
    assertThat(tcp.headerBytes()).isEqualTo(60);
    ByteBuf out = Unpooled.buffer();
    tcp.write(out);
    assertThat(out.readableBytes()).isEqualTo(60);
    TcpHeader read = new TcpHeader();
    assertThat(read.parse(out, 0, 60)).isNull();
    assertThat(read.sackCount).isEqualTo(3);
  }

  @Test
  void shouldReadBackWhateverItWrites() {
    long seed = 20261130;
    SplittableRandom random = new SplittableRandom(seed);
    TcpHeader read = new TcpHeader();
    for (int round = 0; round < 20_000; round++) {
      fill(random);
      ByteBuf out = Unpooled.buffer(80);
      tcp.write(out);
      String at = "seed " + seed + " round " + round;
      assertThat(out.readableBytes()).as(at).isEqualTo(tcp.headerBytes()).isLessThanOrEqualTo(60);
      out.writeZero(random.nextInt(9));
      assertThat(read.parse(out, 0, out.readableBytes())).as(at).isNull();
      assertThat(read.payloadIndex).as(at).isEqualTo(tcp.headerBytes());
      assertThat(describe(read)).as(at).isEqualTo(describe(tcp));
    }
  }

  private void fill(SplittableRandom random) {
    tcp.clear();
    tcp.srcPort = random.nextInt(65536);
    tcp.dstPort = random.nextInt(65536);
    tcp.seq = random.nextInt();
    tcp.ack = random.nextInt();
    tcp.flags = random.nextInt(256);
    tcp.window = random.nextInt(65536);
    tcp.urgent = random.nextInt(65536);
    if (tcp.has(TcpHeader.SYN)) {
      tcp.mss = random.nextInt(-1, 65536);
      tcp.windowScale = random.nextInt(-1, 15);
      tcp.sackPermitted = random.nextBoolean();
    }
    if (random.nextBoolean()) {
      tcp.hasTimestamps = true;
      tcp.tsVal = random.nextInt();
      tcp.tsEcr = random.nextInt();
    }
    tcp.sackCount = random.nextInt(tcp.sackRoom() + 1);
    for (int i = 0; i < tcp.sackCount; i++) {
      tcp.sackLeft[i] = random.nextInt();
      tcp.sackRight[i] = random.nextInt();
    }
  }

  private static String describe(TcpHeader h) {
    StringBuilder s = new StringBuilder();
    s.append(h.srcPort).append('>').append(h.dstPort).append(' ').append(h.seq).append(' ');
    s.append(h.ack).append(' ').append(h.flags).append(' ').append(h.window).append(' ');
    s.append(h.urgent).append(' ').append(h.mss).append(' ').append(h.windowScale).append(' ');
    s.append(h.sackPermitted).append(' ').append(h.hasTimestamps).append(' ').append(h.tsVal);
    s.append(' ').append(h.tsEcr);
    for (int i = 0; i < h.sackCount; i++) {
      s.append(' ').append(h.sackLeft[i]).append('-').append(h.sackRight[i]);
    }
    return s.toString();
  }
}

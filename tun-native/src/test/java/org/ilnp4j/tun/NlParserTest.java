package org.ilnp4j.tun;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.Random;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class NlParserTest {
  private static final List<Function<ByteBuffer, Object>> PARSERS =
      List.of(NlParser::link, NlParser::address, NlParser::route, NlParser::rule, NlParser::proxy);

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5})
  void shouldSurviveAnyOctets(long seed) {
    Random random = new Random(seed);
    for (int round = 0; round < 2000; round++) {
      byte[] octets = new byte[random.nextInt(200)];
      random.nextBytes(octets);
      // Small numbers make plausible lengths and types, so that the walk gets further.
      for (int i = 0; i < octets.length; i++) {
        octets[i] = random.nextInt(3) == 0 ? octets[i] : (byte) random.nextInt(24);
      }
      ByteBuffer datagram = ByteBuffer.wrap(octets).order(ByteOrder.nativeOrder());
      for (Function<ByteBuffer, Object> parser : PARSERS) {
        assertThatCode(() -> parser.apply(datagram)).doesNotThrowAnyException();
        for (ByteBuffer m : NetlinkSocket.split(datagram, octets.length)) {
          assertThat(m.limit()).isBetween(NlMessage.HEADER_BYTES, octets.length);
          assertThatCode(() -> parser.apply(m)).doesNotThrowAnyException();
        }
      }
    }
  }

  @Test
  void shouldStopAtAnAttributeThatOverrunsItsMessage() {
    ByteBuffer m = Native.allocate(16);
    m.putShort(0, (short) 8).putShort(2, (short) 1).putInt(4, 42);
    m.putShort(8, (short) 9).putShort(10, (short) 2);
    ByteBuffer[] values = NlParser.attributes(m, 0, 2);
    assertThat(values[1].getInt(0)).isEqualTo(42);
    assertThat(values[2]).isNull();
  }
}

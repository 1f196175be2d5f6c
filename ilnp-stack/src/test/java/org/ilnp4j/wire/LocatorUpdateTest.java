package org.ilnp4j.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import org.ilnp4j.util.DropReason;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Locator Updates as messages (RFC 6743 §2, §3). */
class LocatorUpdateTest {
  private static final String ENTRY = "2001 0db8 0003 0003 000a 001e";

  private final LocatorUpdate update = new LocatorUpdate();

  private DropReason parse(String message) {
    ByteBuf buf = Hex.parse(message);
    return update.parse(buf, 0, buf.readableBytes());
  }

  private void assertRefused(String message, DropReason reason) {
    assertThat(parse(message)).isEqualTo(reason);
    assertThat(update.count).isZero();
    assertThat(update.operation).isZero();
  }

  @Test
  void shouldRefuseUpdateWithoutLocators() {
    assertRefused("9c00 0000 00 01 0000", DropReason.LU_NO_LOCATORS);
    assertRefused("9c00 0000 00 01 0000" + ENTRY, DropReason.LU_NO_LOCATORS);
  }

  @Test
  void shouldAcceptAsManyLocatorsAsTheCountCanSay() {
    assertThat(parse("9c00 0000 ff 01 0000" + ENTRY.repeat(255))).isNull();
    assertThat(update.count).isEqualTo(255);
    assertThat(update.l64[254]).isEqualTo(SpecPackets.MN_NEW);
    assertThat(update.preference[254]).isEqualTo(10);
    assertThat(update.lifetimeSeconds[254]).isEqualTo(30);
  }

  @Test
  void shouldDemandExactlyTheLengthOfItsList() {
    String two = "9c00 0000 02 01 0000" + ENTRY + ENTRY;
    ByteBuf buf = Hex.parse(two + "00");
    int right = LocatorUpdate.bytes(2);
    for (int length = 0; length <= right + 1; length++) {
      assertThat(update.parse(buf, 0, length))
          .as("%d octets", length)
          .isEqualTo(length == right ? null : DropReason.LU_BAD_LENGTH);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"00", "03", "7f", "ff"})
  void shouldRefuseReservedOperations(String operation) {
    assertRefused("9c00 0000 01" + operation + "0000" + ENTRY, DropReason.LU_BAD_OPERATION);
  }

  @Test
  void shouldRefuseOtherCodes() {
    assertRefused("9c01 0000 01 01 0000" + ENTRY, DropReason.LU_BAD_CODE);
  }

  @Test
  void shouldIgnoreReservedBits() {
    assertThat(parse("9c00 0000 01 01 ffff" + ENTRY)).isNull();
    assertThat(update.operation).isEqualTo(LocatorUpdate.ADVERTISEMENT);
    // They are sent as zero, also in the echo.
    ByteBuf echo = Unpooled.buffer();
    update.write(echo, LocatorUpdate.ACKNOWLEDGEMENT);
    assertThat(Hex.dump(echo)).isEqualTo(Hex.normalize("9c00 0000 01 02 0000" + ENTRY));
  }

  @Test
  void shouldReadNumbersAsUnsigned() {
    assertThat(parse("9c00 0000 01 02 0000 ffffffffffffffff ffff fffe")).isNull();
    assertThat(update.operation).isEqualTo(LocatorUpdate.ACKNOWLEDGEMENT);
    assertThat(update.l64[0]).isEqualTo(-1L);
    assertThat(update.preference[0]).isEqualTo(65535);
    assertThat(update.lifetimeSeconds[0]).isEqualTo(65534);
  }

  @Test
  void shouldForgetTheMessageBefore() {
    assertThat(parse("9c00 0000 01 01 0000" + ENTRY)).isNull();
    assertRefused("9c00 0000 01 09 0000" + ENTRY, DropReason.LU_BAD_OPERATION);
  }

  @Test
  void shouldCutLifetimesToSixteenBits() {
    ByteBuf buf = Unpooled.buffer();
    LocatorUpdate.write(buf, 1, 2, new long[] {1, 2}, new int[] {1, 2}, new int[] {65536, 86400});
    assertThat(buf.readableBytes()).isEqualTo(LocatorUpdate.bytes(2));
    assertThat(update.parse(buf, 0, buf.readableBytes())).isNull();
    assertThat(update.lifetimeSeconds[0]).isEqualTo(65535);
    assertThat(update.lifetimeSeconds[1]).isEqualTo(65535);
  }

  @ParameterizedTest
  @ValueSource(ints = {-1, 0, 256})
  void shouldNotWriteIllegalCounts(int n) {
    assertThatThrownBy(
            () ->
                LocatorUpdate.write(
                    Unpooled.buffer(), 1, n, new long[256], new int[256], new int[256]))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(String.valueOf(n));
  }
}

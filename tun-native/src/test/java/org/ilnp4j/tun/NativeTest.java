package org.ilnp4j.tun;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Method;
import org.junit.jupiter.api.Test;

class NativeTest {
  @Test
  void shouldDeclareNoFunctionWithSixParameters() {
    assertThat(Native.LibC.class.getDeclaredMethods())
        .isNotEmpty()
        .extracting(Method::getName, m -> m.getParameterCount() <= 5)
        .allSatisfy(t -> assertThat(t.toList().get(1)).as("%s", t.toList().get(0)).isEqualTo(true));
  }

  @Test
  void shouldTellErrnoOfTheFailedCall() {
    assertThat(Native.LIBC.close(-1)).isEqualTo(-1);
    assertThat(Native.errno()).isEqualTo(9);
    assertThat(Native.LIBC.open("/nowhere/at/all", 0)).isEqualTo(-1);
    assertThat(Native.errno()).isEqualTo(Errno.ENOENT);
  }
}

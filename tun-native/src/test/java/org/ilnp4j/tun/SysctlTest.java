package org.ilnp4j.tun;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.List;
import org.ilnp4j.tun.testing.Netns;
import org.ilnp4j.tun.testing.RequiresRoot;
import org.junit.jupiter.api.Test;

class SysctlTest {
  @Test
  @RequiresRoot
  void shouldChangeTheSettingOfItsNamespaceOnly() throws Exception {
    String key = Sysctl.ipv6("all", "forwarding");
    String outside = Sysctl.read(key);
    try (Netns ns = Netns.create("sysctl")) {
      ns.run(
          () -> {
            assertThat(Sysctl.read(key)).isEqualTo("0");
            Sysctl.write(key, "1");
            assertThat(Sysctl.read(key)).isEqualTo("1");
            assertThatThrownBy(() -> Sysctl.write(key, "many"))
                .isInstanceOf(LinuxException.class)
                .hasMessage(
                    "cannot change setting to many: net/ipv6/conf/all/forwarding: Invalid argument"
                        + " (EINVAL)");
          });
    }
    assertThat(Sysctl.read(key)).isEqualTo(outside);
  }

  @Test
  void shouldNameTheMissingSetting() {
    assertThatThrownBy(() -> Sysctl.read(Sysctl.ipv6("no.such", "accept_ra")))
        .isInstanceOf(LinuxException.class)
        .hasMessage(
            "cannot read setting net/ipv6/conf/no.such/accept_ra: No such file or directory"
                + " (ENOENT)");
    assertThatThrownBy(() -> Sysctl.read("net/../../etc/passwd"))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void shouldReadCapabilities() throws IOException {
    Capabilities ordinary =
        Capabilities.parse(
            List.of("Name:\tjava", "Uid:\t1000\t1000\t1000\t1000", "CapEff:\t0000000000003000"));
    assertThat(ordinary.isRoot()).isFalse();
    assertThat(ordinary.netAdmin()).isTrue();
    assertThat(ordinary.netRaw()).isTrue();
    assertThat(Capabilities.parse(List.of("Uid:\t0\t0\t0\t0", "CapEff:\t0000000000000000")))
        .isEqualTo(new Capabilities(0, 0));
    assertThatThrownBy(() -> Capabilities.parse(List.of("Name:\tjava")))
        .hasMessageContaining("/proc/self/status");
    assertThat(Capabilities.current().effectiveUserId()).isNotNegative();
  }
}

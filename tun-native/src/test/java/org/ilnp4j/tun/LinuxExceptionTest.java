package org.ilnp4j.tun;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class LinuxExceptionTest {
  @Test
  void shouldSayWhatWhereWhyAndHowToMendInOneLine() {
    assertThat(new LinuxException("open", "/dev/net/tun", Errno.EACCES))
        .hasMessage(
            "cannot open /dev/net/tun: Permission denied (EACCES); run as root, or grant"
                + " CAP_NET_ADMIN and read-write access to /dev/net/tun");
    assertThat(new LinuxException("open", "/dev/net/tun", Errno.ENOENT).hint())
        .contains("mknod /dev/net/tun c 10 200", "modprobe tun");
    assertThat(new LinuxException("find interface", "wlan7", Errno.ENODEV))
        .hasMessage(
            "cannot find interface wlan7: No such device (ENODEV); list the interfaces with: ip"
                + " link");
    assertThat(new LinuxException("delete route", "::/0", Errno.EINVAL))
        .hasMessage("cannot delete route ::/0: Invalid argument (EINVAL)");
  }

  @Test
  void shouldNameErrorsAsLinuxDoes() {
    assertThat(Errno.name(11)).isEqualTo("EAGAIN");
    assertThat(Errno.name(95)).isEqualTo("EOPNOTSUPP");
    assertThat(Errno.name(105)).isEqualTo("ENOBUFS");
    assertThat(Errno.name(4711)).isEqualTo("errno 4711");
    assertThat(Errno.description(4711)).isEqualTo("unknown error");
  }

  @Test
  void shouldRefuseDeviceNamesTheKernelCouldNotTake() {
    for (String bad : new String[] {"", "averyveryverylongname", "a b", "a/b", "%d%d", "x%s"}) {
      assertThatThrownBy(() -> TunDevice.open(bad, TunDevice.Offload.NONE))
          .as("name '%s'", bad)
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("at most 15");
    }
  }
}

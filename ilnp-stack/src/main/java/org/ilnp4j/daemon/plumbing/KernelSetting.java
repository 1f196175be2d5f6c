package org.ilnp4j.daemon.plumbing;

import java.util.Optional;
import org.ilnp4j.tun.Errno;
import org.ilnp4j.tun.Ethtool;
import org.ilnp4j.tun.LinuxException;
import org.ilnp4j.tun.Sysctl;

/** Kernel settings by one kind of key: a path under /proc/sys, or {@code gro/INTERFACE}. */
final class KernelSetting {
  private static final String GRO = "gro/";

  private KernelSetting() {}

  /** Receive offload of an interface: {@code on} or {@code off}. */
  static String gro(String interfaceName) {
    return GRO + interfaceName;
  }

  /** True for keys of the kinds that are ever changed here. */
  static boolean isOne(String key) {
    return key.startsWith(GRO) || key.startsWith("net/ipv6/");
  }

  /** The value now; empty if this kernel, driver or interface has no such setting. */
  static Optional<String> read(String key) throws LinuxException {
    try {
      if (key.startsWith(GRO)) {
        return Optional.of(Ethtool.gro(key.substring(GRO.length())) ? "on" : "off");
      }
      return Optional.of(Sysctl.read(key));
    } catch (LinuxException e) {
      if (isMissing(e)) {
        return Optional.empty();
      }
      throw e;
    }
  }

  static void write(String key, String value) throws LinuxException {
    if (key.startsWith(GRO)) {
      Ethtool.setGro(key.substring(GRO.length()), value.equals("on"));
    } else {
      Sysctl.write(key, value);
    }
  }

  private static boolean isMissing(LinuxException e) {
    return e.errno() == Errno.ENOENT || e.errno() == Errno.ENODEV || e.errno() == Errno.EOPNOTSUPP;
  }
}

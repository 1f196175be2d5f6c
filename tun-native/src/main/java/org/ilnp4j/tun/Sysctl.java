package org.ilnp4j.tun;

import static org.ilnp4j.tun.Native.LIBC;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;

/**
 * Kernel settings under {@code /proc/sys}. Keys have slashes, as {@code
 * net/ipv6/conf/eth0.7/accept_ra}, since interface names may contain dots.
 */
public final class Sysctl {
  private static final String ROOT = "/proc/sys/";
  private static final int MAX_BYTES = 4096;
  private static final Pattern KEY = Pattern.compile("[^/\\x00]+(/[^/\\x00]+)+");

  private Sysctl() {}

  /** The IPv6 setting of an interface ({@code all} and {@code default} are such names too). */
  public static String ipv6(String interfaceName, String setting) {
    return "net/ipv6/conf/" + interfaceName + "/" + setting;
  }

  /** The neighbour discovery setting of an interface. */
  public static String neighbour(String interfaceName, String setting) {
    return "net/ipv6/neigh/" + interfaceName + "/" + setting;
  }

  /**
   * The value without its line end.
   *
   * @throws LinuxException ENOENT if this kernel or interface has no such setting
   */
  public static String read(String key) throws LinuxException {
    int fd = open(key, Native.O_RDONLY, "read setting");
    try {
      ByteBuffer value = Native.allocate(MAX_BYTES);
      long n = Native.with(value, a -> LIBC.read(fd, a, MAX_BYTES));
      if (n < 0) {
        throw Native.failure("read setting", key);
      }
      byte[] octets = new byte[(int) n];
      value.get(0, octets);
      return new String(octets, StandardCharsets.US_ASCII).strip();
    } finally {
      LIBC.close(fd);
    }
  }

  /** Sets a value; EACCES or EPERM without permission, EINVAL if the kernel does not like it. */
  public static void write(String key, String value) throws LinuxException {
    int fd = open(key, Native.O_WRONLY, "change setting");
    try {
      byte[] octets = value.getBytes(StandardCharsets.US_ASCII);
      ByteBuffer buffer = Native.allocate(octets.length + 1);
      buffer.put(octets).put((byte) '\n');
      long n = Native.with(buffer, a -> LIBC.write(fd, a, octets.length + 1));
      if (n < 0) {
        throw Native.failure("change setting to " + value + ":", key);
      }
    } finally {
      LIBC.close(fd);
    }
  }

  private static int open(String key, int mode, String operation) throws LinuxException {
    if (!KEY.matcher(key).matches() || key.contains("..")) {
      throw new IllegalArgumentException("\"" + key + "\" is no setting under " + ROOT);
    }
    int fd = LIBC.open(ROOT + key, mode | Native.O_CLOEXEC);
    if (fd < 0) {
      throw Native.failure(operation, key);
    }
    return fd;
  }
}

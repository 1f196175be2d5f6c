package org.ilnp4j.daemon.config;

import io.netty.util.NetUtil;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import org.ilnp4j.daemon.control.ControlServer;
import org.ilnp4j.naming.HostsFile;
import org.ilnp4j.naming.Literals;

/**
 * Checks what a configuration names against what is there: files, and names in the hosts file.
 * Blocks on the files. Nothing here depends on privileges of the daemon, links or ports.
 */
final class ConfigFiles {
  private ConfigFiles() {}

  /** The hosts file, or null when it cannot be used. */
  static HostsFile hosts(ConfigTable t, Path file) {
    try {
      return HostsFile.open(file);
    } catch (AccessDeniedException e) {
      t.problem(ConfigKeys.HOSTS_FILE, "no permission to read " + file + "; change its mode");
    } catch (IOException e) {
      t.problem(ConfigKeys.HOSTS_FILE, e.getMessage());
    }
    return null;
  }

  /**
   * @param hosts null when the configuration has no hosts file
   */
  static void checkDestination(ConfigTable t, String host, HostsFile hosts) {
    if (hosts != null && hosts.lookup(host) != null) {
      return;
    }
    try {
      if (NetUtil.isValidIpV4Address(host)) {
        t.problem(
            ConfigKeys.FORWARD_TO,
            host + " is an IPv4 address, which has no NID; give a name of the hosts file");
      } else if (Literals.parse(host) == null) {
        t.problem(
            ConfigKeys.FORWARD_TO,
            "\""
                + host
                + (hosts == null
                    ? "\" is a name, and there is no [hosts] file; add one, or write [NID@L64]:port"
                    : "\" is not in the hosts file; add it there, or write [NID@L64]:port"));
      }
    } catch (IllegalArgumentException e) {
      t.problem(ConfigKeys.FORWARD_TO, e.getMessage());
    }
  }

  static void checkSocket(ConfigTable t, ConfigKey<Path> key, Path socket) {
    int octets = socket.toString().getBytes(StandardCharsets.UTF_8).length;
    if (octets > ControlServer.MAX_PATH_BYTES) {
      t.problem(
          key,
          socket
              + " has "
              + octets
              + " octets, and a socket's path at most "
              + ControlServer.MAX_PATH_BYTES
              + "; shorten it");
      return;
    }
    try {
      if (Files.exists(socket, LinkOption.NOFOLLOW_LINKS) && !ControlServer.isSocket(socket)) {
        t.problem(
            key, socket + " is in the way and is not a socket; remove it, or choose another path");
      }
    } catch (IOException e) {
      t.problem(key, "cannot look at " + socket + "; choose another path");
    }
  }

  static void checkCapture(ConfigTable t, ConfigKey<Path> key, Path file) {
    Path dir = file.toAbsolutePath().getParent();
    if (Files.isDirectory(file)) {
      t.problem(key, file + " is a directory; name a file in it");
    } else if (!Files.isDirectory(dir)) {
      t.problem(key, "there is no directory " + dir + "; create it, or choose another one");
    }
  }
}

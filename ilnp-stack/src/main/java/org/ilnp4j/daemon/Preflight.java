package org.ilnp4j.daemon;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.ilnp4j.daemon.config.DaemonConfig;
import org.ilnp4j.daemon.config.NidSource;
import org.ilnp4j.daemon.control.ControlClient;
import org.ilnp4j.util.UserError;

/**
 * Looks for everything that would stop a daemon before it touches the kernel: privileges, devices,
 * links, ports, files. Blocks; not for the loop thread.
 */
public final class Preflight {
  /** Bits of CapEff in {@code /proc/self/status} (capabilities(7)). */
  private static final int CAP_NET_ADMIN = 12;

  private static final int CAP_NET_RAW = 13;

  private final Path root;
  private final List<String> missing = new ArrayList<>();
  private final List<String> failed = new ArrayList<>();

  /** {@code root} stands in for {@code /} where {@code /proc} and {@code /dev} are looked up. */
  Preflight(Path root) {
    this.root = root;
  }

  /**
   * Checks this machine for {@code config}.
   *
   * @throws UserError with everything that is wrong
   */
  public static void check(DaemonConfig config) throws UserError {
    new Preflight(Path.of("/")).run(config);
  }

  void run(DaemonConfig config) throws UserError {
    privileges();
    tunDevice();
    links(config);
    files(config);
    if (ControlClient.isAnswering(config.controlSocket())) {
      failed.add(
          "a daemon answers at "
              + config.controlSocket()
              + " already; end it with: ilnp stop --socket "
              + config.controlSocket()
              + "; or give this one another name");
    } else {
      // Ports that the same daemon holds would only say it again.
      listeners(config);
    }
    if (!missing.isEmpty() || !failed.isEmpty()) {
      UserError.Kind kind = missing.isEmpty() ? UserError.Kind.FAILED : UserError.Kind.MISSING;
      List<String> all = new ArrayList<>(missing);
      all.addAll(failed);
      throw new UserError(kind, all, null);
    }
  }

  private void privileges() {
    long capabilities = 0;
    for (String line : lines("proc/self/status")) {
      if (line.startsWith("CapEff:")) {
        capabilities = Long.parseUnsignedLong(line.substring(7).strip(), 16);
      }
    }
    long needed = 1L << CAP_NET_ADMIN | 1L << CAP_NET_RAW;
    if ((capabilities & needed) != needed) {
      missing.add(
          "no permission to set up the network: CAP_NET_ADMIN and CAP_NET_RAW are needed;"
              + " run it as root");
    }
  }

  private void tunDevice() {
    Path device = root.resolve("dev/net/tun");
    if (!Files.exists(device)) {
      missing.add(
          "no /dev/net/tun; load the kernel's module with: modprobe tun;"
              + " in a container, start it with: --device /dev/net/tun");
    } else if (missing.isEmpty() && !(Files.isReadable(device) && Files.isWritable(device))) {
      // Without the capabilities this would only say the same again.
      missing.add("no permission to open /dev/net/tun; run it as root");
    }
  }

  private void links(DaemonConfig config) {
    // /proc/net belongs to the network namespace of the process; /sys may show another one.
    Set<String> links = new TreeSet<>();
    for (String line : lines("proc/self/net/dev")) {
      int colon = line.indexOf(':');
      if (colon > 0) {
        links.add(line.substring(0, colon).strip());
      }
    }
    for (DaemonConfig.Uplink uplink : config.uplinks()) {
      requireLink("uplink", uplink.name(), links);
    }
    if (config.nid() instanceof NidSource.Eui64 eui64 && !eui64.interfaceName().isEmpty()) {
      requireLink("nid", eui64.interfaceName(), links);
    }
  }

  private void requireLink(String key, String name, Set<String> links) {
    if (!links.contains(name)) {
      failed.add(
          key + ": there is no link \"" + name + "\"; this host has: " + String.join(", ", links));
    }
  }

  private void listeners(DaemonConfig config) {
    config.socks().ifPresent(address -> listener("socks.listen", address));
    for (DaemonConfig.Forward forward : config.forwards()) {
      listener("forward.listen", forward.listen());
    }
  }

  private void listener(String key, InetSocketAddress address) {
    try (ServerSocket socket = new ServerSocket()) {
      socket.setReuseAddress(true);
      socket.bind(address);
    } catch (IOException e) {
      failed.add(cannotListen(key, address, e));
    }
  }

  /** One line for an address that cannot be listened on. */
  public static String cannotListen(String key, InetSocketAddress address, IOException why) {
    String text = address.getAddress().getHostAddress() + ":" + address.getPort();
    String reason = String.valueOf(why.getMessage());
    if (reason.contains("in use")) {
      return key
          + ": "
          + text
          + " is taken by another program; choose another port, or see whose it is with: ss -ltnp sport = :"
          + address.getPort();
    }
    return key + ": cannot listen on " + text + ": " + reason + "; choose another address";
  }

  private void files(DaemonConfig config) {
    config
        .pcap()
        .map(file -> file.toAbsolutePath().getParent())
        .filter(dir -> !Files.isWritable(dir))
        .ifPresent(
            dir -> failed.add("pcap.file: cannot write in " + dir + "; choose another directory"));
  }

  private List<String> lines(String file) {
    try {
      return Files.readAllLines(root.resolve(file));
    } catch (IOException e) {
      missing.add("cannot read /" + file + ": " + e + "; is /proc mounted?");
      return List.of();
    }
  }
}

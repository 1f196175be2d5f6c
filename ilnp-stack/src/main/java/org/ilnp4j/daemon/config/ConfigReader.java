package org.ilnp4j.daemon.config;

import java.io.IOException;
import java.net.Inet6Address;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.ilnp4j.naming.HostsFile;
import org.ilnp4j.tcp.TcpConfig;

/** Reads a configuration file. Blocks on the file; not for the loop thread. */
public final class ConfigReader {
  private final ConfigDocument file;

  private ConfigReader(ConfigDocument file) {
    this.file = file;
  }

  /**
   * Reads {@code file}; relative paths in it are taken from its directory.
   *
   * @throws ConfigException with every problem of the file
   * @throws IOException when it cannot be read at all
   */
  public static DaemonConfig read(Path file) throws ConfigException, IOException {
    Path absolute = file.toAbsolutePath();
    return parse(file.toString(), absolute.getParent(), Files.readString(absolute));
  }

  /**
   * @param name of the file, for the problems
   * @param baseDir where relative paths start
   */
  public static DaemonConfig parse(String name, Path baseDir, String text) throws ConfigException {
    ConfigDocument file = ConfigDocument.parse(name, baseDir, text, ConfigKeys.ALL);
    DaemonConfig config = new ConfigReader(file).config();
    file.problems().throwIfAny();
    return config;
  }

  private DaemonConfig config() {
    ConfigTable top = file.top(ConfigKeys.TOP);
    ConfigTable tun = file.table(ConfigKeys.TUN);
    ConfigTable mobility = file.table(ConfigKeys.MOBILITY);
    ConfigTable hosts = file.table(ConfigKeys.HOSTS);
    ConfigTable pcap = file.table(ConfigKeys.PCAP);
    Optional<Path> capture = file.path(pcap, ConfigKeys.PCAP_FILE);
    capture.ifPresent(path -> ConfigFiles.checkCapture(pcap, ConfigKeys.PCAP_FILE, path));
    ConfigTable control = file.table(ConfigKeys.CONTROL);
    String name = top.get(ConfigKeys.NAME);
    Map<InetSocketAddress, String> listeners = new LinkedHashMap<>();
    Path socket =
        file.path(control, ConfigKeys.CONTROL_SOCKET)
            .orElseGet(() -> file.resolve(DaemonConfig.defaultSocket(name)));
    ConfigFiles.checkSocket(control, ConfigKeys.CONTROL_SOCKET, socket);
    Optional<Path> hostsFile = file.path(hosts, ConfigKeys.HOSTS_FILE);
    HostsFile names = hostsFile.map(path -> ConfigFiles.hosts(hosts, path)).orElse(null);
    // What a wrong hosts file would have held, nobody knows.
    boolean namesKnown = names != null || !hosts.isPresent();
    DaemonConfig.Tun device =
        new DaemonConfig.Tun(tun.get(ConfigKeys.TUN_NAME), tun.get(ConfigKeys.TUN_MTU));
    return new DaemonConfig(
        name,
        top.get(ConfigKeys.NID),
        device,
        uplinks(device.name()),
        new DaemonConfig.Mobility(
            mobility.get(ConfigKeys.POLICY),
            mobility.get(ConfigKeys.HANDOFF),
            mobility.get(ConfigKeys.MAX_LIFETIME),
            mobility.get(ConfigKeys.RA_TIMEOUT_FACTOR)),
        tcp(file.table(ConfigKeys.TCP)),
        file.table(ConfigKeys.NONCE).get(ConfigKeys.NONCE_LENGTH),
        hostsFile,
        socks(file.table(ConfigKeys.SOCKS), listeners),
        forwards(listeners, names, namesKnown),
        publishes(),
        socket,
        file.resolve(file.table(ConfigKeys.STATE).get(ConfigKeys.STATE_DIR)),
        capture,
        file.table(ConfigKeys.LOG).get(ConfigKeys.LOG_LEVEL));
  }

  private List<DaemonConfig.Uplink> uplinks(String tunName) {
    List<DaemonConfig.Uplink> all = new ArrayList<>();
    Set<String> names = new HashSet<>();
    List<ConfigTable> tables = file.list(ConfigKeys.UPLINK);
    for (ConfigTable t : tables) {
      String name = t.get(ConfigKeys.UPLINK_NAME);
      if (name != null && !names.add(name)) {
        t.problem(ConfigKeys.UPLINK_NAME, "\"" + name + "\" is listed twice; remove one");
      }
      if (name != null && name.equals(tunName)) {
        t.problem(
            ConfigKeys.UPLINK_NAME, "\"" + name + "\" is the TUN device; name a link to a router");
      }
      all.add(
          new DaemonConfig.Uplink(
              name == null ? "" : name, t.get(ConfigKeys.UPLINK_PREFERENCE), fixedLocator(t)));
    }
    if (tables.isEmpty() && !file.contains(ConfigKeys.UPLINK)) {
      file.problem(
          ConfigKeys.UPLINK.name,
          "none is given; name at least one link: [[uplink]] name = \"eth0\"");
    }
    return all;
  }

  private static Optional<DaemonConfig.FixedLocator> fixedLocator(ConfigTable t) {
    Long l64 = t.get(ConfigKeys.UPLINK_LOCATOR);
    Inet6Address router = t.get(ConfigKeys.UPLINK_ROUTER);
    boolean hasLocator = t.has(ConfigKeys.UPLINK_LOCATOR);
    if (hasLocator != t.has(ConfigKeys.UPLINK_ROUTER)) {
      t.problem(
          hasLocator ? ConfigKeys.UPLINK_LOCATOR : ConfigKeys.UPLINK_ROUTER,
          "locator and router go together; give both, or neither to listen for RAs");
    }
    return l64 == null || router == null
        ? Optional.empty()
        : Optional.of(new DaemonConfig.FixedLocator(l64, router));
  }

  private static TcpConfig tcp(ConfigTable t) {
    return TcpConfig.DEFAULT
        .withCongestionControl(t.get(ConfigKeys.CONGESTION))
        .withBuffers(
            (int) (long) t.get(ConfigKeys.SEND_BUFFER),
            (int) (long) t.get(ConfigKeys.RECEIVE_BUFFER))
        .withEcn(t.get(ConfigKeys.ECN))
        .withSack(t.get(ConfigKeys.SACK))
        .withTimestamps(t.get(ConfigKeys.TIMESTAMPS))
        .withWindowScaling(t.get(ConfigKeys.WINDOW_SCALING))
        .withMemory(t.get(ConfigKeys.MEMORY))
        .withMaxConnections(t.get(ConfigKeys.MAX_CONNECTIONS))
        .withBacklog(t.get(ConfigKeys.BACKLOG))
        .withTimeWait(t.get(ConfigKeys.TIME_WAIT))
        .withMinRto(t.get(ConfigKeys.MIN_RTO))
        .withUserTimeout(t.get(ConfigKeys.USER_TIMEOUT))
        .withPeerUserTimeout(t.get(ConfigKeys.PEER_USER_TIMEOUT))
        .withKeepAlive(t.get(ConfigKeys.KEEPALIVE))
        .withHopLimit(t.get(ConfigKeys.HOP_LIMIT));
  }

  private static Optional<InetSocketAddress> socks(
      ConfigTable t, Map<InetSocketAddress, String> listeners) {
    if (!t.isPresent()) {
      return Optional.empty();
    }
    InetSocketAddress listen = t.get(ConfigKeys.SOCKS_LISTEN);
    checkListener(
        t, ConfigKeys.SOCKS_LISTEN, listen, t.get(ConfigKeys.SOCKS_ALLOW_REMOTE), listeners);
    return Optional.of(listen);
  }

  private List<DaemonConfig.Forward> forwards(
      Map<InetSocketAddress, String> listeners, HostsFile names, boolean namesKnown) {
    List<DaemonConfig.Forward> all = new ArrayList<>();
    for (ConfigTable t : file.list(ConfigKeys.FORWARD)) {
      InetSocketAddress listen = t.get(ConfigKeys.FORWARD_LISTEN);
      checkListener(
          t, ConfigKeys.FORWARD_LISTEN, listen, t.get(ConfigKeys.FORWARD_ALLOW_REMOTE), listeners);
      HostPort to = t.get(ConfigKeys.FORWARD_TO);
      if (to != null && namesKnown) {
        ConfigFiles.checkDestination(t, to.host(), names);
      }
      all.add(new DaemonConfig.Forward(listen, to));
    }
    return all;
  }

  /** Refuses a listener that others on the network can reach, and one that is taken already. */
  private static void checkListener(
      ConfigTable t,
      ConfigKey<InetSocketAddress> key,
      InetSocketAddress listen,
      boolean allowRemote,
      Map<InetSocketAddress, String> listeners) {
    if (listen == null) {
      return;
    }
    String text = listen.getAddress().getHostAddress() + ":" + listen.getPort();
    if (!listen.getAddress().isLoopbackAddress() && !allowRemote) {
      t.problem(key, text + " can be reached by others; use 127.0.0.1, or add allow-remote = true");
    }
    for (Map.Entry<InetSocketAddress, String> other : listeners.entrySet()) {
      if (overlap(listen, other.getKey())) {
        t.problem(key, text + " is taken by " + other.getValue() + "; choose another port");
        return;
      }
    }
    listeners.put(listen, "line " + t.line(key));
  }

  private static boolean overlap(InetSocketAddress a, InetSocketAddress b) {
    return a.getPort() == b.getPort()
        && (a.getAddress().equals(b.getAddress())
            || a.getAddress().isAnyLocalAddress()
            || b.getAddress().isAnyLocalAddress());
  }

  private List<DaemonConfig.Publish> publishes() {
    List<DaemonConfig.Publish> all = new ArrayList<>();
    Map<Integer, Integer> lines = new LinkedHashMap<>();
    for (ConfigTable t : file.list(ConfigKeys.PUBLISH)) {
      Integer port = t.get(ConfigKeys.PUBLISH_PORT);
      HostPort to = t.get(ConfigKeys.PUBLISH_TO);
      if (port != null) {
        Integer earlier = lines.putIfAbsent(port, t.line(ConfigKeys.PUBLISH_PORT));
        if (earlier != null) {
          t.problem(
              ConfigKeys.PUBLISH_PORT,
              port + " is published in line " + earlier + "; choose another");
        }
        all.add(new DaemonConfig.Publish(port, to));
      }
    }
    return all;
  }
}

package org.ilnp4j.daemon.config;

import java.net.Inet6Address;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.ilnp4j.tcp.TcpConfig;

/**
 * Everything a daemon is told, with defaults filled in and checked. Paths are absolute.
 *
 * @param name of the node, for people and for the default socket path
 * @param nid where the node's identity comes from
 * @param tun the device between the stack and the kernel
 * @param uplinks at least one; names are unique
 * @param mobility when and how the node moves
 * @param tcp settings of each connection
 * @param nonceBytes length of the nonces this node draws: 4 or 12
 * @param hosts file of names, NIDs and Locators
 * @param socks where the SOCKS5 proxy listens, if it does
 * @param forwards local ports that lead to a remote name and port
 * @param publishes ILNP ports that lead to a local service
 * @param controlSocket Unix domain socket of the control endpoint
 * @param stateDir directory for what must survive a crash: the list of kernel settings to undo
 * @param pcap capture file for every packet of the stack, if wanted
 * @param logLevel one of {@code error, warn, info, debug, trace}
 */
public record DaemonConfig(
    String name,
    NidSource nid,
    Tun tun,
    List<Uplink> uplinks,
    Mobility mobility,
    TcpConfig tcp,
    int nonceBytes,
    Optional<Path> hosts,
    Optional<InetSocketAddress> socks,
    List<Forward> forwards,
    List<Publish> publishes,
    Path controlSocket,
    Path stateDir,
    Optional<Path> pcap,
    String logLevel) {

  /** Where sockets and state are unless the configuration says otherwise; empty after a reboot. */
  public static final Path RUN_DIR = Path.of("/run/ilnp");

  public DaemonConfig {
    uplinks = List.copyOf(uplinks);
    forwards = List.copyOf(forwards);
    publishes = List.copyOf(publishes);
  }

  /** The default control socket of the daemon called {@code name}. */
  public static Path defaultSocket(String name) {
    return RUN_DIR.resolve(name + ".sock");
  }

  /**
   * The TUN device.
   *
   * @param mtuBytes largest packet, 1280 to 65535 octets
   */
  public record Tun(String name, int mtuBytes) {}

  /**
   * An interface that leads to a router.
   *
   * @param preference of its Locators, 0 to 65535, lower is better
   * @param fixed Locator and router where no router advertisements are heard
   */
  public record Uplink(String name, int preference, Optional<FixedLocator> fixed) {}

  /** A Locator written in the configuration, and the router that serves it. */
  public record FixedLocator(long l64, Inet6Address router) {}

  /**
   * @param handoff the kind when the policy moves the node
   * @param maxLifetimeNanos upper bound of the lifetimes announced in Locator Updates
   * @param raTimeoutFactor a router is given up after this many of its intervals without an RA
   */
  public record Mobility(
      PolicyKind policy, HandoffKind handoff, long maxLifetimeNanos, double raTimeoutFactor) {}

  /** A local port: what connects to {@code listen} reaches {@code to} through ILNP. */
  public record Forward(InetSocketAddress listen, HostPort to) {}

  /** An ILNP port of this node: what connects to it reaches the local service {@code to}. */
  public record Publish(int port, HostPort to) {}
}

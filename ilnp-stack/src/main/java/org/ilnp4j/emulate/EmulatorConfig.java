package org.ilnp4j.emulate;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.ilnp4j.link.LinkConfig;
import org.ilnp4j.tun.IpPrefix;
import org.ilnp4j.wire.Ip6;

/**
 * An emulated link: its two ends, and what happens to packets between them.
 *
 * @param mtuBytes MTU of both devices, 1280 to 65535. The MTU of a direction may be less: larger
 *     packets vanish then, as on a path that tells nobody
 * @param seed of all chance: with the same one the n-th packet of a direction meets the same faults
 */
public record EmulatorConfig(
    Side left,
    Side right,
    LinkConfig leftToRight,
    LinkConfig rightToLeft,
    int mtuBytes,
    long seed) {
  public static final int DEFAULT_MTU = 1500;
  public static final int MAX_MTU = 65535;

  public EmulatorConfig {
    if (mtuBytes < Ip6.MIN_MTU || mtuBytes > MAX_MTU) {
      throw new IllegalArgumentException(
          "MTU " + mtuBytes + " is not within " + Ip6.MIN_MTU + " to " + MAX_MTU);
    }
  }

  /** A link with the usual MTU that does the same in both directions. */
  public static EmulatorConfig between(Side left, Side right, LinkConfig both, long seed) {
    return new EmulatorConfig(left, right, both, both, DEFAULT_MTU, seed);
  }

  public LinkConfig direction(Direction d) {
    return d == Direction.LEFT_TO_RIGHT ? leftToRight : rightToLeft;
  }

  /**
   * One end of the link.
   *
   * @param namespace where its device is, as {@code ip netns} names it; empty: that of the process
   * @param device name of the TUN device that is made
   * @param addresses of the device
   * @param routes that lead to the device
   * @param pcap capture of all that enters and leaves here, if wanted
   */
  public record Side(
      Optional<String> namespace,
      String device,
      List<IpPrefix> addresses,
      List<IpPrefix> routes,
      Optional<Path> pcap) {
    public Side {
      addresses = List.copyOf(addresses);
      routes = List.copyOf(routes);
    }

    /** An end that the caller gives addresses and routes to. */
    public static Side of(String namespace, String device) {
      return new Side(Optional.of(namespace), device, List.of(), List.of(), Optional.empty());
    }

    public Side withAddresses(IpPrefix... more) {
      return new Side(namespace, device, List.of(more), routes, pcap);
    }

    public Side withRoutes(IpPrefix... more) {
      return new Side(namespace, device, addresses, List.of(more), pcap);
    }

    public Side withPcap(Path file) {
      return new Side(namespace, device, addresses, routes, Optional.of(file));
    }
  }
}

package org.ilnp4j.netty;

import java.net.SocketAddress;
import java.util.List;
import java.util.Objects;
import org.ilnp4j.ilnp.Nid;

/**
 * One end of an ILNP session: a node and a port. Where the node is attached does not count for
 * equality, as sessions do not depend on it.
 */
public final class IlnpSocketAddress extends SocketAddress {
  private static final long serialVersionUID = 1;

  private final String name;
  private final long nid;
  private final transient List<Long> locators;
  private final int port;

  /**
   * @param name for people, or null
   * @param nid Node Identifier, or 0 for "this host" in a local address
   * @param locators where to reach the node, best first; may be empty in a local address
   * @param port 0 to 65535
   */
  public IlnpSocketAddress(String name, long nid, List<Long> locators, int port) {
    if (port < 0 || port > 0xffff) {
      throw new IllegalArgumentException("port " + port + " is not within 0..65535");
    }
    this.name = name;
    this.nid = nid;
    this.locators = List.copyOf(locators);
    this.port = port;
  }

  /** A port of this host, to listen at. */
  public static IlnpSocketAddress ofPort(int port) {
    return new IlnpSocketAddress(null, 0, List.of(), port);
  }

  /** The name it was reached by, or null. */
  public String name() {
    return name;
  }

  public long nid() {
    return nid;
  }

  public List<Long> locators() {
    return locators;
  }

  public int port() {
    return port;
  }

  @Override
  public boolean equals(Object o) {
    return o instanceof IlnpSocketAddress a && a.nid == nid && a.port == port;
  }

  @Override
  public int hashCode() {
    return Objects.hash(nid, port);
  }

  @Override
  public String toString() {
    String node = nid == 0 ? "*" : "[" + Nid.format(nid) + "]";
    return (name == null ? node : name + "/" + node) + ":" + port;
  }
}

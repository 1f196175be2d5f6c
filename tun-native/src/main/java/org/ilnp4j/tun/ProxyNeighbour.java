package org.ilnp4j.tun;

/**
 * An address that the kernel answers neighbour solicitations for on an interface although it is not
 * its own. The kernel forgets it when the interface goes down.
 *
 * @param link the interface index
 * @param address the address
 * @param protocol who made it: {@link Netlink#PROTOCOL} for ours
 */
public record ProxyNeighbour(int link, Ip6Address address, int protocol) {
  @Override
  public String toString() {
    return address + " on link " + link;
  }
}

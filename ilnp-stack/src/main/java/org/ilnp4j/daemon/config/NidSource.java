package org.ilnp4j.daemon.config;

/** Where the node's identity comes from. */
public sealed interface NidSource {
  /**
   * Modified EUI-64 of an interface's MAC address; an empty name means the first uplink. Only for
   * hosts that do not form their own addresses so: one identifier cannot be two nodes.
   */
  record Eui64(String interfaceName) implements NidSource {}

  /** A new random NID at each start: nobody can call this node by name. */
  record Random() implements NidSource {}

  /** Written in the configuration. */
  record Explicit(long nid) implements NidSource {}
}

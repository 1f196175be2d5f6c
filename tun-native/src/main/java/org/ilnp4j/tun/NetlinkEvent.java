package org.ilnp4j.tun;

/** A change of kernel state, as told by {@link NetlinkMonitor}. */
public sealed interface NetlinkEvent {
  /** True if the object is gone; otherwise it is new or has changed. */
  boolean removed();

  /** An interface came, went, or changed its name, flags, carrier or MTU. */
  record LinkEvent(boolean removed, Link link) implements NetlinkEvent {}

  /** An IPv6 address came, went, or changed its flags. */
  record AddressEvent(boolean removed, LinkAddress address) implements NetlinkEvent {}

  /** An IPv6 route came or went. */
  record RouteEvent(boolean removed, Route route) implements NetlinkEvent {}
}

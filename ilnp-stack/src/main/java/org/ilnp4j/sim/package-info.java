/**
 * A simulated network in virtual time, deterministic from one seed. {@link
 * org.ilnp4j.sim.SimNetwork} owns the clock and the event queue; {@link org.ilnp4j.sim.SimNode}s
 * (hosts, routers, middleboxes) have {@link org.ilnp4j.sim.SimPort}s joined by {@link
 * org.ilnp4j.sim.SimLink}s or a half-duplex {@link org.ilnp4j.sim.SimMedium}. The same host code
 * runs here as on a real device. Nothing here reads a clock or makes a thread: {@link
 * org.ilnp4j.sim.RealTimeDriver} runs a network by a clock it is given on an event loop it is
 * given, and {@link org.ilnp4j.sim.SimRunner} lets Netty channels use a host then. One thread per
 * network; networks share nothing.
 */
package org.ilnp4j.sim;

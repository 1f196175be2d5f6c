/**
 * What lies below the IP layer: real devices ({@link org.ilnp4j.link.TunLink}), and decorators that
 * stand in front of any of them ({@link org.ilnp4j.link.FaultInjector}, {@link
 * org.ilnp4j.link.PcapTap}). Outgoing packets go through {@link org.ilnp4j.ip6.PacketSink},
 * incoming ones through {@link org.ilnp4j.link.LinkHandler}; whoever is handed a buffer owns it.
 * One thread.
 */
package org.ilnp4j.link;

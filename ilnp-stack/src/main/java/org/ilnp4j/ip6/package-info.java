/**
 * IPv6 as a host does it: building packets to a correspondent with its nonce, path MTU per pair of
 * Locators, ICMPv6 errors. Packets leave through a {@link org.ilnp4j.ip6.PacketSink}.
 */
package org.ilnp4j.ip6;

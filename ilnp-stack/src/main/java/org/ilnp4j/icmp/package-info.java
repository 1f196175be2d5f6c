/**
 * ICMPv6 as an end host speaks it (RFC 4443): echo, errors in and out. Locator Updates are the
 * mobility layer's.
 */
package org.ilnp4j.icmp;

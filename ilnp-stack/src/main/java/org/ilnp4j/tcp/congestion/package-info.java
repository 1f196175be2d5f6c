/**
 * Congestion control behind one interface, one algorithm per class. Pure arithmetic over (time,
 * acknowledged octets, RTT); knows nothing of segments or sequence numbers. One instance per
 * connection and path.
 */
package org.ilnp4j.tcp.congestion;

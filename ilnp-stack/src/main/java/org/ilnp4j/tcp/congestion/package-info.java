/**
 * Congestion control behind one interface, one algorithm per class, and pacing. Pure arithmetic
 * over (time, octets delivered, RTT); knows nothing of segments or sequence numbers. One instance
 * per connection and path.
 */
package org.ilnp4j.tcp.congestion;

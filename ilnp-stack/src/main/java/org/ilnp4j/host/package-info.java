/**
 * The whole node as one deterministic object: time and packets in, packets, callbacks and the next
 * deadline out. A driver (event loop or simulator) owns the clock and the devices.
 */
package org.ilnp4j.host;

/**
 * The link emulator: two TUN devices, each in a network namespace of its own, and between them the
 * model of a link that the simulator uses in virtual time ({@link org.ilnp4j.link.FaultInjector}),
 * here in real time. {@link org.ilnp4j.emulate.Emulator} may be used from any thread; the packets,
 * the model and its counters belong to the one thread that it starts.
 */
package org.ilnp4j.emulate;

/**
 * ILNP sessions as Netty channels. A {@link org.ilnp4j.netty.HostRunner} ties one host to one event
 * loop; {@link org.ilnp4j.netty.IlnpSocketChannel} and {@link
 * org.ilnp4j.netty.IlnpServerSocketChannel} behave like Netty's own socket channels: back-pressure
 * both ways, exact half-close, resets as resets. Payload is handed over, never copied.
 *
 * <p>Channels run on the loop of their host only; their methods may be called on any thread, as
 * with every Netty channel.
 */
package org.ilnp4j.netty;

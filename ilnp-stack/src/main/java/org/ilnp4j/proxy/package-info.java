/**
 * How programs that know nothing of ILNP use it: {@link org.ilnp4j.proxy.Socks5Proxy} and {@link
 * org.ilnp4j.proxy.Forward} for programs that connect, {@link org.ilnp4j.proxy.Publish} for
 * programs that are connected to. A local program is told "connected" only once the other end
 * really is; from then on {@link org.ilnp4j.proxy.Relay} makes two connections behave as one.
 *
 * <p>Everything runs on the loop of the host, local sockets included.
 */
package org.ilnp4j.proxy;

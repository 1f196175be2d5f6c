/**
 * The host side of one daemon: what the Linux kernel must be told so that packets flow between the
 * TUN device and the uplinks, and the undoing of it.
 *
 * <pre>
 *   uplink ──► rule "lookup host table" ──► Locator:NID/128 dev TUN          in (with a proxy neighbour entry)
 *   TUN ──► rule "from Locator:NID iif TUN lookup table n" ──► default via router dev uplink          out
 *   anything else that would be forwarded ──► rule "not iif lo blackhole"
 * </pre>
 *
 * <p>Contract: the host's own IPv6 goes on as before. Its addresses, its default routes from router
 * advertisements and its connections stay (forwarding alone would end them); it does not become a
 * router between its links; only addresses of the node's own NID are touched. State is reconciled:
 * a wanted set is compared with what the kernel has, and what is missing is put back. Every setting
 * is recorded in a file before it is changed, so that the changes of a daemon that was killed can
 * be undone by the next one. Calls are synchronous and take well under a millisecond; one thread
 * uses an object of this package.
 */
package org.ilnp4j.daemon.plumbing;

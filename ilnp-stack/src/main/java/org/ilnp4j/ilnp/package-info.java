/**
 * Identity and location: NIDs, Locators, nonces, and the Identifier-Locator Communication Cache
 * (RFC 6741 §5) with its lookup and validation rules. Decides which correspondent a packet belongs
 * to and which pair of Locators a packet to it uses. Knows nothing of transport protocols.
 *
 * <p>In hot paths a NID and a Locator are plain longs named {@code ...Nid} and {@code ...L64}.
 */
package org.ilnp4j.ilnp;

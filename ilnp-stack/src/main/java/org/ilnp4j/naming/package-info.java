/**
 * From names to NIDs and Locators. A {@link org.ilnp4j.naming.Resolver} answers asynchronously on
 * the executor it is given; {@link org.ilnp4j.naming.HostsFile} and {@link
 * org.ilnp4j.naming.Literals} answer at once. Knows nothing of sessions.
 */
package org.ilnp4j.naming;

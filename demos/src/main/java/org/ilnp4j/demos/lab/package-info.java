/**
 * Test beds of real parts: network namespaces, links between them, routers with radvd, programs in
 * them. Everything made here is taken away again on close, and leftovers of a killed run are taken
 * away by the next.
 */
package org.ilnp4j.demos.lab;

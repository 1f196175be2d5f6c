/**
 * ilnp4j's TCP against the TCP of the Linux kernel: the same transfers over the same emulated path,
 * in turn, in network namespaces.
 *
 * <pre>
 *   sender namespace                                     receiver namespace
 *   ilnp4j -- ilnp0 --.                               .-- ilnp0 -- ilnp4j
 *                  forwarding == emulated path == forwarding
 *   kernel TCP -------'                               '------- kernel TCP
 * </pre>
 */
package org.ilnp4j.demos.experiment.tcpgrid;

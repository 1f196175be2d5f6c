/**
 * An interpreter for scripts in the packetdrill language: a script's socket calls and packets are
 * played against one {@link org.ilnp4j.host.Host} in virtual time, and what the host sends and
 * answers is compared. {@code docs/pkt.md} describes what is understood.
 *
 * <p>Whatever a script holds, running it gives one {@link org.ilnp4j.pkt.Outcome}: never an
 * exception, never an endless loop.
 */
package org.ilnp4j.pkt;

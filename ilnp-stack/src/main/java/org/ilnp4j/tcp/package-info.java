/**
 * TCP (RFC 9293) over NIDs. A connection is known by its correspondent and two ports; Locators are
 * looked up when a segment is sent. What belongs to the path (RTT, congestion window, MTU) lives in
 * a {@code PathState} apart from the connection, so that a move replaces the one and keeps the
 * other.
 *
 * <p>Deterministic: every entry point takes {@code nowNanos}. Output and callbacks happen only in
 * {@code TcpEngine.endTurn}, which the driver calls after each batch of input.
 */
package org.ilnp4j.tcp;

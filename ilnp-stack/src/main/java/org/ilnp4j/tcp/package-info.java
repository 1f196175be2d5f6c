/**
 * TCP (RFC 9293) over NIDs. A connection is known by its correspondent and two ports; Locators are
 * looked up when a segment is sent. What belongs to the path (RTT, congestion window, MTU) lives in
 * a {@link org.ilnp4j.tcp.recovery.PathState} apart from the connection, so that a move replaces
 * the one and keeps the other.
 *
 * <p>Deterministic: every entry point takes {@code nowNanos}. Output and callbacks happen only in
 * {@link org.ilnp4j.tcp.TcpEngine#endTurn}, which the driver calls after each batch of input.
 *
 * <p>A segment in: {@code TcpEngine} finds the connection, {@code SegmentArrival} judges the
 * segment, {@code Sender} takes its acknowledgement and {@code Receiver} its text; all of them only
 * mark what is due. A segment out: {@code Tcb.turn} calls the user back, then {@code SegmentOutput}
 * sends what the windows allow, on the path of that very moment. {@code Paths} keeps the current
 * path and those left lately; what was sent on one path is never judged by another.
 */
package org.ilnp4j.tcp;

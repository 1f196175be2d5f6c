package org.ilnp4j.daemon.control;

/**
 * One echo request.
 *
 * @param seq 1 for the first
 * @param nid of the other node
 * @param locator where it answered from, or was asked at when it did not
 * @param rttMs null when no answer came in time
 */
public record PingView(int seq, String nid, String locator, Double rttMs) {}

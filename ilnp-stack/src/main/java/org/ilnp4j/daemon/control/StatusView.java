package org.ilnp4j.daemon.control;

import java.util.List;
import java.util.Map;

/**
 * The daemon at a glance.
 *
 * @param nid the node's identity
 * @param uptimeS seconds since the start
 * @param tun name of the device
 * @param policy and {@code handoff}: as configured
 * @param listeners what listens where, such as {@code socks 127.0.0.1:1080}
 * @param correspondents entries of the ILCC
 * @param sessions TCP connections in all states
 * @param counters those that are not zero; drops begin with {@code drop-}
 * @param lastHandoff null when there was none
 */
public record StatusView(
    String name,
    String nid,
    String version,
    String commit,
    long pid,
    double uptimeS,
    String tun,
    int mtuBytes,
    String policy,
    String handoff,
    List<String> listeners,
    int correspondents,
    int sessions,
    Map<String, Long> counters,
    HandoffView lastHandoff) {}

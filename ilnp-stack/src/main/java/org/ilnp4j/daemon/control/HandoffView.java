package org.ilnp4j.daemon.control;

/**
 * One move of this node.
 *
 * @param kind {@code soft} or {@code hard}
 * @param fromLink null when there was no link before
 * @param locator the new one
 * @param correspondents how many were told
 * @param acknowledged how many of them have answered
 * @param luRttMs longest time from Locator Update to acknowledgement; null when there was none
 * @param ageS seconds since
 */
public record HandoffView(
    String kind,
    String fromLink,
    String toLink,
    String locator,
    int correspondents,
    int acknowledged,
    Double luRttMs,
    double ageS) {}

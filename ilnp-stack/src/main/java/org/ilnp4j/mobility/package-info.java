/**
 * Where the node is: router advertisements and link events become a set of Locators (RFC 6740 §5),
 * a policy chooses the one to send from, soft and hard handoff change it, and Locator Updates (RFC
 * 6743) tell the correspondents.
 *
 * <p>The set is reconciled: events only change what is known of the uplinks and mark the set as
 * due; {@link org.ilnp4j.mobility.LocatorSet#reconcile} then compares what is wanted with what is
 * there.
 */
package org.ilnp4j.mobility;

/**
 * Packets as bytes: views with offset constants that are safe on any input, and records that hold
 * only legal values. Parsers return a {@link org.ilnp4j.util.DropReason} or null; they never throw,
 * loop or allocate on malformed input. Knows no state, no session, no policy. Addresses are pairs
 * of longs: Locator (upper 64 bits) and Node Identifier (lower 64 bits).
 */
package org.ilnp4j.wire;

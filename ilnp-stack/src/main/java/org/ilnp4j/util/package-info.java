/**
 * Small helpers every layer may use: sequence arithmetic, counters, limiters, keyed hash. Knows
 * nothing of packets. No class here reads a clock, blocks or starts a thread.
 */
package org.ilnp4j.util;

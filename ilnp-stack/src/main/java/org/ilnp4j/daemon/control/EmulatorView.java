package org.ilnp4j.daemon.control;

import java.util.Map;
import org.ilnp4j.emulate.DirectionCounters;

/**
 * A running link emulator, one result per direction.
 *
 * @param name of the emulator
 * @param pid of its process
 * @param uptimeS seconds since it started
 * @param seed of all chance
 * @param direction {@code left-to-right} or {@code right-to-left}
 * @param settings in force, by the keys of the configuration file and written as there
 * @param counters since it started
 */
public record EmulatorView(
    String name,
    long pid,
    double uptimeS,
    long seed,
    String direction,
    Map<String, String> settings,
    DirectionCounters counters) {}

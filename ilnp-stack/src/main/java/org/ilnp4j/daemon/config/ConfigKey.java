package org.ilnp4j.daemon.config;

/**
 * One key of the configuration file.
 *
 * @param type how its value is read
 * @param defaultValue what holds when the key is absent; null when there is nothing to hold
 * @param required whether its section makes no sense without it
 */
record ConfigKey<T>(
    ConfigSection section, String name, ValueType<T> type, T defaultValue, boolean required) {}

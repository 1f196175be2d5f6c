/**
 * The configuration file: TOML, read once at start. {@link org.ilnp4j.daemon.config.ConfigReader}
 * either returns a {@link org.ilnp4j.daemon.config.DaemonConfig} that holds only legal values, or
 * reports every problem of the file at once, each as {@code file:line: key: what is wrong; how to
 * mend it}. {@code ConfigKeys} is the only list of keys; the samples in {@code config/} are tested
 * against it.
 */
package org.ilnp4j.daemon.config;

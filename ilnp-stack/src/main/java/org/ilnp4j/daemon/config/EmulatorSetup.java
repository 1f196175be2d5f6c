package org.ilnp4j.daemon.config;

import java.nio.file.Path;
import org.ilnp4j.emulate.EmulatorConfig;

/**
 * Everything an emulator process is told. Paths are absolute.
 *
 * @param name for people and for the default socket path
 * @param controlSocket Unix domain socket of the control endpoint
 */
public record EmulatorSetup(String name, EmulatorConfig link, Path controlSocket) {
  /** Where sockets are unless the configuration says otherwise. */
  public static final Path RUN_DIR = DaemonConfig.RUN_DIR.resolve("emulate");
}

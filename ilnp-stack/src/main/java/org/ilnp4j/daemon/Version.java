package org.ilnp4j.daemon;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Properties;

/**
 * What was built. The commit comes from the build ({@code -Dilnp.commit}), or from the launcher
 * where it runs out of a checkout, so that the jar itself stays reproducible.
 *
 * @param number such as {@code 0.1.0}
 * @param commit abbreviated, or {@code unknown}
 */
public record Version(String number, String commit) {
  private static final Version CURRENT = load();

  public static Version current() {
    return CURRENT;
  }

  private static Version load() {
    Properties p = new Properties();
    try (InputStream in = Version.class.getResourceAsStream("build.properties")) {
      p.load(in);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read build.properties", e);
    }
    return new Version(
        p.getProperty("version"), System.getProperty("ilnp.commit", p.getProperty("commit")));
  }
}

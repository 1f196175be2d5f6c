package org.ilnp4j.pkt;

import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import org.ilnp4j.tcp.TcpConfig;

/**
 * What a script asks of the system before it begins, collected from its options and shell lines.
 * The host is made when the first socket or packet is.
 */
final class Settings {
  final Profile profile;
  TcpConfig tcp;
  int sendBufferBytes;
  int receiveBufferBytes;

  /**
   * Wishes that were not granted because scripts mostly do not depend on them. One that fails with
   * such a wish is unsupported: what failed may be just that.
   */
  final Set<String> ignored = new LinkedHashSet<>();

  /** Defaults of socket options, by name, where the system has been told others. */
  final Map<String, Long> socketDefaults = new HashMap<>();

  private boolean fixed;

  Settings(Profile profile) {
    this.profile = profile;
    tcp = profile.tcp();
    sendBufferBytes = tcp.sendBufferBytes();
    receiveBufferBytes = tcp.receiveBufferBytes();
  }

  /** From now on the host runs with them. */
  TcpConfig fix(int mssBytes) {
    fixed = true;
    return tcp.withBuffers(sendBufferBytes, profile.receiveBuffer(receiveBufferBytes, mssBytes));
  }

  boolean isFixed() {
    return fixed;
  }
}

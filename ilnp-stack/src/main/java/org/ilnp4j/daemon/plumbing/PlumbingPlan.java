package org.ilnp4j.daemon.plumbing;

import java.nio.file.Path;
import java.util.List;

/**
 * What one daemon needs of the kernel.
 *
 * @param instance name of the daemon; letters, digits, - and _
 * @param tunName the TUN device, which exists already
 * @param tunMtuBytes largest packet through it
 * @param nid the node's identity: the lower half of every address that is touched
 * @param uplinks interfaces that lead to routers
 * @param stateDir where the record of changed settings is kept while the daemon lives
 */
public record PlumbingPlan(
    String instance,
    String tunName,
    int tunMtuBytes,
    long nid,
    List<String> uplinks,
    Path stateDir) {
  public PlumbingPlan {
    uplinks = List.copyOf(uplinks);
    if (!instance.matches("[A-Za-z0-9_-]+")) {
      throw new IllegalArgumentException(
          "\"" + instance + "\" is no name for a daemon: use letters, digits, - and _");
    }
  }
}

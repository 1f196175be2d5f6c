package org.ilnp4j.daemon.control;

import java.util.List;
import org.ilnp4j.daemon.config.HandoffKind;

/** What the daemon does for the command line. Called on the loop thread; must not block. */
public interface ControlService {
  StatusView status();

  /** At most {@code limit} sessions. */
  List<SessionView> sessions(int limit);

  LocatorsView locators();

  /**
   * Moves to another link.
   *
   * @param toLink name of an uplink, or null to let the policy choose another than the present one
   * @param reply done when the correspondents have acknowledged or been given up
   */
  void handoff(HandoffKind kind, String toLink, Reply<? super HandoffView> reply);

  /**
   * Sends echo requests in an ILNP session, one a second.
   *
   * @param name of a node, as in the hosts file
   * @param count 1 to {@link ControlServer#MAX_PINGS}
   * @param reply one item for each request, answered or lost; done after the last
   */
  void ping(String name, int count, Reply<? super PingView> reply);

  /** Ends the daemon after the reply has left; the kernel is set back. */
  void stop();
}

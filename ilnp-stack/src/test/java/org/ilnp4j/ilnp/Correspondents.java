package org.ilnp4j.ilnp;

import org.ilnp4j.time.NanoClock;

/** Correspondents with chosen nonces, for tests of what is sent to them. */
public final class Correspondents {
  private Correspondents() {}

  /** An unproven ILNP correspondent at one Locator. */
  public static Correspondent ilnp(
      long localNid, LocatorPair path, long remoteNid, Nonce nonceOut) {
    Correspondent c = new Correspondent(1, SessionMode.ILNP, localNid, remoteNid, nonceOut);
    c.addLocator(path.remoteL64(), 10, NanoClock.NEVER);
    c.path(path);
    return c;
  }

  /** A classic correspondent, which has no nonces. */
  public static Correspondent classic(long localNid, LocatorPair path, long remoteNid) {
    Correspondent c = new Correspondent(2, SessionMode.CLASSIC, localNid, remoteNid, null);
    c.addLocator(path.remoteL64(), 10, NanoClock.NEVER);
    c.path(path);
    return c;
  }
}

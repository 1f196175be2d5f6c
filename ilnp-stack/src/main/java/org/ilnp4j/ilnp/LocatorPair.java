package org.ilnp4j.ilnp;

/** A path: the Locator packets leave from and the Locator they go to. */
public record LocatorPair(long localL64, long remoteL64) {
  @Override
  public String toString() {
    return Locator.format(localL64) + " > " + Locator.format(remoteL64);
  }
}

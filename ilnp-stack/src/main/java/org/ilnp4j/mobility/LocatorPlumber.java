package org.ilnp4j.mobility;

/** Makes Locators work outside the host: kernel routes, proxy neighbour entries; or a simulator. */
public interface LocatorPlumber {
  /** For a host whose Locators work already. */
  LocatorPlumber NONE =
      new LocatorPlumber() {
        @Override
        public boolean install(String uplink, long l64, long routerL64, long routerNid) {
          return true;
        }

        @Override
        public void remove(String uplink, long l64) {}

        @Override
        public void solicit(String uplink) {}
      };

  /**
   * Makes packets to and from {@code l64} flow through {@code uplink}. Idempotent.
   *
   * @param routerL64 upper half of the router's link-local address; 0 with {@code routerNid} 0 when
   *     it is not known
   * @return false when that is not possible now; it will be tried again
   */
  boolean install(String uplink, long l64, long routerL64, long routerNid);

  /** Undoes {@link #install}. Idempotent; never fails the caller. */
  void remove(String uplink, long l64);

  /** Sends a Router Solicitation (RFC 4861 §6.3.7). Best effort. */
  void solicit(String uplink);
}

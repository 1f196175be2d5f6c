package org.ilnp4j.ilnp;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** The Locators of this node. Written by the mobility layer, read by everything that sends. */
public final class LocalLocators {
  private final List<LocalLocator> all = new ArrayList<>();

  public List<LocalLocator> all() {
    return Collections.unmodifiableList(all);
  }

  public void add(LocalLocator locator) {
    all.add(locator);
  }

  public void remove(LocalLocator locator) {
    all.remove(locator);
  }

  public LocalLocator get(long l64) {
    for (int i = 0; i < all.size(); i++) { // for each packet: no iterator
      if (all.get(i).l64 == l64) {
        return all.get(i);
      }
    }
    return null;
  }

  /** The Locator packets leave from: the active one, else any, one being left last; or null. */
  public LocalLocator source() {
    LocalLocator best = null;
    for (int i = 0; i < all.size(); i++) {
      LocalLocator l = all.get(i);
      if (best == null || rank(l) < rank(best)) {
        best = l;
      }
    }
    return best;
  }

  private static int rank(LocalLocator l) {
    return l.state().rank() << 16 | l.preference();
  }
}

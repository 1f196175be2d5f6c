package org.ilnp4j.mobility;

import java.util.List;
import org.ilnp4j.ilnp.LocalLocator;

/** Chooses the Locator to send from. */
@FunctionalInterface
public interface HandoffPolicy {
  /**
   * Chooses among the usable Locators.
   *
   * @param candidates not empty, in the order in which they appeared
   * @param current the active one, or null when there is none or it is not a candidate
   * @return one of {@code candidates}
   */
  LocalLocator choose(List<LocalLocator> candidates, LocalLocator current);

  /** The Locator that appeared last: moves on the first RA of a new link, as in the experiments. */
  HandoffPolicy FIRST_RA = (candidates, current) -> candidates.get(candidates.size() - 1);

  /** The lowest preference; stays where it is on a tie. */
  HandoffPolicy PREFERENCE =
      (candidates, current) -> {
        LocalLocator best = current != null ? current : candidates.get(0);
        for (LocalLocator l : candidates) {
          if (l.preference() < best.preference()) {
            best = l;
          }
        }
        return best;
      };

  /** Stays until the Locator is gone or a person says otherwise. */
  HandoffPolicy MANUAL = (candidates, current) -> current != null ? current : candidates.get(0);

  /** The policy of that name in the configuration file. */
  static HandoffPolicy byName(String name) {
    switch (name) {
      case "first-ra":
        return FIRST_RA;
      case "preference":
        return PREFERENCE;
      case "manual":
        return MANUAL;
      default:
        throw new IllegalArgumentException(
            "unknown policy \"" + name + "\"; one of first-ra, preference, manual");
    }
  }
}

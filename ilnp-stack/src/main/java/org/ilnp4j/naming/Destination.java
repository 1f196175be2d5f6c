package org.ilnp4j.naming;

import java.util.List;
import java.util.stream.Collectors;
import org.ilnp4j.ilnp.Locator;
import org.ilnp4j.ilnp.Nid;

/**
 * A node to talk to, as names give it.
 *
 * @param name what the user wrote
 * @param nid its Node Identifier
 * @param locators its Locators, best first; at least one
 */
public record Destination(String name, long nid, List<Long> locators) {
  public Destination {
    locators = List.copyOf(locators);
    if (locators.isEmpty()) {
      throw new IllegalArgumentException(name + " has no Locator");
    }
  }

  @Override
  public String toString() {
    return name
        + " ("
        + Nid.format(nid)
        + locators.stream().map(Locator::format).collect(Collectors.joining(",", "@", ")"));
  }
}

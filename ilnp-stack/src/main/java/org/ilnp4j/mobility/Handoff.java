package org.ilnp4j.mobility;

/**
 * One move of the node.
 *
 * @param kind soft when the old Locator still works, hard when not, first when there was none ever
 * @param fromUplink null when there was no Locator just before
 * @param toUplink null when no Locator is left
 */
public record Handoff(Kind kind, String fromUplink, long fromL64, String toUplink, long toL64) {
  /** How the node moved. */
  public enum Kind {
    FIRST,
    SOFT,
    HARD,
    LOST
  }
}

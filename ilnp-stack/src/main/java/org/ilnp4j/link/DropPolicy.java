package org.ilnp4j.link;

/** Which packet goes when the queue of a link is too long. */
public enum DropPolicy {
  /** The one that has just come and does not fit. */
  TAIL,
  /** The ones that have waited longest, until the one that has just come fits. */
  HEAD,
  /**
   * As {@link #TAIL}; and before that, packets that waited too long for too long ({@link CoDel}).
   */
  CODEL
}

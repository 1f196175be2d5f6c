package org.ilnp4j.link;

/**
 * What chance has in store for the packets of one direction of a link. Each number drawn depends on
 * the seed, the place of the packet among those offered, and what it is drawn for; nothing else. So
 * the n-th packet meets the same fate whenever it comes, whatever became of those before it, and
 * whichever other faults are switched on.
 */
final class LinkChance {
  /** What a number is drawn for. */
  enum Draw {
    BURST,
    LOSS,
    CORRUPT,
    CORRUPT_BIT,
    DUPLICATE,
    JITTER,
    REORDER,
    /** The same for the second of two copies. */
    JITTER_OF_COPY,
    REORDER_OF_COPY
  }

  /** The golden ratio: successive multiples are spread evenly over 64 bits. */
  private static final long STEP = 0x9e37_79b9_7f4a_7c15L;

  private final long seed;

  LinkChance(long seed) {
    this.seed = seed;
  }

  /** True with the probability given. */
  boolean happens(double probability, long number, Draw draw) {
    return probability > 0 && uniform(number, draw) < probability;
  }

  /** From 0 to {@code bound - 1}, each equally likely. */
  long below(long bound, long number, Draw draw) {
    return (long) (uniform(number, draw) * bound);
  }

  /** From 0 to just below 1. */
  private double uniform(long number, Draw draw) {
    long bits = mix(mix(seed + number * STEP) + (draw.ordinal() + 1) * STEP);
    return (bits >>> 11) * 0x1.0p-53;
  }

  /** Turns a counter into bits that look random (the finaliser of SplitMix64). */
  private static long mix(long value) {
    long z = (value ^ value >>> 30) * 0xbf58_476d_1ce4_e5b9L;
    z = (z ^ z >>> 27) * 0x94d0_49bb_1331_11ebL;
    return z ^ z >>> 31;
  }
}

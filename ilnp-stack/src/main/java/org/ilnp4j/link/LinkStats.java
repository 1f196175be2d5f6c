package org.ilnp4j.link;

/**
 * Counters of one direction of a link. Every packet offered ends in exactly one place: {@code
 * offered + duplicated = delivered + all drops + packets still inside}. Written by the link only.
 */
public final class LinkStats {
  private long offeredPackets;
  private long offeredBytes;
  private long deliveredPackets;
  private long deliveredBytes;
  private long duplicatedPackets;
  private long corruptedPackets;
  private long reorderedPackets;
  private long maxQueueBytes;
  private int maxQueuePackets;
  private long maxLateNanos;
  private final long[] drops = new long[LinkDrop.values().length];

  /** Packets handed to the link, whatever became of them. */
  public long offeredPackets() {
    return offeredPackets;
  }

  public long offeredBytes() {
    return offeredBytes;
  }

  /** Packets that came out at the far end, duplicates included. */
  public long deliveredPackets() {
    return deliveredPackets;
  }

  public long deliveredBytes() {
    return deliveredBytes;
  }

  public long duplicatedPackets() {
    return duplicatedPackets;
  }

  public long corruptedPackets() {
    return corruptedPackets;
  }

  /** Packets held back so that later ones could overtake them. */
  public long reorderedPackets() {
    return reorderedPackets;
  }

  /** The most octets that ever waited, the packet being sent not counted. */
  public long maxQueueBytes() {
    return maxQueueBytes;
  }

  public int maxQueuePackets() {
    return maxQueuePackets;
  }

  /** How long after its time a packet was delivered, at most: what the driver of the link added. */
  public long maxLateNanos() {
    return maxLateNanos;
  }

  public long drops(LinkDrop why) {
    return drops[why.ordinal()];
  }

  public long totalDrops() {
    long sum = 0;
    for (long d : drops) {
      sum += d;
    }
    return sum;
  }

  public void countOffered(int bytes) {
    offeredPackets++;
    offeredBytes += bytes;
  }

  public void countDelivered(int bytes) {
    deliveredPackets++;
    deliveredBytes += bytes;
  }

  public void countDrop(LinkDrop why) {
    drops[why.ordinal()]++;
  }

  /** The queue has grown to this. */
  public void countQueued(int packets, long bytes) {
    maxQueuePackets = Math.max(maxQueuePackets, packets);
    maxQueueBytes = Math.max(maxQueueBytes, bytes);
  }

  void countLate(long nanos) {
    maxLateNanos = Math.max(maxLateNanos, nanos);
  }

  void countDuplicated() {
    duplicatedPackets++;
  }

  void countCorrupted() {
    corruptedPackets++;
  }

  void countReordered() {
    reorderedPackets++;
  }

  @Override
  public String toString() {
    StringBuilder s = new StringBuilder(80);
    s.append("offered ").append(offeredPackets).append(", delivered ").append(deliveredPackets);
    for (LinkDrop why : LinkDrop.values()) {
      if (drops(why) != 0) {
        s.append(", ").append(why).append(' ').append(drops(why));
      }
    }
    return s.toString();
  }
}

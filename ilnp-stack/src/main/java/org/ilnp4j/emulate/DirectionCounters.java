package org.ilnp4j.emulate;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import org.ilnp4j.link.FaultInjector;
import org.ilnp4j.link.LinkDrop;
import org.ilnp4j.link.LinkStats;

/**
 * What has happened in one direction. {@code offeredPackets + duplicatedPackets = deliveredPackets
 * + all drops + insidePackets}.
 *
 * @param offeredPackets packets that came in
 * @param deliveredPackets packets that went out, duplicates included
 * @param insidePackets packets that wait or travel now
 * @param queuedPackets of these, packets that wait for the link
 * @param maxQueuePackets the most that ever waited
 * @param maxLateUs how long after its time a packet went out, at most
 * @param kernelRefused packets that the kernel at the far end did not take because they were
 *     corrupted beyond recognition, or its device was down
 * @param kernelDropped packets that either kernel had no room for; they are in no other counter
 * @param drops by reason; reasons that did not occur are left out
 */
public record DirectionCounters(
    long offeredPackets,
    long offeredBytes,
    long deliveredPackets,
    long deliveredBytes,
    long duplicatedPackets,
    long corruptedPackets,
    long reorderedPackets,
    int insidePackets,
    int queuedPackets,
    long queuedBytes,
    int maxQueuePackets,
    long maxQueueBytes,
    double maxLateUs,
    long kernelRefused,
    long kernelDropped,
    Map<String, Long> drops) {
  static DirectionCounters of(FaultInjector link, long kernelRefused, long kernelDropped) {
    LinkStats s = link.stats();
    Map<String, Long> drops = new LinkedHashMap<>();
    for (LinkDrop why : LinkDrop.values()) {
      if (s.drops(why) > 0) {
        drops.put(key(why), s.drops(why));
      }
    }
    return new DirectionCounters(
        s.offeredPackets(),
        s.offeredBytes(),
        s.deliveredPackets(),
        s.deliveredBytes(),
        s.duplicatedPackets(),
        s.corruptedPackets(),
        s.reorderedPackets(),
        link.packetsInside(),
        link.queuedPackets(),
        link.queuedBytes(),
        s.maxQueuePackets(),
        s.maxQueueBytes(),
        s.maxLateNanos() / 1e3,
        kernelRefused,
        kernelDropped,
        drops);
  }

  /** Packets lost inside the link for that reason. */
  public long drops(LinkDrop why) {
    return drops.getOrDefault(key(why), 0L);
  }

  private static String key(LinkDrop why) {
    return why.name().toLowerCase(Locale.ROOT);
  }
}

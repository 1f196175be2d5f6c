package org.ilnp4j.demos.experiment.tcpgrid;

import org.ilnp4j.link.LinkConfig;
import org.ilnp4j.time.NanoClock;

/**
 * What the path between the two namespaces is like, the same in both directions.
 *
 * @param bitsPerSecond 0 for no limit
 * @param addedRttMillis half of it in each direction
 * @param lossPercent of the packets, each on its own
 */
record PathConditions(long bitsPerSecond, int addedRttMillis, double lossPercent) {
  static final int MTU = 1500;
  static final int LEAST_QUEUE_PACKETS = 100;

  /** Where no rate limits the path, its queue only has to take what senders burst. */
  static final int UNLIMITED_QUEUE_PACKETS = 2000;

  /** One bandwidth-delay product, at least 100 packets. */
  int queuePackets() {
    if (bitsPerSecond == 0) {
      return UNLIMITED_QUEUE_PACKETS;
    }
    long product = bitsPerSecond / 8 * addedRttMillis / 1000;
    return (int) Math.max(LEAST_QUEUE_PACKETS, (product + MTU - 1) / MTU);
  }

  /** One direction of it. */
  LinkConfig link() {
    return LinkConfig.of(bitsPerSecond, NanoClock.millis(addedRttMillis) / 2)
        .withLoss(lossPercent / 100)
        .withQueuePackets(queuePackets())
        .withMtu(MTU);
  }
}

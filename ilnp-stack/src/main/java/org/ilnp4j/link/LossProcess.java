package org.ilnp4j.link;

import org.ilnp4j.link.LinkChance.Draw;

/**
 * Which packets a link loses: each with a probability of its own, or in bursts after Gilbert and
 * Elliott. The channel is good or bad; before each packet that is offered it may change. Packets
 * that never get onto the link (its queue was full) count for the change all the same, so the fate
 * of a packet does not depend on them.
 */
final class LossProcess {
  private final LinkChance chance;
  private boolean bad;

  /** The first packet that the channel has not met. */
  private long unmet;

  LossProcess(LinkChance chance) {
    this.chance = chance;
  }

  /**
   * True when the packet is lost.
   *
   * @param number of the packet; must grow from call to call
   */
  boolean loses(LinkConfig config, long number) {
    if (!bad && config.burstStart() == 0) {
      unmet = number + 1;
    }
    for (; unmet <= number; unmet++) {
      double stayOrTurnBad = bad ? 1 - config.burstEnd() : config.burstStart();
      bad = chance.happens(stayOrTurnBad, unmet, Draw.BURST);
    }
    return chance.happens(bad ? config.burstLoss() : config.loss(), number, Draw.LOSS);
  }
}

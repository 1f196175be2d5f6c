package org.ilnp4j.link;

import org.ilnp4j.wire.Ip6;

/**
 * How one direction of a link treats packets. Immutable: take {@link #PERFECT} or {@link #of} and
 * say what differs.
 */
public final class LinkConfig {
  /** Packets a queue holds unless said otherwise, as a Linux interface does. */
  public static final int DEFAULT_QUEUE_PACKETS = 1000;

  public static final int DEFAULT_MTU = 1500;

  /** Unlimited, without delay or fault. */
  public static final LinkConfig PERFECT = new LinkConfig();

  /** Rates up to this keep the arithmetic within 64 bits. */
  private static final long MAX_RATE = 1_000_000_000_000L;

  private static final long MAX_NANOS = 3_600_000_000_000L;

  private long rateBitsPerSecond;
  private long delayNanos;
  private long jitterNanos;
  private double loss;
  private double burstStart;
  private double burstEnd = 1;
  private double burstLoss = 1;
  private double duplicate;
  private double corrupt;
  private double reorder;
  private long reorderNanos;
  private int queueBytes = Integer.MAX_VALUE;
  private int queuePackets = DEFAULT_QUEUE_PACKETS;
  private DropPolicy dropPolicy = DropPolicy.TAIL;
  private long perPacketNanos;
  private int mtu = DEFAULT_MTU;

  private LinkConfig() {}

  private LinkConfig(LinkConfig from) {
    rateBitsPerSecond = from.rateBitsPerSecond;
    delayNanos = from.delayNanos;
    jitterNanos = from.jitterNanos;
    loss = from.loss;
    burstStart = from.burstStart;
    burstEnd = from.burstEnd;
    burstLoss = from.burstLoss;
    duplicate = from.duplicate;
    corrupt = from.corrupt;
    reorder = from.reorder;
    reorderNanos = from.reorderNanos;
    queueBytes = from.queueBytes;
    queuePackets = from.queuePackets;
    dropPolicy = from.dropPolicy;
    perPacketNanos = from.perPacketNanos;
    mtu = from.mtu;
  }

  /** A link without faults. */
  public static LinkConfig of(long rateBitsPerSecond, long delayNanos) {
    return PERFECT.withRate(rateBitsPerSecond).withDelay(delayNanos);
  }

  /** Bits per second; 0 = unlimited: no queue forms. */
  public long rateBitsPerSecond() {
    return rateBitsPerSecond;
  }

  /** Propagation delay. */
  public long delayNanos() {
    return delayNanos;
  }

  /** Added to the delay, uniform from 0 to this; never reorders. */
  public long jitterNanos() {
    return jitterNanos;
  }

  /** Probability of being lost on the way; outside bursts, if there are any. */
  public double loss() {
    return loss;
  }

  /** Probability with which a packet begins a burst of losses; 0: there are none. */
  public double burstStart() {
    return burstStart;
  }

  /** Probability with which a packet ends a burst; bursts last 1 / this packets on average. */
  public double burstEnd() {
    return burstEnd;
  }

  /** Probability of being lost within a burst. */
  public double burstLoss() {
    return burstLoss;
  }

  /** Probability of arriving twice. */
  public double duplicate() {
    return duplicate;
  }

  /** Probability of arriving with one bit flipped. */
  public double corrupt() {
    return corrupt;
  }

  /** Probability of being held back, so that later packets overtake. */
  public double reorder() {
    return reorder;
  }

  /** How long a packet is held back to be overtaken. */
  public long reorderNanos() {
    return reorderNanos;
  }

  /** Most octets waiting behind the packet being sent. */
  public int queueBytes() {
    return queueBytes;
  }

  /** Most packets waiting behind the one being sent. */
  public int queuePackets() {
    return queuePackets;
  }

  /** Which packet goes when too much waits. */
  public DropPolicy dropPolicy() {
    return dropPolicy;
  }

  /**
   * Time the link is busy with each packet beyond its octets: preamble, gap between frames,
   * link-layer acknowledgement.
   */
  public long perPacketNanos() {
    return perPacketNanos;
  }

  /** Octets of the largest IPv6 packet it carries. */
  public int mtu() {
    return mtu;
  }

  public LinkConfig withRate(long bitsPerSecond) {
    LinkConfig c = new LinkConfig(this);
    c.rateBitsPerSecond = inRange("rate in bit/s", bitsPerSecond, MAX_RATE);
    return c;
  }

  public LinkConfig withDelay(long nanos) {
    LinkConfig c = new LinkConfig(this);
    c.delayNanos = inRange("delay in ns", nanos, MAX_NANOS);
    return c;
  }

  public LinkConfig withJitter(long nanos) {
    LinkConfig c = new LinkConfig(this);
    c.jitterNanos = inRange("jitter in ns", nanos, MAX_NANOS);
    return c;
  }

  public LinkConfig withLoss(double probability) {
    LinkConfig c = new LinkConfig(this);
    c.loss = probability("loss", probability);
    return c;
  }

  /**
   * Losses in bursts, after Gilbert and Elliott.
   *
   * @param start probability with which a packet begins a burst
   * @param end probability with which a packet ends it
   * @param lossWithin probability of being lost within a burst
   */
  public LinkConfig withBursts(double start, double end, double lossWithin) {
    LinkConfig c = new LinkConfig(this);
    c.burstStart = probability("start of bursts", start);
    c.burstEnd = probability("end of bursts", end);
    c.burstLoss = probability("loss in bursts", lossWithin);
    return c;
  }

  public LinkConfig withDuplicate(double probability) {
    LinkConfig c = new LinkConfig(this);
    c.duplicate = probability("duplicate", probability);
    return c;
  }

  public LinkConfig withCorrupt(double probability) {
    LinkConfig c = new LinkConfig(this);
    c.corrupt = probability("corrupt", probability);
    return c;
  }

  /** Holds a share of the packets back by {@code nanos}. */
  public LinkConfig withReorder(double probability, long nanos) {
    LinkConfig c = new LinkConfig(this);
    c.reorder = probability("reorder", probability);
    c.reorderNanos = inRange("reorder delay in ns", nanos, MAX_NANOS);
    return c;
  }

  /** Limits the queue by octets only. */
  public LinkConfig withQueueBytes(int bytes) {
    LinkConfig c = new LinkConfig(this);
    c.queueBytes = (int) inRange("queue limit in octets", bytes, Integer.MAX_VALUE);
    c.queuePackets = Integer.MAX_VALUE;
    return c;
  }

  /** Limits the queue by packets only. */
  public LinkConfig withQueuePackets(int packets) {
    LinkConfig c = new LinkConfig(this);
    c.queuePackets = (int) inRange("queue limit in packets", packets, Integer.MAX_VALUE);
    c.queueBytes = Integer.MAX_VALUE;
    return c;
  }

  public LinkConfig withDropPolicy(DropPolicy policy) {
    LinkConfig c = new LinkConfig(this);
    c.dropPolicy = policy;
    return c;
  }

  public LinkConfig withPerPacket(long nanos) {
    LinkConfig c = new LinkConfig(this);
    c.perPacketNanos = inRange("time per packet in ns", nanos, MAX_NANOS);
    return c;
  }

  public LinkConfig withMtu(int octets) {
    LinkConfig c = new LinkConfig(this);
    if (octets < Ip6.MIN_MTU) {
      throw new IllegalArgumentException("link MTU " + octets + " is below 1280");
    }
    c.mtu = octets;
    return c;
  }

  private static long inRange(String what, long value, long max) {
    if (value < 0 || value > max) {
      throw new IllegalArgumentException(
          "link " + what + ": " + value + " is not within 0 to " + max);
    }
    return value;
  }

  private static double probability(String what, double p) {
    if (!(p >= 0 && p <= 1)) {
      throw new IllegalArgumentException("link " + what + ": " + p + " is not within 0 to 1");
    }
    return p;
  }

  @Override
  public String toString() {
    return "rate " + rateBitsPerSecond + " bit/s, delay " + delayNanos + " ns, loss " + loss;
  }
}

package org.ilnp4j.link;

/**
 * How long packets occupy a link. Exact: within a busy period the sum of all times is rounded down
 * once, so that 12 Mbit/s stays 12 Mbit/s whatever the packet sizes.
 */
public final class TransmitTime {
  private static final long NANOS_PER_SECOND = 1_000_000_000L;

  /** What the last time was rounded down by, in units of 1/rate ns. */
  private long remainder;

  /** The link was idle: the next packet starts on a whole nanosecond. */
  public void startBusyPeriod() {
    remainder = 0;
  }

  /** Nanoseconds that the next packet of {@code bytes} octets occupies the link. */
  public long next(LinkConfig config, int bytes) {
    long rate = config.rateBitsPerSecond();
    if (rate == 0) {
      return config.perPacketNanos();
    }
    long scaled = bytes * 8L * NANOS_PER_SECOND + remainder;
    remainder = scaled % rate;
    return scaled / rate + config.perPacketNanos();
  }
}

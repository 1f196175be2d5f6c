package org.ilnp4j.util;

/**
 * Events worth counting that are not drops. Each layer adds its own; the name is what users see.
 */
public enum Counter {
  PACKETS_IN,
  PACKETS_OUT,
  BYTES_IN,
  BYTES_OUT,
  ICMP_ECHO_IN,
  ICMP_ERRORS_OUT,
  LU_SENT,
  LU_RETRANSMITTED,
  LU_RECEIVED,
  LU_ACK_SENT,
  LU_ACK_RECEIVED,
  LU_GIVEN_UP,
  LOCATOR_LEARNED,
  HANDOFF_SOFT,
  HANDOFF_HARD,
  CHECKSUM_NID_ONLY,
  CHECKSUM_IPV6,
  TCP_ACTIVE_OPENS,
  TCP_PASSIVE_OPENS,
  TCP_ESTABLISHED,
  TCP_RESETS_OUT,
  TCP_RESETS_IN,
  TCP_SEGMENTS_IN,
  TCP_SEGMENTS_OUT,
  TCP_LOST,
  TCP_RETRANSMITTED,
  TCP_DUPLICATES,
  TCP_RETRANSMITTED_AFTER_MOVE,
  TCP_FAST_RECOVERIES,
  TCP_TIMEOUTS,
  TCP_TAIL_PROBES,
  TCP_SPURIOUS_RECOVERIES,
  TCP_PERSIST_PROBES,
  TCP_KEEPALIVE_PROBES,
  TCP_CHALLENGE_ACKS,
  TCP_CLASSIC_FALLBACKS,
  TCP_PATH_CHANGES,
  TCP_OLD_PATH_EXPIRED;

  /** The name shown to users: lower case with dashes. */
  public String label() {
    return name().toLowerCase(java.util.Locale.ROOT).replace('_', '-');
  }
}

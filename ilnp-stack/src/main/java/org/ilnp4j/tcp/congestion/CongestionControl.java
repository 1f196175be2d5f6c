package org.ilnp4j.tcp.congestion;

/**
 * Decides how much may be in flight on one path, and how fast it may leave. Sizes in octets, times
 * in nanoseconds. The caller tells apart what is congestion and what is not: data lost on a path
 * that was left is not.
 */
public interface CongestionControl {
  /** What tells of congestion. */
  enum Cause {
    /** Data was lost. */
    LOSS,
    /** A router marked data instead of dropping it (RFC 3168); ABE answers less (RFC 8511). */
    MARK
  }

  /** The name used in configuration. */
  String name();

  /** The congestion window. */
  long cwndBytes();

  /** The slow-start threshold; {@link Long#MAX_VALUE} before the first congestion event. */
  long ssthreshBytes();

  default boolean inSlowStart() {
    return cwndBytes() < ssthreshBytes();
  }

  /** Octets per second at which a window's data should leave; {@link Pacer#UNLIMITED} for none. */
  long pacingRate(long srttNanos);

  /** True when {@link AckSample} has to carry delivery rates, and {@link #onLost} is wanted. */
  default boolean needsDeliveryRate() {
    return false;
  }

  /** True when proportional rate reduction replaces the window during fast recovery. */
  default boolean reducesRateInRecovery() {
    return true;
  }

  /** The segment size of the path changed. */
  void mss(int mssBytes);

  /** Something was delivered; also during recovery, and whatever held the sender back. */
  void onAck(AckSample ack);

  /**
   * All that may leave now has left.
   *
   * @param flightBytes in flight now
   * @param windowLimited true when this window, not the user or the peer, held data back
   * @param rtoNanos retransmission time-out of the path
   */
  void onOutput(long nowNanos, long flightBytes, boolean windowLimited, long rtoNanos);

  /**
   * Sending is about to start with nothing in flight.
   *
   * @param idleNanos since anything was last sent on the path
   */
  void onIdle(long nowNanos, long idleNanos, long rtoNanos);

  /** The first loss, or the first mark, of a window of data. */
  void onCongestionEvent(long nowNanos, long flightBytes, Cause cause);

  /**
   * The retransmission timer expired.
   *
   * @param first false when the window has been reduced for this loss before (RFC 5681 §3.1)
   */
  void onTimeout(long nowNanos, long flightBytes, boolean first);

  /**
   * One segment is lost.
   *
   * @param txInFlight in flight when it was sent, itself included
   * @param lostSinceSent lost since then, itself included
   * @param appLimited true when the sender had little to send then
   */
  default void onLost(
      long nowNanos, int bytes, long txInFlight, long lostSinceSent, boolean appLimited) {}

  /** Fast recovery, or the repair after a time-out, is over. */
  default void onRecoveryEnd() {}

  /** A recovery begins: remembers what {@link #undo} restores. Call before the reduction. */
  void saveForUndo();

  /**
   * The losses since {@link #saveForUndo} were none: takes the reductions back, unless the window
   * has outgrown them (RFC 9438 §4.9, RFC 4015). Does nothing the second time.
   */
  void undo();

  /** True for a name {@link #create} knows. */
  static boolean isKnown(String name) {
    return name.equals("cubic")
        || name.equals("bbr")
        || name.equals("reno")
        || name.equals("newreno");
  }

  /**
   * A controller at its initial window.
   *
   * @param name {@code cubic}, {@code bbr}, {@code reno} or its alias {@code newreno}
   * @param paced whether {@code cubic} is paced; {@code bbr} always is, {@code reno} never
   */
  static CongestionControl create(String name, int mssBytes, boolean paced) {
    return switch (name) {
      case "cubic" -> new Cubic(mssBytes, paced);
      case "bbr" -> new Bbr(mssBytes);
      case "reno", "newreno" -> new Reno(mssBytes);
      default -> throw new IllegalArgumentException(unknown(name));
    };
  }

  /** What to tell who asked for an unknown algorithm. */
  static String unknown(String name) {
    return "unknown congestion control \"" + name + "\": use cubic, reno or bbr";
  }
}

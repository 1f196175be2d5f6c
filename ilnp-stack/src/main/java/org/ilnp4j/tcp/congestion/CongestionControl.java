package org.ilnp4j.tcp.congestion;

/**
 * Decides how much may be in flight on one path. Sizes in octets, times in nanoseconds. The caller
 * tells apart what is congestion and what is not: data lost on a path that was left is not.
 */
public interface CongestionControl {
  /** The name used in configuration. */
  String name();

  /** The congestion window. */
  long cwndBytes();

  /** The slow-start threshold; {@link Long#MAX_VALUE} before the first congestion event. */
  long ssthreshBytes();

  default boolean inSlowStart() {
    return cwndBytes() < ssthreshBytes();
  }

  /** The segment size of the path changed. */
  void mss(int mssBytes);

  /**
   * New data was acknowledged outside of fast recovery, while the window was what held the sender
   * back.
   *
   * @param rttNanos smoothed RTT, -1 when unknown
   */
  void onAck(long nowNanos, long ackedBytes, long rttNanos);

  /** The first loss (or congestion mark) of a window of data. */
  void onCongestionEvent(long nowNanos, long flightBytes);

  /**
   * The retransmission timer expired.
   *
   * @param first false when the segment had been retransmitted by the timer before (RFC 5681 §3.1)
   */
  void onTimeout(long nowNanos, long flightBytes, boolean first);

  /** A recovery begins: remembers what {@link #undo} restores. Call before the reduction. */
  void saveForUndo();

  /** The losses since {@link #saveForUndo} were none: takes the reductions back. */
  void undo();

  /** Nothing was sent for longer than the RTO, or the path was left and is used again. */
  void onIdleRestart(long nowNanos);

  /** True for a name {@link #create} knows. */
  static boolean isKnown(String name) {
    return name.equals("cubic") || name.equals("newreno") || name.equals("reno");
  }

  /**
   * A controller at its initial window.
   *
   * @param name {@code cubic}, {@code newreno} or its alias {@code reno}
   */
  static CongestionControl create(String name, int mssBytes) {
    return switch (name) {
      case "cubic" -> new Cubic(mssBytes);
      case "newreno", "reno" -> new NewRenoCongestion(mssBytes);
      default ->
          throw new IllegalArgumentException(
              "unknown congestion control \"" + name + "\": use cubic or newreno");
    };
  }
}

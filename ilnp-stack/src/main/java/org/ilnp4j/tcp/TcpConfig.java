package org.ilnp4j.tcp;

import java.util.function.Consumer;
import org.ilnp4j.ip6.Ip6Output;
import org.ilnp4j.tcp.congestion.CongestionControl;
import org.ilnp4j.time.NanoClock;
import org.ilnp4j.wire.TcpHeader.OptionOrder;

/**
 * Settings of one host's TCP: {@link #DEFAULT}, or that with some of them changed. Immutable.
 * Buffers and windows in octets, times in nanoseconds.
 */
public final class TcpConfig {
  private static final int LEAST_BUFFER_BYTES = 4096;
  private static final int LEAST_MEMORY_BYTES = 1 << 20;
  private static final int MOST_WINDOW_BYTES = 1 << 30;

  public static final TcpConfig DEFAULT = new TcpConfig();

  private String congestionControl = "cubic";
  private EcnMode ecn = EcnMode.PASSIVE;
  private boolean sack = true;
  private boolean timestamps = true;
  private boolean windowScaling = true;
  private int sendBufferBytes = 4 << 20;
  private int receiveBufferBytes = 6 << 20;
  private long memoryBytes = 256 << 20;
  private int maxConnections = 200_000;
  private int backlog = 1024;
  private int maxHalfOpen = 4096;
  private long timeWaitNanos = NanoClock.seconds(60);
  private long minRtoNanos = NanoClock.millis(200);
  private long userTimeoutNanos = NanoClock.seconds(900);
  private boolean followsPeerUserTimeout;
  private long keepAliveNanos = NanoClock.seconds(7200);
  private int hopLimit = Ip6Output.DEFAULT_HOP_LIMIT;
  private OptionOrder optionOrder = OptionOrder.LINUX;
  private int windowShift = -1;
  private int quickAcks = AckPolicy.QUICK_ACKS;

  private boolean pacing = true;

  private TcpConfig() {}

  private TcpConfig(TcpConfig c) {
    congestionControl = c.congestionControl;
    ecn = c.ecn;
    sack = c.sack;
    timestamps = c.timestamps;
    windowScaling = c.windowScaling;
    sendBufferBytes = c.sendBufferBytes;
    receiveBufferBytes = c.receiveBufferBytes;
    memoryBytes = c.memoryBytes;
    maxConnections = c.maxConnections;
    backlog = c.backlog;
    maxHalfOpen = c.maxHalfOpen;
    timeWaitNanos = c.timeWaitNanos;
    minRtoNanos = c.minRtoNanos;
    userTimeoutNanos = c.userTimeoutNanos;
    pacing = c.pacing;
    followsPeerUserTimeout = c.followsPeerUserTimeout;
    keepAliveNanos = c.keepAliveNanos;
    hopLimit = c.hopLimit;
    optionOrder = c.optionOrder;
    windowShift = c.windowShift;
    quickAcks = c.quickAcks;
  }

  private TcpConfig with(Consumer<TcpConfig> change) {
    TcpConfig copy = new TcpConfig(this);
    change.accept(copy);
    return copy;
  }

  private static void require(boolean holds, String otherwise) {
    if (!holds) {
      throw new IllegalArgumentException(otherwise);
    }
  }

  /** One of the names {@link CongestionControl} knows. */
  public String congestionControl() {
    return congestionControl;
  }

  public TcpConfig withCongestionControl(String name) {
    require(CongestionControl.isKnown(name), CongestionControl.unknown(name));
    return with(c -> c.congestionControl = name);
  }

  /** When congestion notification is negotiated (RFC 3168). */
  public EcnMode ecn() {
    return ecn;
  }

  public TcpConfig withEcn(EcnMode mode) {
    return with(c -> c.ecn = mode);
  }

  /** Whether selective acknowledgements are offered and accepted (RFC 2018). */
  public boolean sack() {
    return sack;
  }

  public TcpConfig withSack(boolean offered) {
    return with(c -> c.sack = offered);
  }

  /** Whether timestamps are offered and accepted (RFC 7323 §3). */
  public boolean timestamps() {
    return timestamps;
  }

  public TcpConfig withTimestamps(boolean offered) {
    return with(c -> c.timestamps = offered);
  }

  /** Whether windows above 64 KiB are offered and accepted (RFC 7323 §2). */
  public boolean windowScaling() {
    return windowScaling;
  }

  public TcpConfig withWindowScaling(boolean offered) {
    return with(c -> c.windowScaling = offered);
  }

  /** Per connection, at least 4096. */
  public int sendBufferBytes() {
    return sendBufferBytes;
  }

  /** Per connection, at least 4096; bounds the advertised window. */
  public int receiveBufferBytes() {
    return receiveBufferBytes;
  }

  public TcpConfig withBuffers(int send, int receive) {
    require(
        send >= LEAST_BUFFER_BYTES && receive >= LEAST_BUFFER_BYTES,
        "TCP buffers of "
            + send
            + " and "
            + receive
            + " octets: each needs "
            + LEAST_BUFFER_BYTES
            + " at least");
    require(
        receive <= MOST_WINDOW_BYTES,
        "a receive buffer of " + receive + " octets is more than a window can say");
    return with(
        c -> {
          c.sendBufferBytes = send;
          c.receiveBufferBytes = receive;
        });
  }

  /** For the queues of all connections together, at least 1 MiB. */
  public long memoryBytes() {
    return memoryBytes;
  }

  public TcpConfig withMemory(long bytes) {
    require(
        bytes >= LEAST_MEMORY_BYTES,
        "TCP memory of " + bytes + " octets: " + LEAST_MEMORY_BYTES + " at least are needed");
    return with(c -> c.memoryBytes = bytes);
  }

  /** In all states, TIME-WAIT included. */
  public int maxConnections() {
    return maxConnections;
  }

  public TcpConfig withMaxConnections(int most) {
    require(most > 0, "maxConnections " + most + " must be positive");
    return with(c -> c.maxConnections = most);
  }

  /**
   * Half-open connections per listener; callers beyond it are answered with SYN cookies (RFC 4987).
   */
  public int backlog() {
    return backlog;
  }

  public TcpConfig withBacklog(int most) {
    require(most > 0, "backlog " + most + " must be positive");
    return with(c -> c.backlog = most);
  }

  /** Half-open connections of all listeners together. */
  public int maxHalfOpen() {
    return maxHalfOpen;
  }

  public TcpConfig withMaxHalfOpen(int most) {
    require(most > 0, "maxHalfOpen " + most + " must be positive");
    return with(c -> c.maxHalfOpen = most);
  }

  /** 2 MSL. */
  public long timeWaitNanos() {
    return timeWaitNanos;
  }

  public TcpConfig withTimeWait(long nanos) {
    require(nanos > 0, "TIME-WAIT must be positive");
    return with(c -> c.timeWaitNanos = nanos);
  }

  /** Lower bound of the retransmission time-out. */
  public long minRtoNanos() {
    return minRtoNanos;
  }

  public TcpConfig withMinRto(long nanos) {
    require(nanos > 0, "the least RTO must be positive");
    return with(c -> c.minRtoNanos = nanos);
  }

  /**
   * Whether {@code cubic} spreads a window of data over the round trip instead of sending it in
   * bursts. {@code bbr} always does, {@code reno} never.
   */
  public boolean pacing() {
    return pacing;
  }

  public TcpConfig withPacing(boolean on) {
    return with(c -> c.pacing = on);
  }

  /** Unacknowledged data older than this ends the connection (RFC 5482). */
  public long userTimeoutNanos() {
    return userTimeoutNanos;
  }

  public TcpConfig withUserTimeout(long nanos) {
    require(nanos > 0, "the user timeout must be positive");
    return with(c -> c.userTimeoutNanos = nanos);
  }

  /** The other side may lengthen it, up to an hour (RFC 5482 §3.1, ENABLED). */
  public boolean followsPeerUserTimeout() {
    return followsPeerUserTimeout;
  }

  public TcpConfig withPeerUserTimeout(boolean follows) {
    return with(c -> c.followsPeerUserTimeout = follows);
  }

  /**
   * Idle time after which connections whose user wants keep-alives probe (RFC 9293 §3.8.4); 0 for
   * never.
   */
  public long keepAliveNanos() {
    return keepAliveNanos;
  }

  public TcpConfig withKeepAlive(long nanos) {
    require(nanos >= 0, "keepAliveNanos " + nanos + " must not be negative");
    return with(c -> c.keepAliveNanos = nanos);
  }

  /** Of the packets this host sends (RFC 9293 §3.9.2), 1 to 255. */
  public int hopLimit() {
    return hopLimit;
  }

  public TcpConfig withHopLimit(int hops) {
    require(hops >= 1 && hops <= 255, "hopLimit " + hops + " is not within 1 to 255");
    return with(c -> c.hopLimit = hops);
  }

  /** How options stand in our headers; for comparison with other systems. */
  public OptionOrder optionOrder() {
    return optionOrder;
  }

  public TcpConfig withOptionOrder(OptionOrder order) {
    return with(c -> c.optionOrder = order);
  }

  /** The window scale offered (RFC 7323 §2.3), or the least that covers the receive buffer. */
  public int windowShift() {
    return windowShift >= 0 ? windowShift : Receiver.offeredShift(receiveBufferBytes);
  }

  public TcpConfig withWindowShift(int shift) {
    require(shift >= 0 && shift <= 14, "window scale " + shift + " is not within 0 to 14");
    return with(c -> c.windowShift = shift);
  }

  /** Acknowledgements not delayed at the start, after an idle time and after losses. */
  public int quickAcks() {
    return quickAcks;
  }

  public TcpConfig withQuickAcks(int n) {
    require(n >= 0, "quick ACKs " + n + " must not be negative");
    return with(c -> c.quickAcks = n);
  }
}

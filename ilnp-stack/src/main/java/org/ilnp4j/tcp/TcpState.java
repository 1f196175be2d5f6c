package org.ilnp4j.tcp;

/** Connection states (RFC 9293 §3.3.2). LISTEN is a {@code TcpListener}, not a connection. */
public enum TcpState {
  SYN_SENT,
  SYN_RECEIVED,
  ESTABLISHED,
  FIN_WAIT_1,
  FIN_WAIT_2,
  CLOSE_WAIT,
  CLOSING,
  LAST_ACK,
  TIME_WAIT,
  CLOSED;

  /** Both sides' sequence numbers are known. */
  public boolean isSynchronized() {
    return this != SYN_SENT && this != SYN_RECEIVED && this != CLOSED;
  }

  /** The user may still queue data. */
  public boolean canSend() {
    return this == SYN_SENT || this == SYN_RECEIVED || this == ESTABLISHED || this == CLOSE_WAIT;
  }

  /** New data from the other side is accepted. */
  public boolean canReceive() {
    return this == ESTABLISHED || this == FIN_WAIT_1 || this == FIN_WAIT_2;
  }
}

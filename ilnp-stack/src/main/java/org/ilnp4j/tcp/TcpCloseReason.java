package org.ilnp4j.tcp;

/** Why a connection ended. */
public enum TcpCloseReason {
  /** Both sides closed in good order. */
  NORMAL,
  /** The other side sent RST on a synchronized connection. */
  RESET,
  /** The other side answered SYN with RST: nobody listens. */
  REFUSED,
  /** Too many retransmissions or keep-alive probes without answer. */
  TIMED_OUT,
  /** An ICMPv6 error says that the destination cannot be reached. */
  UNREACHABLE,
  /** This side aborted. */
  ABORTED
}

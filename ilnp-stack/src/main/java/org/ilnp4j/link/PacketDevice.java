package org.ilnp4j.link;

import java.io.Closeable;
import java.io.IOException;

/** A non-blocking descriptor that reads and writes one packet per call. */
interface PacketDevice extends Closeable {
  /** For log lines. */
  String name();

  /** For epoll. */
  int fd();

  /** Reads a packet to memory; 0 if none waits. */
  int read(long address, int capacity) throws IOException;

  /** Writes a packet from memory; 0 if there is no room now. */
  int write(long address, int length) throws IOException;

  /** Writes a packet from the pieces of an array of {@code struct iovec}; 0 if no room is now. */
  int writeGathered(long iovecs, int count) throws IOException;
}

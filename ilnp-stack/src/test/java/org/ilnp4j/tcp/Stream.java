package org.ilnp4j.tcp;

import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.util.Random;
import org.ilnp4j.time.NanoClock;

/**
 * A program at one end of a connection: sends a given number of octets of a pattern, checks that it
 * receives the other's pattern, closes when both are done.
 */
final class Stream implements TcpHandler {
  final TestNode node;
  final long toSend;
  final int sendPattern;
  final int receivePattern;
  TcpConnection connection;
  boolean connected;
  long sent;
  long received;
  boolean intact = true;
  boolean ended;
  TcpCloseReason closed;
  int chunk = 16 << 10;

  /** Reads at most so much at once. */
  int readChunk = PERIOD;

  /** Reading stops while this is set. */
  boolean paused;

  /** Sends no more than {@link #allowed} octets in all, as they come from somewhere else. */
  boolean trickle;

  long allowed;

  /** Once there was no room, waits to be told that there is. */
  private boolean waiting;

  /** Keeps the output open after the last octet. */
  boolean keepOpen;

  /** Asks a silent peer after this time; 0 never. */
  long keepAliveNanos;

  /** When data last came, and the longest time between two arrivals. */
  long lastReceivedNanos = -1;

  long longestGapNanos;

  Stream(TestNode node, long toSend, int sendPattern, int receivePattern) {
    this.node = node;
    this.toSend = toSend;
    this.sendPattern = sendPattern;
    this.receivePattern = receivePattern;
  }

  Stream on(TcpConnection c) {
    connection = c;
    return this;
  }

  /** Random octets whose period, a prime, no buffer or segment size divides. */
  private static final int PERIOD = 65521;

  private static final byte[] PATTERN = pattern();

  private static byte[] pattern() {
    byte[] octets = new byte[2 * PERIOD];
    new Random(1).nextBytes(octets);
    System.arraycopy(octets, 0, octets, PERIOD, PERIOD);
    return octets;
  }

  /** Of at most {@link #PERIOD} octets. */
  private boolean isAsSent(ByteBuf b) {
    int n = b.readableBytes();
    ByteBuffer expected = ByteBuffer.wrap(PATTERN, offset(receivePattern, received), n);
    return b.nioBuffer().equals(expected);
  }

  private static int offset(int seed, long position) {
    return (int) ((position + 10_007L * seed) % PERIOD);
  }

  void pump(long now) {
    long end = trickle ? Math.min(toSend, allowed) : toSend;
    while (sent < end && !waiting) {
      int space = connection.sendSpaceBytes();
      if (space == 0) {
        waiting = trickle;
        break;
      }
      int n = (int) Math.min(Math.min(chunk, space), end - sent);
      ByteBuf b = node.allocator.directBuffer(n);
      for (int done = 0; done < n; ) {
        int part = Math.min(PERIOD, n - done);
        b.writeBytes(PATTERN, offset(sendPattern, sent + done), part);
        done += part;
      }
      sent += n;
      connection.send(now, b);
    }
    if (sent == toSend && !keepOpen) {
      connection.shutdownOutput(now);
    }
  }

  void drain(long now) {
    if (paused) {
      return;
    }
    while (sip(now, readChunk)) {
      // Until nothing is left.
    }
    ended |= connection.isEndOfStream();
  }

  /** Reads up to so many octets, at most {@link #PERIOD}; false when there are none. */
  boolean sip(long now, int mostBytes) {
    ByteBuf b = connection.read(now, mostBytes);
    if (b == null) {
      return false;
    }
    intact &= isAsSent(b);
    received += b.readableBytes();
    b.release();
    if (lastReceivedNanos >= 0) {
      longestGapNanos = Math.max(longestGapNanos, now - lastReceivedNanos);
    }
    lastReceivedNanos = now;
    return true;
  }

  @Override
  public void onConnected(long now, TcpConnection c) {
    connected = true;
    connection = c;
    c.keepAlive(now, keepAliveNanos);
    pump(now);
  }

  @Override
  public void onReadable(long now, TcpConnection c) {
    drain(now);
  }

  @Override
  public void onWritable(long now, TcpConnection c) {
    waiting = false;
    pump(now);
  }

  @Override
  public void onClosed(long now, TcpConnection c, TcpCloseReason reason) {
    if (closed != null) {
      throw new AssertionError("closed twice: " + closed + ", " + reason);
    }
    paused = false; // now or never
    drain(now);
    closed = reason;
  }

  static long ms(long n) {
    return NanoClock.millis(n);
  }
}

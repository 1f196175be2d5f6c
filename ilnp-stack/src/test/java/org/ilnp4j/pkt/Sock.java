package org.ilnp4j.pkt;

import io.netty.buffer.ByteBuf;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.ilnp4j.tcp.TcpCloseReason;
import org.ilnp4j.tcp.TcpConnection;
import org.ilnp4j.tcp.TcpHandler;
import org.ilnp4j.tcp.TcpListener;
import org.ilnp4j.tcp.TcpState;

/** One socket of a script: what the kernel would keep between TCP and the file descriptor. */
final class Sock implements TcpHandler {
  /** Port that {@code bind(3, ..., ...)} means. */
  static final int DEFAULT_PORT = 8080;

  private static final Set<String> AGAIN = Set.of("EAGAIN", "EWOULDBLOCK");
  private static final Set<String> NO_WAY =
      Set.of("EHOSTUNREACH", "ENETUNREACH", "ECONNREFUSED", "EACCES", "EPROTO", "ENOPROTOOPT");

  final Machine machine;
  int port = DEFAULT_PORT;
  boolean nonBlocking;
  boolean readShut;
  boolean lingerAbort;

  /** What {@code setsockopt} was told, by name. */
  final Map<String, Long> options = new HashMap<>();

  TcpConnection connection;
  boolean connected;
  boolean connectReported;
  private TcpCloseReason closedBy;

  /** Error to report once, or "". */
  private String error = "";

  TcpListener listener;
  int backlog;
  final Deque<Sock> established = new ArrayDeque<>();

  /** Octets that may be queued, 0 for as many as TCP takes. */
  int sendBufferBytes;

  private long readPosition = 1;
  private long writePosition = 1;

  /** A write found no room since it was last said that there is. */
  boolean wroteShort;

  Sock(Machine machine) {
    this.machine = machine;
  }

  // ---- what TCP says --------------------------------------------------------------------------

  /** Whose queue of established connections it goes to; null for a call of ours. */
  private Sock parent;

  Sock child() {
    Sock child = new Sock(machine);
    child.parent = this;
    child.options.putAll(options);
    child.sendBufferBytes = sendBufferBytes;
    child.port = port;
    return child;
  }

  @Override
  public void onConnected(long nowNanos, TcpConnection c) {
    connected = true;
    if (parent != null) {
      parent.established.add(this);
    }
  }

  @Override
  public void onReadable(long nowNanos, TcpConnection c) {}

  @Override
  public void onWritable(long nowNanos, TcpConnection c) {}

  @Override
  public void onClosed(long nowNanos, TcpConnection c, TcpCloseReason reason) {
    closedBy = reason;
    error =
        switch (reason) {
          case NORMAL, ABORTED -> "";
          case RESET -> "ECONNRESET";
          case REFUSED -> "ECONNREFUSED";
          case TIMED_OUT -> "ETIMEDOUT";
          case UNREACHABLE -> "EHOSTUNREACH";
        };
  }

  /** The error not reported yet, which is so from now on. */
  String takeError() {
    String e = error;
    error = "";
    return e;
  }

  /** TCP has one word for "no way there", systems have many. */
  static boolean isSameError(String a, String b) {
    return a.equals(b)
        || (AGAIN.contains(a) && AGAIN.contains(b))
        || (NO_WAY.contains(a) && NO_WAY.contains(b));
  }

  boolean hasError() {
    return !error.isEmpty();
  }

  boolean isClosed() {
    return closedBy != null;
  }

  boolean isListening() {
    return listener != null;
  }

  boolean isConnecting() {
    return connection != null && !connected && closedBy == null;
  }

  // ---- reading --------------------------------------------------------------------------------

  int readable() {
    return connection == null ? 0 : connection.readableBytes();
  }

  boolean isEnd() {
    return readShut || closedBy != null || (connection != null && connection.isEndOfStream());
  }

  /** Reads up to {@code most} octets and checks that they are those sent. */
  int read(int most) {
    int n = 0;
    while (n < most) {
      ByteBuf b = connection.read(machine.now, most - n);
      if (b == null) {
        break;
      }
      n += b.readableBytes();
      while (b.isReadable()) {
        byte got = b.readByte();
        if (got != Wire.octet(readPosition++)) {
          b.release();
          throw ScriptStop.fail("stream", "octet " + (readPosition - 1) + " as sent", got);
        }
      }
      b.release();
    }
    return n;
  }

  // ---- writing --------------------------------------------------------------------------------

  boolean mayWrite() {
    return connection != null && closedBy == null && connection.state().canSend();
  }

  /** Room for data, within what {@code SO_SNDBUF} makes of the send buffer. */
  int space() {
    int space = connection.sendSpaceBytes();
    if (sendBufferBytes > 0) {
      long queued = connection.info(machine.now).sendQueueBytes();
      space = (int) Math.max(0, Math.min(space, sendBufferBytes - queued));
    }
    return space;
  }

  /** Queues up to {@code most} octets; how many there was room for. */
  int write(int most) {
    int n = Math.min(most, space());
    if (n > 0) {
      ByteBuf b = machine.allocator.directBuffer(n);
      for (int i = 0; i < n; i++) {
        b.writeByte(Wire.octet(writePosition++));
      }
      connection.send(machine.now, b);
    }
    wroteShort |= n < most;
    return n;
  }

  // ---- ending ---------------------------------------------------------------------------------

  void close() {
    if (listener != null) {
      listener.close();
      established.forEach(c -> c.connection.abort(machine.now));
      established.clear();
    }
    if (connection == null) {
      return;
    }
    if (lingerAbort) {
      connection.abort(machine.now);
    } else {
      connection.close(machine.now);
    }
  }

  /** Both directions have ended. */
  boolean isHungUp() {
    return closedBy != null
        || (connection != null
            && connection.isEndOfStream()
            && !connection.state().canSend()
            && connection.state() != TcpState.SYN_SENT);
  }
}

package org.ilnp4j.netty;

import io.netty.buffer.ByteBuf;
import io.netty.channel.EventLoop;
import java.io.IOException;
import java.net.BindException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.LongSupplier;
import org.ilnp4j.ilnp.Correspondent;
import org.ilnp4j.ilnp.Ilcc;
import org.ilnp4j.tcp.TcpAcceptor;
import org.ilnp4j.tcp.TcpCloseReason;
import org.ilnp4j.tcp.TcpConnection;
import org.ilnp4j.tcp.TcpHandler;
import org.ilnp4j.tcp.TcpInfo;
import org.ilnp4j.tcp.TcpPending;
import org.ilnp4j.tcp.TcpState;
import org.ilnp4j.util.Counters;

/**
 * Nodes joined by a network that takes no time, with connections that keep the contract of {@code
 * org.ilnp4j.tcp} to the letter: bounded buffers, callbacks only in turns. What a test wants of the
 * far end (silence, refusal, reset) it gets exactly.
 */
public final class FakeNetwork {
  private final EventLoop loop;
  private final LongSupplier clock;
  private final Map<Long, Node> nodes = new HashMap<>();
  private final List<Connection> connections = new ArrayList<>();
  private boolean turnScheduled;
  private int bufferBytes = 64 << 10;

  public FakeNetwork(EventLoop loop, LongSupplier clock) {
    this.loop = loop;
    this.clock = clock;
  }

  /** Send and receive buffer of connections made from now on. */
  public void bufferBytes(int n) {
    bufferBytes = n;
  }

  public Node node(long nid) {
    return nodes.computeIfAbsent(nid, Node::new);
  }

  /** Connections that are not closed yet. */
  public int openConnections() {
    return connections.size();
  }

  /** Octets in the receive buffers of all connections. */
  public long receivedBytes() {
    return connections.stream().mapToLong(c -> c.receivedBytes).sum();
  }

  private void turn() {
    turnScheduled = false;
    boolean progress;
    do {
      progress = false;
      for (Connection c : List.copyOf(connections)) {
        progress |= c.pump();
      }
    } while (progress);
  }

  /** One host. */
  public final class Node implements HostRunner {
    private final long nid;
    private final Ilcc ilcc;
    private final Map<Integer, TcpAcceptor> listeners = new HashMap<>();
    private int nextPort = 40_000;
    private boolean silent;
    private boolean detached;
    private TcpCloseReason failure = TcpCloseReason.REFUSED;

    private Node(long nid) {
      this.nid = nid;
      ilcc = new Ilcc(nid, 12, 1000, new Random(nid), new Counters());
    }

    public long nid() {
      return nid;
    }

    public IlnpSocketAddress port(int port) {
      return new IlnpSocketAddress("node" + nid, nid, List.of(nid << 16), port);
    }

    /** SYNs to this node are lost. */
    public void silent() {
      silent = true;
    }

    /** This node has no Locator. */
    public void detached() {
      detached = true;
    }

    /** What happens to those who connect where nobody listens. */
    public void failure(TcpCloseReason reason) {
      failure = reason;
    }

    public boolean isListening(int port) {
      return listeners.containsKey(port);
    }

    /** The only connection of this node. */
    public Connection connection() {
      List<Connection> mine = connections.stream().filter(c -> c.node == this).toList();
      if (mine.size() != 1) {
        throw new AssertionError(mine.size() + " connections");
      }
      return mine.get(0);
    }

    @Override
    public EventLoop eventLoop() {
      return loop;
    }

    @Override
    public long now() {
      return clock.getAsLong();
    }

    @Override
    public void wake() {
      if (!turnScheduled) {
        turnScheduled = true;
        loop.execute(FakeNetwork.this::turn);
      }
    }

    @Override
    public TcpConnection connect(
        long remoteNid, List<Long> remoteL64s, int port, TcpHandler handler) throws IOException {
      if (detached) {
        throw new NoLocatorException("this node has no Locator");
      }
      Connection c = new Connection(this, correspondent(remoteNid, remoteL64s), nextPort++, port);
      c.handler = handler;
      c.state = TcpState.SYN_SENT;
      connections.add(c);
      wake();
      return c;
    }

    private Correspondent correspondent(long remoteNid, List<Long> l64s) {
      return ilcc.open(now(), remoteNid, l64s, 1_000_000_000L);
    }

    @Override
    public Listening listen(int port, TcpAcceptor acceptor) throws IOException {
      if (listeners.putIfAbsent(port, acceptor) != null) {
        throw new BindException("port " + port + " is in use");
      }
      return () -> listeners.remove(port, acceptor);
    }
  }

  /** One side of a connection. */
  public final class Connection implements TcpConnection {
    private final Node node;
    private final Correspondent correspondent;
    private final int localPort;
    private final int remotePort;
    private final int sendBufferBytes = bufferBytes;
    private final int receiveBufferBytes = bufferBytes;
    private final ArrayDeque<ByteBuf> toSend = new ArrayDeque<>();
    private final ArrayDeque<ByteBuf> received = new ArrayDeque<>();
    private TcpState state = TcpState.CLOSED;
    private TcpHandler handler;
    private Connection peer;
    private int sendBytes;
    private int receivedBytes;
    private boolean synDelivered;
    private boolean connectedNews;
    private boolean exhausted;
    private boolean readableNews;
    private boolean finQueued;
    private boolean finDelivered;
    private boolean userClosed;
    private TcpCloseReason over;
    boolean noDelay;
    long keepAliveNanos;
    int trafficClass;

    private Connection(Node node, Correspondent correspondent, int localPort, int remotePort) {
      this.node = node;
      this.correspondent = correspondent;
      this.localPort = localPort;
      this.remotePort = remotePort;
    }

    /** The network loses this connection for the given reason. */
    public void breakDown(TcpCloseReason reason) {
      over = reason;
      node.wake();
    }

    public boolean isNoDelay() {
      return noDelay;
    }

    public int trafficClass() {
      return trafficClass;
    }

    public long keepAliveNanos() {
      return keepAliveNanos;
    }

    private boolean pump() {
      if (over != null) {
        end(over);
        return true;
      }
      return switch (state) {
        case SYN_SENT -> knock();
        case SYN_RECEIVED -> establish();
        default -> connectedNews() | moveData() | moveFin() | news();
      };
    }

    private boolean connectedNews() {
      boolean news = connectedNews;
      connectedNews = false;
      if (news) {
        handler.onConnected(node.now(), this);
      }
      return news;
    }

    private boolean knock() {
      Node to = nodes.get(correspondent.remoteNid);
      if (synDelivered || to == null || to.silent) {
        return false;
      }
      synDelivered = true;
      TcpAcceptor acceptor = to.listeners.get(remotePort);
      if (acceptor == null) {
        over = to.failure;
      } else {
        acceptor.onSyn(node.now(), new Pending(to, this));
      }
      return true;
    }

    private boolean establish() {
      if (peer.state != TcpState.SYN_SENT) {
        over = TcpCloseReason.RESET;
        return true;
      }
      state = TcpState.ESTABLISHED;
      peer.state = TcpState.ESTABLISHED;
      connectedNews = true;
      peer.connectedNews = true;
      return true;
    }

    private boolean moveData() {
      boolean moved = false;
      while (peer != null && !toSend.isEmpty()) {
        if (peer.userClosed) {
          over = TcpCloseReason.RESET;
          return true;
        }
        int n =
            Math.min(toSend.peek().readableBytes(), peer.receiveBufferBytes - peer.receivedBytes);
        if (n == 0) {
          break;
        }
        ByteBuf head = toSend.peek();
        if (n == head.readableBytes()) {
          peer.received.add(toSend.poll());
        } else {
          peer.received.add(head.readRetainedSlice(n));
        }
        sendBytes -= n;
        peer.receivedBytes += n;
        peer.readableNews = true;
        moved = true;
      }
      return moved;
    }

    private boolean moveFin() {
      if (!finQueued || finDelivered || !toSend.isEmpty() || peer == null) {
        return false;
      }
      finDelivered = true;
      peer.readableNews = true;
      return true;
    }

    private boolean news() {
      boolean any = false;
      if (readableNews && !userClosed) {
        readableNews = false;
        any = true;
        handler.onReadable(node.now(), this);
      }
      if (exhausted && sendSpaceBytes() >= sendBufferBytes / 2 && state != TcpState.CLOSED) {
        exhausted = false;
        any = true;
        handler.onWritable(node.now(), this);
      }
      if (finDelivered && peer != null && peer.finDelivered) {
        over = TcpCloseReason.NORMAL;
        any = true;
      }
      return any;
    }

    private void end(TcpCloseReason reason) {
      connections.remove(this);
      state = TcpState.CLOSED;
      if (reason != TcpCloseReason.NORMAL && peer != null && peer.over == null) {
        peer.over = TcpCloseReason.RESET;
      }
      if (!userClosed) {
        handler.onClosed(node.now(), this, reason);
      }
      releaseAll();
    }

    private void releaseAll() {
      toSend.forEach(ByteBuf::release);
      toSend.clear();
      received.forEach(ByteBuf::release);
      received.clear();
      sendBytes = 0;
      receivedBytes = 0;
    }

    @Override
    public TcpState state() {
      return state;
    }

    @Override
    public Correspondent correspondent() {
      return correspondent;
    }

    @Override
    public int localPort() {
      return localPort;
    }

    @Override
    public int remotePort() {
      return remotePort;
    }

    @Override
    public int sendSpaceBytes() {
      int space = sendBufferBytes - sendBytes;
      exhausted |= space == 0;
      return space;
    }

    @Override
    public void send(long nowNanos, ByteBuf data) {
      if (finQueued || state == TcpState.CLOSED) {
        data.release();
        throw new IllegalStateException("send after the end");
      }
      if (data.readableBytes() > sendSpaceBytes()) {
        throw new AssertionError("more than the send space");
      }
      sendBytes += data.readableBytes();
      toSend.add(data);
      exhausted |= sendBytes == sendBufferBytes;
    }

    @Override
    public ByteBuf read(long nowNanos, int maxBytes) {
      ByteBuf head = received.peek();
      if (head == null) {
        return null;
      }
      ByteBuf taken =
          head.readableBytes() <= maxBytes ? received.poll() : head.readRetainedSlice(maxBytes);
      receivedBytes -= taken.readableBytes();
      return taken;
    }

    @Override
    public int readableBytes() {
      return receivedBytes;
    }

    @Override
    public boolean isEndOfStream() {
      return received.isEmpty() && peer != null && peer.finDelivered;
    }

    @Override
    public void shutdownOutput(long nowNanos) {
      finQueued = true;
    }

    @Override
    public void close(long nowNanos) {
      if (!received.isEmpty() || state == TcpState.SYN_SENT) {
        abort(nowNanos);
      } else {
        finQueued = true;
        userClosed = true;
      }
    }

    @Override
    public void abort(long nowNanos) {
      userClosed = true;
      over = TcpCloseReason.ABORTED;
    }

    @Override
    public void handler(TcpHandler newHandler) {
      handler = newHandler;
    }

    @Override
    public void noDelay(boolean on) {
      noDelay = on;
    }

    @Override
    public void trafficClass(int newTrafficClass) {
      trafficClass = newTrafficClass;
    }

    @Override
    public void keepAlive(long nowNanos, long idleNanos) {
      keepAliveNanos = idleNanos;
    }

    @Override
    public void userTimeout(long nowNanos, long nanos) {}

    @Override
    public TcpInfo info(long nowNanos) {
      throw new UnsupportedOperationException();
    }
  }

  private final class Pending implements TcpPending {
    private final Node node;
    private final Connection caller;
    private final Correspondent correspondent;

    private Pending(Node node, Connection caller) {
      this.node = node;
      this.caller = caller;
      correspondent = node.correspondent(caller.node.nid, List.of(caller.node.nid << 16));
    }

    @Override
    public Correspondent correspondent() {
      return correspondent;
    }

    @Override
    public int localPort() {
      return caller.remotePort;
    }

    @Override
    public int remotePort() {
      return caller.localPort;
    }

    @Override
    public TcpConnection accept(long nowNanos, TcpHandler handler) {
      if (caller.state != TcpState.SYN_SENT || caller.over != null) {
        return null;
      }
      Connection c = new Connection(node, correspondent, localPort(), remotePort());
      c.state = TcpState.SYN_RECEIVED;
      c.handler = handler;
      c.peer = caller;
      caller.peer = c;
      connections.add(c);
      return c;
    }

    @Override
    public void refuse(long nowNanos) {
      if (caller.over == null) {
        caller.over = TcpCloseReason.REFUSED;
      }
    }
  }
}

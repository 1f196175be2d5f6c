package org.ilnp4j.netty;

import io.netty.buffer.ByteBuf;
import io.netty.channel.AbstractChannel;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelMetadata;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.ChannelPromise;
import io.netty.channel.ConnectTimeoutException;
import io.netty.channel.EventLoop;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.ChannelInputShutdownReadComplete;
import io.netty.channel.socket.DuplexChannel;
import io.netty.util.UncheckedBooleanSupplier;
import io.netty.util.internal.StringUtil;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.channels.AlreadyConnectedException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ConnectionPendingException;
import java.nio.channels.NotYetConnectedException;
import java.nio.channels.UnsupportedAddressTypeException;
import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.ilnp4j.ilnp.Correspondent;
import org.ilnp4j.tcp.TcpCloseReason;
import org.ilnp4j.tcp.TcpConnection;
import org.ilnp4j.tcp.TcpHandler;
import org.ilnp4j.tcp.TcpPending;

/**
 * A TCP session over ILNP as a Netty channel.
 *
 * <p>Back-pressure: data leaves the connection only while a read is outstanding, so that otherwise
 * the receive window closes; what is written stays in the channel's outbound buffer until the
 * connection has send space, so that {@code isWritable()} tells the truth. A write's promise
 * completes when the connection has taken the data over, as with a kernel socket.
 *
 * <p>Ends: FIN as Netty's socket channels do it ({@code ALLOW_HALF_CLOSURE}); RST gives {@code
 * exceptionCaught} with a {@link SocketException} "Connection reset", a time-out one with a {@link
 * SocketTimeoutException}, then the channel closes. Closing with {@code SO_LINGER} 0 sends RST.
 *
 * <p>A failed connect tells {@link ConnectException} (refused), {@link ConnectTimeoutException} (no
 * answer), {@link NoRouteToHostException} (an ICMPv6 error) or {@link NoLocatorException}.
 */
public final class IlnpSocketChannel extends AbstractChannel implements DuplexChannel {
  /** Received segments may be as small as an MTU: many of them to one flush of what they feed. */
  private static final ChannelMetadata METADATA = new ChannelMetadata(false, 256);

  private enum State {
    /** Neither connected nor connecting. */
    OPEN,
    /** Another node asks; nothing was answered yet. */
    OFFERED,
    /** The handshake is under way. */
    CONNECTING,
    ACTIVE,
    CLOSED
  }

  private final HostRunner runner;
  private final IlnpSocketChannelConfig config = new IlnpSocketChannelConfig(this);
  private final Events events = new Events();
  private final Runnable readTask =
      () -> {
        readScheduled = false;
        readWhatIsThere();
      };

  private volatile State state;
  private volatile boolean inputShutdown;
  private volatile boolean outputShutdown;
  private volatile IlnpSocketAddress local;
  private volatile IlnpSocketAddress remote;

  private TcpPending pending;
  private TcpConnection connection;
  private ChannelPromise connectPromise;
  private Future<?> connectTimeout;
  private boolean readPending;
  private boolean reading;
  private boolean readScheduled;

  /** The connection is over, in good order or not; it must not be told anything any more. */
  private boolean connectionOver;

  /** What was left unread when the connection was over; then the end of the stream. */
  private ArrayDeque<ByteBuf> leftover;

  private final UncheckedBooleanSupplier moreToRead = () -> readableBytes() > 0;

  /** A channel to connect with. */
  public IlnpSocketChannel(HostRunner runner) {
    super(null);
    this.runner = runner;
    this.state = State.OPEN;
  }

  /** A channel for a connection that was accepted and is established. */
  IlnpSocketChannel(Channel parent, HostRunner runner, TcpConnection connection) {
    super(parent);
    this.runner = runner;
    this.state = State.ACTIVE;
    attach(connection);
    connection.handler(events);
  }

  /** A channel for a connection that is asked for: {@link #accept} or close it. */
  IlnpSocketChannel(Channel parent, HostRunner runner, TcpPending pending) {
    super(parent);
    this.runner = runner;
    this.state = State.OFFERED;
    this.pending = pending;
    addresses(pending.correspondent(), pending.localPort(), pending.remotePort());
  }

  /**
   * Answers SYN-ACK on a channel of a server with {@link IlnpServerSocketChannel#DEFER_ACCEPT}. The
   * channel is active once the handshake is complete. Closing the channel instead answers RST.
   *
   * @return fails when the caller has gone
   */
  public ChannelFuture accept() {
    ChannelPromise promise = newPromise();
    if (eventLoop().inEventLoop()) {
      accept(promise);
    } else {
      eventLoop().execute(() -> accept(promise));
    }
    return promise;
  }

  private void accept(ChannelPromise promise) {
    if (state != State.OFFERED) {
      promise.setFailure(
          state == State.CLOSED
              ? new ClosedChannelException()
              : new IllegalStateException("this channel has nothing to accept"));
      return;
    }
    TcpPending offer = pending;
    pending = null;
    TcpConnection accepted = offer.accept(runner.now(), events);
    if (accepted == null) {
      promise.setFailure(new SocketException("Connection reset"));
      closeNow();
      return;
    }
    state = State.CONNECTING;
    connectPromise = promise;
    attach(accepted);
    runner.wake();
  }

  /** The connection below, for statistics; null before there is one. Loop thread only. */
  public TcpConnection connection() {
    return connection;
  }

  @Override
  public IlnpSocketChannelConfig config() {
    return config;
  }

  @Override
  public ChannelMetadata metadata() {
    return METADATA;
  }

  @Override
  public boolean isOpen() {
    return state != State.CLOSED;
  }

  @Override
  public boolean isActive() {
    return state == State.ACTIVE;
  }

  @Override
  protected boolean isCompatible(EventLoop loop) {
    return loop == runner.eventLoop();
  }

  @Override
  protected IlnpSocketAddress localAddress0() {
    return local;
  }

  @Override
  protected IlnpSocketAddress remoteAddress0() {
    return remote;
  }

  /** This host's NID and port; null before there is a connection. */
  @Override
  public IlnpSocketAddress localAddress() {
    return local;
  }

  /** The other node's NID and port; null before there is a connection. */
  @Override
  public IlnpSocketAddress remoteAddress() {
    return remote;
  }

  @Override
  public boolean isInputShutdown() {
    return inputShutdown || !isActive();
  }

  @Override
  public boolean isOutputShutdown() {
    return outputShutdown || !isActive();
  }

  @Override
  public boolean isShutdown() {
    return isInputShutdown() && isOutputShutdown();
  }

  @Override
  public ChannelFuture shutdownOutput() {
    return shutdownOutput(newPromise());
  }

  @Override
  public ChannelFuture shutdownOutput(ChannelPromise promise) {
    onLoop(() -> ((IlnpUnsafe) unsafe()).shutdownOutput(promise));
    return promise;
  }

  @Override
  public ChannelFuture shutdownInput() {
    return shutdownInput(newPromise());
  }

  /** Drops what arrives from now on, up to the end of the stream. */
  @Override
  public ChannelFuture shutdownInput(ChannelPromise promise) {
    onLoop(
        () -> {
          if (!isActive()) {
            promise.setFailure(new ClosedChannelException());
            return;
          }
          inputShutdown = true;
          dropInput();
          promise.setSuccess();
        });
    return promise;
  }

  @Override
  public ChannelFuture shutdown() {
    return shutdown(newPromise());
  }

  @Override
  public ChannelFuture shutdown(ChannelPromise promise) {
    shutdownOutput()
        .addListener(
            (ChannelFutureListener)
                output ->
                    shutdownInput()
                        .addListener(
                            (ChannelFutureListener)
                                input -> {
                                  Throwable cause =
                                      output.cause() != null ? output.cause() : input.cause();
                                  if (cause == null) {
                                    promise.setSuccess();
                                  } else {
                                    promise.setFailure(cause);
                                  }
                                }));
    return promise;
  }

  private void closeNow() {
    unsafe().close(unsafe().voidPromise());
  }

  private void onLoop(Runnable task) {
    if (eventLoop().inEventLoop()) {
      task.run();
    } else {
      eventLoop().execute(task);
    }
  }

  @Override
  protected AbstractUnsafe newUnsafe() {
    return new IlnpUnsafe();
  }

  @Override
  protected void doBind(SocketAddress localAddress) {
    throw new UnsupportedOperationException("the host chooses Locator and port when connecting");
  }

  @Override
  protected void doDisconnect() {
    doClose();
  }

  @Override
  protected void doClose() {
    if (state == State.CLOSED) {
      return;
    }
    State before = state;
    state = State.CLOSED;
    readPending = false;
    endConnecting(new ClosedChannelException());
    if (before == State.OFFERED && pending != null) {
      pending.refuse(runner.now());
      pending = null;
    }
    if (connection != null && !connectionOver) {
      connectionOver = true;
      connection.handler(EndOfConnection.NOBODY);
      if (config.getSoLinger() == 0) {
        connection.abort(runner.now());
      } else {
        connection.close(runner.now());
      }
    }
    releaseLeftover();
    runner.wake();
  }

  @Override
  protected void doShutdownOutput() {
    if (!isActive()) {
      throw new NotYetConnectedException();
    }
    outputShutdown = true;
    if (!connectionOver) {
      connection.shutdownOutput(runner.now());
      runner.wake();
    }
  }

  // Writing

  @Override
  protected Object filterOutboundMessage(Object msg) {
    if (msg instanceof ByteBuf) {
      return msg;
    }
    throw new UnsupportedOperationException(
        "an ILNP channel takes ByteBufs, not " + StringUtil.simpleClassName(msg));
  }

  @Override
  protected void doWrite(ChannelOutboundBuffer in) throws Exception {
    if (connectionOver) {
      throw new ClosedChannelException();
    }
    while (in.current() instanceof ByteBuf buf) {
      int readable = buf.readableBytes();
      if (readable == 0) {
        in.remove();
        continue;
      }
      int space = connection.sendSpaceBytes();
      if (space <= 0) {
        break; // Events.onWritable goes on.
      }
      if (readable <= space) {
        connection.send(runner.now(), buf.retain());
        in.progress(readable);
        in.remove();
      } else {
        connection.send(runner.now(), buf.readRetainedSlice(space));
        in.progress(space);
      }
    }
    runner.wake();
  }

  // Reading

  @Override
  protected void doBeginRead() {
    if (readPending || inputShutdown || state != State.ACTIVE) {
      return;
    }
    readPending = true;
    if (!reading) {
      scheduleRead();
    }
  }

  private void scheduleRead() {
    if (readPending && !readScheduled && hasInput()) {
      readScheduled = true;
      eventLoop().execute(readTask);
    }
  }

  void autoReadCleared() {
    if (isRegistered()) {
      onLoop(() -> readPending = false);
    }
  }

  private int readableBytes() {
    if (leftover != null) {
      return leftover.isEmpty() ? 0 : leftover.peek().readableBytes();
    }
    return connection.readableBytes();
  }

  private boolean isEndOfStream() {
    return leftover != null ? leftover.isEmpty() : connection.isEndOfStream();
  }

  private boolean hasInput() {
    return readableBytes() > 0 || isEndOfStream();
  }

  private ByteBuf takeInput() {
    return leftover != null
        ? leftover.poll()
        : connection.read(runner.now(), IlnpSocketChannelConfig.MAX_READ_BYTES);
  }

  /** Passes on what the outstanding read allows. */
  private void readWhatIsThere() {
    if (!readPending || reading || inputShutdown || state != State.ACTIVE) {
      return;
    }
    if (isEndOfStream()) {
      readPending = false;
      endOfInput();
      return;
    }
    RecvByteBufAllocator.ExtendedHandle handle =
        (RecvByteBufAllocator.ExtendedHandle) unsafe().recvBufAllocHandle();
    handle.reset(config);
    boolean any = false;
    reading = true;
    try {
      do {
        ByteBuf data = takeInput();
        if (data == null) {
          break;
        }
        any = true;
        readPending = false;
        handle.lastBytesRead(data.readableBytes());
        handle.incMessagesRead(1);
        pipeline().fireChannelRead(data);
      } while (state == State.ACTIVE && !inputShutdown && handle.continueReading(moreToRead));
    } finally {
      reading = false;
    }
    if (!any) {
      return;
    }
    handle.readComplete();
    pipeline().fireChannelReadComplete(); // asks for the next read when AUTO_READ is on
    if (state == State.ACTIVE) {
      if (!connectionOver) {
        runner.wake(); // the receive window may open
      }
      scheduleRead();
    }
  }

  private void endOfInput() {
    if (!config.isAllowHalfClosure()) {
      closeNow();
      return;
    }
    inputShutdown = true;
    pipeline().fireUserEventTriggered(ChannelInputShutdownEvent.INSTANCE);
    pipeline().fireUserEventTriggered(ChannelInputShutdownReadComplete.INSTANCE);
  }

  private void dropInput() {
    releaseLeftover();
    while (!connectionOver) {
      ByteBuf data = connection.read(runner.now(), IlnpSocketChannelConfig.MAX_READ_BYTES);
      if (data == null) {
        break;
      }
      data.release();
    }
    runner.wake();
  }

  private void releaseLeftover() {
    if (leftover != null) {
      leftover.forEach(ByteBuf::release);
      leftover.clear();
    }
  }

  // The connection below

  private void attach(TcpConnection c) {
    connection = c;
    addresses(c.correspondent(), c.localPort(), c.remotePort());
    applyOptions();
  }

  private void addresses(Correspondent c, int localPort, int remotePort) {
    local = new IlnpSocketAddress(null, c.localNid, List.of(), localPort);
    String name = remote == null ? null : remote.name();
    remote = new IlnpSocketAddress(name, c.remoteNid, List.of(), remotePort);
  }

  void optionsChanged() {
    if (isRegistered()) {
      onLoop(this::applyOptions);
    }
  }

  private void applyOptions() {
    if (connection != null && !connectionOver) {
      connection.noDelay(config.isTcpNoDelay());
      connection.trafficClass(config.getTrafficClass());
      connection.keepAlive(runner.now(), config.isKeepAlive() ? runner.keepAliveNanos() : 0);
    }
  }

  /** Ends the wait for the handshake; fails its promise unless {@code cause} is null. */
  private boolean endConnecting(Throwable cause) {
    if (connectTimeout != null) {
      connectTimeout.cancel(false);
      connectTimeout = null;
    }
    ChannelPromise promise = connectPromise;
    connectPromise = null;
    if (promise == null) {
      return true;
    }
    return cause == null ? promise.trySuccess() : promise.tryFailure(cause);
  }

  private final class Events implements TcpHandler {
    @Override
    public void onConnected(long nowNanos, TcpConnection c) {
      if (state != State.CONNECTING) {
        return;
      }
      state = State.ACTIVE;
      boolean stillWanted = endConnecting(null);
      pipeline().fireChannelActive();
      if (!stillWanted) {
        closeNow();
      }
    }

    @Override
    public void onReadable(long nowNanos, TcpConnection c) {
      if (inputShutdown) {
        dropInput();
      } else {
        readWhatIsThere();
      }
    }

    @Override
    public void onWritable(long nowNanos, TcpConnection c) {
      ((IlnpUnsafe) unsafe()).resumeWrites();
    }

    @Override
    public void onClosed(long nowNanos, TcpConnection c, TcpCloseReason reason) {
      if (state == State.CLOSED || connectionOver) {
        return;
      }
      if (state == State.CONNECTING) {
        connectionOver = true;
        endConnecting(EndOfConnection.beforeEstablished(reason, remote));
        closeNow();
        return;
      }
      if (!isRegistered()) {
        connectionOver = true;
        unsafe().closeForcibly();
        return;
      }
      saveInput(c);
      connectionOver = true;
      if (reason == TcpCloseReason.NORMAL) {
        readWhatIsThere();
        return;
      }
      // Who reads, gets what came before the breakdown; who does not, must not miss the breakdown.
      while (readPending && !inputShutdown && !leftover.isEmpty()) {
        readWhatIsThere();
      }
      if (state != State.CLOSED) {
        pipeline().fireExceptionCaught(EndOfConnection.broken(reason, remote));
        closeNow();
      }
    }

    private void saveInput(TcpConnection c) {
      leftover = new ArrayDeque<>();
      ByteBuf data;
      while ((data = c.read(runner.now(), IlnpSocketChannelConfig.MAX_READ_BYTES)) != null) {
        if (inputShutdown) {
          data.release();
        } else {
          leftover.add(data);
        }
      }
    }
  }

  private final class IlnpUnsafe extends AbstractUnsafe {
    void resumeWrites() {
      flush0();
    }

    @Override
    public void connect(
        SocketAddress remoteAddress, SocketAddress localAddress, ChannelPromise promise) {
      if (promise.isDone() || !ensureOpen(promise)) {
        return;
      }
      try {
        if (connectPromise != null) {
          throw new ConnectionPendingException();
        }
        if (state != State.OPEN) {
          throw new AlreadyConnectedException();
        }
        if (localAddress != null) {
          doBind(localAddress);
        }
        if (!(remoteAddress instanceof IlnpSocketAddress to)) {
          throw new UnsupportedAddressTypeException();
        }
        remote = to;
        state = State.CONNECTING;
        attach(runner.connect(to.nid(), to.locators(), to.port(), events));
        connectPromise = promise;
      } catch (Throwable cause) {
        promise.tryFailure(cause);
        closeIfNeverConnected();
        return;
      }
      armConnectTimeout();
      promise.addListener(
          f -> {
            if (f.isCancelled()) {
              connectPromise = null;
              close(voidPromise());
            }
          });
      runner.wake();
    }

    private void closeIfNeverConnected() {
      if (connection == null && state == State.CONNECTING) {
        close(voidPromise());
      }
    }

    private void armConnectTimeout() {
      int millis = config.getConnectTimeoutMillis();
      if (millis <= 0) {
        return;
      }
      connectTimeout =
          eventLoop()
              .schedule(
                  () -> {
                    connectTimeout = null;
                    if (state == State.CONNECTING) {
                      endConnecting(
                          new ConnectTimeoutException(
                              "no answer within " + millis + " ms: " + remote));
                      close(voidPromise());
                    }
                  },
                  millis,
                  TimeUnit.MILLISECONDS);
    }
  }
}

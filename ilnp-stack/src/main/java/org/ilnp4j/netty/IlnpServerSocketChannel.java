package org.ilnp4j.netty;

import io.netty.channel.AbstractServerChannel;
import io.netty.channel.ChannelConfig;
import io.netty.channel.ChannelOption;
import io.netty.channel.DefaultChannelConfig;
import io.netty.channel.EventLoop;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.channel.ServerChannelRecvByteBufAllocator;
import java.io.IOException;
import java.net.SocketAddress;
import java.nio.channels.UnsupportedAddressTypeException;
import java.util.ArrayDeque;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import org.ilnp4j.tcp.TcpCloseReason;
import org.ilnp4j.tcp.TcpConnection;
import org.ilnp4j.tcp.TcpHandler;
import org.ilnp4j.tcp.TcpPending;

/**
 * Listens at one port of a host. Usually a SYN is answered at once and the child channel appears
 * when the handshake is complete. With {@link #DEFER_ACCEPT} the child appears with the SYN, not
 * active yet: its handlers call {@link IlnpSocketChannel#accept} or close it, so that a caller
 * learns that what stands behind the port is down.
 *
 * <p>Bind it to {@link IlnpSocketAddress#ofPort}; the child group is the host's own loop.
 */
public final class IlnpServerSocketChannel extends AbstractServerChannel {
  /** Show children at their SYN and let them decide. */
  public static final ChannelOption<Boolean> DEFER_ACCEPT =
      ChannelOption.valueOf(IlnpServerSocketChannel.class, "DEFER_ACCEPT");

  private enum State {
    OPEN,
    LISTENING,
    CLOSED
  }

  private final HostRunner runner;
  private final Config config = new Config(this);
  private final Queue<IlnpSocketChannel> ready = new ArrayDeque<>();
  private final Set<Handshake> handshakes = new LinkedHashSet<>();

  private volatile State state = State.OPEN;
  private volatile IlnpSocketAddress local;
  private HostRunner.Listening listening;
  private boolean readPending;
  private boolean reading;

  public IlnpServerSocketChannel(HostRunner runner) {
    this.runner = runner;
  }

  @Override
  public ChannelConfig config() {
    return config;
  }

  @Override
  public boolean isOpen() {
    return state != State.CLOSED;
  }

  @Override
  public boolean isActive() {
    return state == State.LISTENING;
  }

  @Override
  protected boolean isCompatible(EventLoop loop) {
    return loop == runner.eventLoop();
  }

  @Override
  protected SocketAddress localAddress0() {
    return local;
  }

  @Override
  protected void doBind(SocketAddress localAddress) throws IOException {
    if (!(localAddress instanceof IlnpSocketAddress to)) {
      throw new UnsupportedAddressTypeException();
    }
    listening = runner.listen(to.port(), this::onSyn);
    local = to;
    state = State.LISTENING;
  }

  @Override
  protected void doClose() {
    state = State.CLOSED;
    if (listening != null) {
      listening.close();
      listening = null;
    }
    for (Handshake h : Set.copyOf(handshakes)) {
      h.connection.abort(runner.now());
    }
    handshakes.clear();
    for (IlnpSocketChannel child; (child = ready.poll()) != null; ) {
      child.config().setSoLinger(0);
      child.unsafe().closeForcibly();
    }
    runner.wake();
  }

  @Override
  protected void doBeginRead() {
    readPending = true;
    if (!ready.isEmpty() && !reading) {
      eventLoop().execute(this::passOnChildren);
    }
  }

  private void onSyn(long nowNanos, TcpPending pending) {
    if (ready.size() >= config.backlog) { // how many are half open is TCP's affair
      pending.refuse(nowNanos);
    } else if (config.deferAccept) {
      ready.add(new IlnpSocketChannel(this, runner, pending));
      passOnChildren();
    } else {
      Handshake h = new Handshake();
      h.connection = pending.accept(nowNanos, h);
      if (h.connection != null) {
        handshakes.add(h);
      }
    }
    runner.wake();
  }

  private void passOnChildren() {
    if (!readPending || reading || ready.isEmpty() || !isActive()) {
      return;
    }
    readPending = false;
    reading = true;
    RecvByteBufAllocator.Handle handle = unsafe().recvBufAllocHandle();
    handle.reset(config);
    try {
      do {
        IlnpSocketChannel child = ready.remove();
        handle.incMessagesRead(1);
        if (child.isOpen()) { // else it was reset while it waited
          pipeline().fireChannelRead(child);
        }
      } while (!ready.isEmpty() && handle.continueReading());
    } finally {
      reading = false;
    }
    handle.readComplete();
    pipeline().fireChannelReadComplete();
  }

  /** A connection on its way to being established. */
  private final class Handshake implements TcpHandler {
    private TcpConnection connection;

    @Override
    public void onConnected(long nowNanos, TcpConnection c) {
      handshakes.remove(this);
      ready.add(new IlnpSocketChannel(IlnpServerSocketChannel.this, runner, c));
      passOnChildren();
    }

    @Override
    public void onReadable(long nowNanos, TcpConnection c) {}

    @Override
    public void onWritable(long nowNanos, TcpConnection c) {}

    @Override
    public void onClosed(long nowNanos, TcpConnection c, TcpCloseReason reason) {
      handshakes.remove(this);
    }
  }

  /** {@code SO_BACKLOG}: children not taken over yet; {@link #DEFER_ACCEPT}. */
  private static final class Config extends DefaultChannelConfig {
    private volatile int backlog = 1024;
    private volatile boolean deferAccept;

    Config(IlnpServerSocketChannel channel) {
      super(channel, new ServerChannelRecvByteBufAllocator());
    }

    @Override
    public Map<ChannelOption<?>, Object> getOptions() {
      return getOptions(super.getOptions(), ChannelOption.SO_BACKLOG, DEFER_ACCEPT);
    }

    @Override
    @SuppressWarnings("unchecked")
    public <T> T getOption(ChannelOption<T> option) {
      if (option == ChannelOption.SO_BACKLOG) {
        return (T) Integer.valueOf(backlog);
      }
      if (option == DEFER_ACCEPT) {
        return (T) Boolean.valueOf(deferAccept);
      }
      return super.getOption(option);
    }

    @Override
    public <T> boolean setOption(ChannelOption<T> option, T value) {
      validate(option, value);
      if (option == ChannelOption.SO_BACKLOG) {
        backlog = (Integer) value;
      } else if (option == DEFER_ACCEPT) {
        deferAccept = (Boolean) value;
      } else {
        return super.setOption(option, value);
      }
      return true;
    }
  }
}

package org.ilnp4j.netty;

import static io.netty.channel.ChannelOption.ALLOW_HALF_CLOSURE;
import static io.netty.channel.ChannelOption.IP_TOS;
import static io.netty.channel.ChannelOption.SO_KEEPALIVE;
import static io.netty.channel.ChannelOption.SO_LINGER;
import static io.netty.channel.ChannelOption.TCP_NODELAY;

import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelOption;
import io.netty.channel.DefaultChannelConfig;
import io.netty.channel.FixedRecvByteBufAllocator;
import io.netty.channel.MessageSizeEstimator;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.socket.DuplexChannelConfig;
import java.util.Map;

/**
 * Options of an {@link IlnpSocketChannel}: {@code TCP_NODELAY} (on, as in Netty's other channels),
 * {@code SO_KEEPALIVE} (off; see {@link HostRunner#keepAliveNanos}), {@code SO_LINGER} (only 0
 * counts: closing sends RST), {@code IP_TOS} (the traffic class, 0), {@code ALLOW_HALF_CLOSURE}
 * (off) and the general ones. Setting is thread-safe.
 */
public final class IlnpSocketChannelConfig extends DefaultChannelConfig
    implements DuplexChannelConfig {
  /** Octets taken from a connection at once, and so the largest message a pipeline sees. */
  static final int MAX_READ_BYTES = 64 << 10;

  private final IlnpSocketChannel channel;
  private volatile boolean tcpNoDelay = true;
  private volatile boolean keepAlive;
  private volatile int soLinger = -1;
  private volatile boolean allowHalfClosure;
  private volatile int trafficClass;

  IlnpSocketChannelConfig(IlnpSocketChannel channel) {
    super(channel, new FixedRecvByteBufAllocator(MAX_READ_BYTES));
    this.channel = channel;
  }

  public boolean isTcpNoDelay() {
    return tcpNoDelay;
  }

  public IlnpSocketChannelConfig setTcpNoDelay(boolean on) {
    tcpNoDelay = on;
    channel.optionsChanged();
    return this;
  }

  public boolean isKeepAlive() {
    return keepAlive;
  }

  public IlnpSocketChannelConfig setKeepAlive(boolean on) {
    keepAlive = on;
    channel.optionsChanged();
    return this;
  }

  /** 0 to 255; the lower two bits are left to ECN. */
  public int getTrafficClass() {
    return trafficClass;
  }

  public IlnpSocketChannelConfig setTrafficClass(int newTrafficClass) {
    trafficClass = newTrafficClass;
    channel.optionsChanged();
    return this;
  }

  /** Seconds, -1 for off. */
  public int getSoLinger() {
    return soLinger;
  }

  public IlnpSocketChannelConfig setSoLinger(int seconds) {
    soLinger = seconds;
    return this;
  }

  @Override
  public boolean isAllowHalfClosure() {
    return allowHalfClosure;
  }

  @Override
  public IlnpSocketChannelConfig setAllowHalfClosure(boolean allow) {
    allowHalfClosure = allow;
    return this;
  }

  @Override
  public Map<ChannelOption<?>, Object> getOptions() {
    return getOptions(
        super.getOptions(), TCP_NODELAY, SO_KEEPALIVE, SO_LINGER, IP_TOS, ALLOW_HALF_CLOSURE);
  }

  @Override
  @SuppressWarnings("unchecked")
  public <T> T getOption(ChannelOption<T> option) {
    if (option == TCP_NODELAY) {
      return (T) Boolean.valueOf(tcpNoDelay);
    }
    if (option == SO_KEEPALIVE) {
      return (T) Boolean.valueOf(keepAlive);
    }
    if (option == SO_LINGER) {
      return (T) Integer.valueOf(soLinger);
    }
    if (option == IP_TOS) {
      return (T) Integer.valueOf(trafficClass);
    }
    if (option == ALLOW_HALF_CLOSURE) {
      return (T) Boolean.valueOf(allowHalfClosure);
    }
    return super.getOption(option);
  }

  @Override
  public <T> boolean setOption(ChannelOption<T> option, T value) {
    validate(option, value);
    if (option == TCP_NODELAY) {
      setTcpNoDelay((Boolean) value);
    } else if (option == SO_KEEPALIVE) {
      setKeepAlive((Boolean) value);
    } else if (option == SO_LINGER) {
      setSoLinger((Integer) value);
    } else if (option == IP_TOS) {
      setTrafficClass((Integer) value);
    } else if (option == ALLOW_HALF_CLOSURE) {
      setAllowHalfClosure((Boolean) value);
    } else {
      return super.setOption(option, value);
    }
    return true;
  }

  @Override
  protected void autoReadCleared() {
    channel.autoReadCleared();
  }

  @Override
  public IlnpSocketChannelConfig setConnectTimeoutMillis(int millis) {
    super.setConnectTimeoutMillis(millis);
    return this;
  }

  @Override
  @Deprecated
  public IlnpSocketChannelConfig setMaxMessagesPerRead(int n) {
    super.setMaxMessagesPerRead(n);
    return this;
  }

  @Override
  public IlnpSocketChannelConfig setWriteSpinCount(int n) {
    super.setWriteSpinCount(n);
    return this;
  }

  @Override
  public IlnpSocketChannelConfig setAllocator(ByteBufAllocator allocator) {
    super.setAllocator(allocator);
    return this;
  }

  @Override
  public IlnpSocketChannelConfig setRecvByteBufAllocator(RecvByteBufAllocator allocator) {
    super.setRecvByteBufAllocator(allocator);
    return this;
  }

  @Override
  public IlnpSocketChannelConfig setAutoRead(boolean autoRead) {
    super.setAutoRead(autoRead);
    return this;
  }

  @Override
  public IlnpSocketChannelConfig setAutoClose(boolean autoClose) {
    super.setAutoClose(autoClose);
    return this;
  }

  @Override
  public IlnpSocketChannelConfig setMessageSizeEstimator(MessageSizeEstimator estimator) {
    super.setMessageSizeEstimator(estimator);
    return this;
  }

  @Override
  public IlnpSocketChannelConfig setWriteBufferWaterMark(WriteBufferWaterMark waterMark) {
    super.setWriteBufferWaterMark(waterMark);
    return this;
  }
}

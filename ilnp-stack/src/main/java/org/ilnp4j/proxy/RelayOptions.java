package org.ilnp4j.proxy;

import io.netty.bootstrap.AbstractBootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.ChannelOption;
import io.netty.channel.MessageSizeEstimator;
import io.netty.channel.WriteBufferWaterMark;
import java.util.Map;

/**
 * The options of every channel that takes part in a relay, on both sides: nothing is read until the
 * relay says so, a FIN does not close the channel, the relay stops reading one channel when the
 * other holds {@code highWaterBytes} of unsent data, and a silent end is asked whether it is still
 * there: an idle relay is never cut, but one whose node is gone must not stay for ever.
 *
 * @param lowWaterBytes reading goes on below this many octets of unsent data
 * @param highWaterBytes reading stops above this; with one read buffer more, what a slow reader can
 *     make a relay hold in each direction, beside the buffers of the connections
 */
public record RelayOptions(ByteBufAllocator allocator, int lowWaterBytes, int highWaterBytes) {
  /** Pooled buffers and enough in flight that neither side waits for the other. */
  public static final RelayOptions DEFAULT =
      new RelayOptions(PooledByteBufAllocator.DEFAULT, 128 << 10, 512 << 10);

  /** Counts the memory a message holds, not its octets: a read may fill its buffer in part only. */
  private static final MessageSizeEstimator.Handle MEMORY =
      msg -> msg instanceof ByteBuf buf ? buf.capacity() : 0;

  private static final MessageSizeEstimator ESTIMATOR = () -> MEMORY;

  private Map<ChannelOption<?>, Object> options() {
    return Map.of(
        ChannelOption.ALLOCATOR,
        allocator,
        ChannelOption.AUTO_READ,
        false,
        ChannelOption.ALLOW_HALF_CLOSURE,
        true,
        ChannelOption.TCP_NODELAY,
        true,
        ChannelOption.SO_KEEPALIVE,
        true,
        ChannelOption.MESSAGE_SIZE_ESTIMATOR,
        ESTIMATOR,
        ChannelOption.WRITE_BUFFER_WATER_MARK,
        new WriteBufferWaterMark(lowWaterBytes, highWaterBytes));
  }

  <B extends AbstractBootstrap<B, ?>> B apply(B bootstrap) {
    options().forEach((option, value) -> set(bootstrap, option, value));
    return bootstrap;
  }

  ServerBootstrap applyToChildren(ServerBootstrap bootstrap) {
    options().forEach((option, value) -> setChild(bootstrap, option, value));
    return bootstrap;
  }

  @SuppressWarnings("unchecked")
  private static <T> void set(AbstractBootstrap<?, ?> b, ChannelOption<T> option, Object value) {
    b.option(option, (T) value);
  }

  @SuppressWarnings("unchecked")
  private static <T> void setChild(ServerBootstrap b, ChannelOption<T> option, Object value) {
    b.childOption(option, (T) value);
  }
}

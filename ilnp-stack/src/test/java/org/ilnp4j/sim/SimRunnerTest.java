package org.ilnp4j.sim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.channel.embedded.EmbeddedChannel;
import java.io.IOException;
import java.net.BindException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.ilnp4j.mobility.MobilityObserver;
import org.ilnp4j.netty.NoLocatorException;
import org.ilnp4j.tcp.TcpCloseReason;
import org.ilnp4j.tcp.TcpConnection;
import org.ilnp4j.tcp.TcpHandler;
import org.ilnp4j.time.ManualClock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Two hosts of one network on an event loop whose time is moved by hand. */
class SimRunnerTest extends SimTestBase {
  private static final List<Long> CORRESPONDENT = List.of(EmbeddedNetwork.CORRESPONDENT_L64);

  private final EmbeddedChannel channel = new EmbeddedChannel();
  private final ManualClock clock = new ManualClock();
  private final List<String> events = new ArrayList<>();
  private SimRunner mobile;
  private SimRunner correspondent;
  private RealTimeDriver driver;

  private final TcpHandler echo =
      new TcpHandler() {
        @Override
        public void onConnected(long nowNanos, TcpConnection c) {}

        @Override
        public void onReadable(long nowNanos, TcpConnection c) {
          ByteBuf data;
          while ((data = c.read(nowNanos, 1000)) != null) {
            c.send(nowNanos, data);
          }
          if (c.isEndOfStream()) {
            c.close(nowNanos);
          }
        }

        @Override
        public void onWritable(long nowNanos, TcpConnection c) {}

        @Override
        public void onClosed(long nowNanos, TcpConnection c, TcpCloseReason reason) {
          events.add("server " + reason);
        }
      };

  private final TcpHandler client =
      new TcpHandler() {
        @Override
        public void onConnected(long nowNanos, TcpConnection c) {
          events.add("connected");
        }

        @Override
        public void onReadable(long nowNanos, TcpConnection c) {
          ByteBuf data = c.read(nowNanos, 1000);
          if (data != null) {
            events.add("read " + data.readableBytes());
            data.release();
          }
        }

        @Override
        public void onWritable(long nowNanos, TcpConnection c) {}

        @Override
        public void onClosed(long nowNanos, TcpConnection c, TcpCloseReason reason) {
          events.add("client " + reason);
        }
      };

  @BeforeEach
  void start() {
    channel.freezeTime();
    EmbeddedNetwork scene =
        new EmbeddedNetwork(network, EmbeddedNetwork.Scene.DEFAULT, MobilityObserver.NONE);
    driver = new RealTimeDriver(network, channel.eventLoop(), clock);
    mobile = new SimRunner(channel.eventLoop(), driver, scene.mobile());
    correspondent = new SimRunner(channel.eventLoop(), driver, scene.correspondent());
  }

  @AfterEach
  void stop() {
    driver.close();
    channel.finishAndReleaseAll();
  }

  private void pass(long nanos) {
    for (long t = 0; t < nanos; t += RealTimeDriver.TICK_NANOS) {
      channel.advanceTimeBy(RealTimeDriver.TICK_NANOS, TimeUnit.NANOSECONDS);
      clock.advance(RealTimeDriver.TICK_NANOS);
      channel.runPendingTasks();
    }
  }

  @Test
  void shouldConnectExchangeAndCloseInRealTime() throws IOException {
    mobile.wake();
    pass(50 * MS);
    correspondent.listen(7, (now, pending) -> pending.accept(now, echo));
    TcpConnection c = mobile.connect(EmbeddedNetwork.CORRESPONDENT_NID, CORRESPONDENT, 7, client);
    pass(3 * MS);
    assertThat(events).isEmpty();
    pass(2 * MS);
    assertThat(events).containsExactly("connected");
    c.send(mobile.now(), buffers.allocator().directBuffer().writeZero(300));
    mobile.wake();
    pass(5 * MS);
    assertThat(events).containsExactly("connected", "read 300");
    c.close(mobile.now());
    mobile.wake();
    pass(20 * MS);
    assertThat(events)
        .containsExactlyInAnyOrder("connected", "read 300", "client NORMAL", "server NORMAL");
    assertThat(mobile.eventLoop()).isSameAs(channel.eventLoop());
  }

  @Test
  void shouldSayWhenThereIsNoLocatorOrThePortIsTaken() throws IOException {
    assertThatThrownBy(
            () -> mobile.connect(EmbeddedNetwork.CORRESPONDENT_NID, CORRESPONDENT, 7, client))
        .isInstanceOf(NoLocatorException.class)
        .hasMessageContaining("no uplink is up");
    var listening = correspondent.listen(7, (now, pending) -> pending.accept(now, echo));
    assertThatThrownBy(() -> correspondent.listen(7, (now, pending) -> {}))
        .isInstanceOf(BindException.class);
    listening.close();
    correspondent.listen(7, (now, pending) -> {}).close();
  }
}

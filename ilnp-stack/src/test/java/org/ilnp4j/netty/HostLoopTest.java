package org.ilnp4j.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.ManualIoEventLoop;
import io.netty.channel.local.LocalIoHandler;
import io.netty.util.concurrent.MockTicker;
import io.netty.util.concurrent.Ticker;
import java.io.IOException;
import java.net.BindException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.ilnp4j.tcp.TcpCloseReason;
import org.ilnp4j.tcp.TcpConfig;
import org.ilnp4j.tcp.TcpConnection;
import org.ilnp4j.tcp.TcpHandler;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Hosts on a loop in virtual time. */
class HostLoopTest {
  private static final int PORT = 80;

  private final MockTicker time = Ticker.newMockTicker();
  private final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true);
  private final List<String> events = new ArrayList<>();
  private ManualIoEventLoop loop;
  private TwoHosts hosts;

  /** Writes down what happens, with the second it happens in. */
  private class Noting implements TcpHandler {
    private final String name;

    Noting(String name) {
      this.name = name;
    }

    private void note(String event) {
      events.add(TimeUnit.NANOSECONDS.toSeconds(time.nanoTime()) + " " + name + " " + event);
    }

    @Override
    public void onConnected(long nowNanos, TcpConnection connection) {
      note("connected");
    }

    @Override
    public void onReadable(long nowNanos, TcpConnection connection) {
      note("readable " + connection.readableBytes());
    }

    @Override
    public void onWritable(long nowNanos, TcpConnection connection) {}

    @Override
    public void onClosed(long nowNanos, TcpConnection connection, TcpCloseReason reason) {
      note(reason.toString());
    }
  }

  @BeforeEach
  void setUp() {
    loop = new ManualIoEventLoop(null, Thread.currentThread(), LocalIoHandler.newFactory(), time);
    hosts = new TwoHosts(loop, time::nanoTime, allocator, TcpConfig.DEFAULT, 7);
    hosts.linksUp();
    run();
  }

  @AfterEach
  void shouldLeaveNothingBehind() {
    hosts.close();
    run();
    time.advance(1, TimeUnit.DAYS);
    assertThat(loop.runNow()).as("timers left behind").isZero();
    assertThat(hosts.a().host().armedTimers()).isZero();
    assertThat(hosts.b().host().armedTimers()).isZero();
    assertThat(allocator.metric().usedDirectMemory()).isZero();
    assertThat(allocator.metric().usedHeapMemory()).isZero();
  }

  private void run() {
    while (loop.runNow() > 0) {
      // until nothing is left to do at this time
    }
  }

  /** Lets time pass in steps of 10 ms. */
  private void pass(int seconds) {
    for (int i = 0; i < seconds * 100; i++) {
      time.advance(10, TimeUnit.MILLISECONDS);
      run();
    }
  }

  private TcpConnection connect() throws IOException {
    return hosts.a().connect(TwoHosts.NID_B, List.of(TwoHosts.L64_B), PORT, new Noting("a"));
  }

  @Test
  void shouldTakeTheIdleTimeBeforeKeepAlivesFromTheConfiguration() {
    TcpConfig config = TcpConfig.DEFAULT.withKeepAlive(TimeUnit.MINUTES.toNanos(5));
    TwoHosts others = new TwoHosts(loop, time::nanoTime, allocator, config, 8);
    assertThat(others.a().keepAliveNanos()).isEqualTo(TimeUnit.MINUTES.toNanos(5));
    others.close();
  }

  @Test
  void shouldEndTurnWithoutBeingAskedAgain() throws IOException {
    hosts.b().listen(PORT, (now, pending) -> pending.accept(now, new Noting("b")));

    TcpConnection c = connect();
    c.send(hosts.a().now(), Unpooled.wrappedBuffer(new byte[5]));
    run();

    assertThat(events).containsExactly("0 a connected", "0 b connected", "0 b readable 5");
  }

  @Test
  void shouldRetransmitWhenTimersAreDue() throws IOException {
    hosts.cut();
    long before = hosts.packets();
    connect();
    run();
    assertThat(hosts.packets() - before).isOne();

    time.advance(999, TimeUnit.MILLISECONDS);
    run();
    assertThat(hosts.packets() - before).isOne();

    pass(3);
    assertThat(hosts.packets() - before).isGreaterThan(2);
  }

  @Test
  void shouldKeepOneReadingOfTheClockWithinATurn() {
    HostLoop a = hosts.a();
    long now = a.now();
    time.advance(5, TimeUnit.MILLISECONDS);
    assertThat(a.now()).isEqualTo(now);

    a.endTurn();

    assertThat(a.now()).isEqualTo(now + TimeUnit.MILLISECONDS.toNanos(5));
  }

  @Test
  void shouldGoOnAfterCallbackThatThrows() throws IOException {
    hosts.b().listen(PORT, (now, pending) -> pending.accept(now, new Noting("b")));
    hosts
        .a()
        .connect(
            TwoHosts.NID_B,
            List.of(TwoHosts.L64_B),
            PORT,
            new Noting("bad") {
              @Override
              public void onConnected(long nowNanos, TcpConnection connection) {
                throw new IllegalStateException("a mistake in a handler");
              }
            });
    run();

    connect();
    run();

    assertThat(events).contains("0 a connected");
  }

  @Test
  void shouldSayThatThereIsNoLocator() {
    hosts.link(hosts.a(), "a1", false);
    hosts.link(hosts.a(), "a2", false);
    run();
    pass(5);

    assertThatThrownBy(this::connect)
        .isInstanceOf(NoLocatorException.class)
        .hasMessageContaining("this node has no Locator");
  }

  @Test
  void shouldSayThatPortIsInUse() throws IOException {
    HostRunner.Listening first = hosts.b().listen(PORT, (now, pending) -> {});

    assertThatThrownBy(() -> hosts.b().listen(PORT, (now, pending) -> {}))
        .isInstanceOf(BindException.class)
        .hasMessage("port 80 in use");

    first.close();
    hosts.b().listen(PORT, (now, pending) -> {}).close();
  }

  @Test
  void shouldTellUsersWhenItCloses() throws IOException {
    hosts.b().listen(PORT, (now, pending) -> pending.accept(now, new Noting("b")));
    connect();
    run();
    events.clear();

    hosts.a().close();
    run();

    assertThat(events).containsExactly("0 a ABORTED", "0 b RESET");
  }
}

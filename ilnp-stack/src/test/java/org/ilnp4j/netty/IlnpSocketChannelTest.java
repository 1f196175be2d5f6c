package org.ilnp4j.netty;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.ConnectTimeoutException;
import io.netty.channel.ManualIoEventLoop;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.local.LocalIoHandler;
import io.netty.util.ResourceLeakDetector;
import io.netty.util.concurrent.MockTicker;
import io.netty.util.concurrent.Ticker;
import java.net.BindException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.NoRouteToHostException;
import java.nio.channels.AlreadyConnectedException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.UnsupportedAddressTypeException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.ilnp4j.tcp.TcpCloseReason;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Channels against Netty's contract, on a loop in virtual time that the test itself turns. */
class IlnpSocketChannelTest {
  private static final int PORT = 80;

  private final MockTicker time = Ticker.newMockTicker();
  private final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true);
  private final List<Channel> channels = new ArrayList<>();
  private ManualIoEventLoop loop;
  private FakeNetwork network;
  private FakeNetwork.Node client;
  private FakeNetwork.Node server;

  private final Recorder near = new Recorder();
  private final Recorder far = new Recorder();
  private IlnpSocketChannel nearChannel;
  private IlnpSocketChannel farChannel;

  @BeforeAll
  static void watchForLeaks() {
    ResourceLeakDetector.setLevel(ResourceLeakDetector.Level.PARANOID);
  }

  @BeforeEach
  void setUp() {
    loop = new ManualIoEventLoop(null, Thread.currentThread(), LocalIoHandler.newFactory(), time);
    network = new FakeNetwork(loop, time::nanoTime);
    client = network.node(1);
    server = network.node(2);
  }

  @AfterEach
  void shouldLeaveNothingBehind() {
    channels.forEach(c -> c.close());
    run();
    assertThat(network.openConnections()).isZero();
    assertThat(server.isListening(PORT)).isFalse();
    assertThat(allocator.metric().usedDirectMemory()).isZero();
    assertThat(allocator.metric().usedHeapMemory()).isZero();
    time.advance(1, TimeUnit.DAYS);
    assertThat(loop.runNow()).as("timers left behind").isZero();
  }

  private void run() {
    while (loop.runNow() > 0) {
      // until nothing is left to do at this time
    }
  }

  private Channel listen(boolean deferAccept) {
    ChannelFuture bound =
        new ServerBootstrap()
            .group(loop)
            .channelFactory(() -> new IlnpServerSocketChannel(server))
            .option(IlnpServerSocketChannel.DEFER_ACCEPT, deferAccept)
            .childOption(ChannelOption.ALLOW_HALF_CLOSURE, true)
            .childHandler(
                new ChannelInitializer<IlnpSocketChannel>() {
                  @Override
                  protected void initChannel(IlnpSocketChannel ch) {
                    farChannel = ch;
                    channels.add(ch);
                    ch.pipeline().addLast(far);
                  }
                })
            .bind(IlnpSocketAddress.ofPort(PORT));
    channels.add(bound.channel());
    run();
    assertThat(bound.isSuccess()).isTrue();
    return bound.channel();
  }

  private Bootstrap bootstrap() {
    return new Bootstrap()
        .group(loop)
        .channelFactory(() -> new IlnpSocketChannel(client))
        .option(ChannelOption.ALLOW_HALF_CLOSURE, true)
        .handler(near);
  }

  private ChannelFuture connect(Bootstrap bootstrap) {
    ChannelFuture f = bootstrap.connect(server.port(PORT));
    nearChannel = (IlnpSocketChannel) f.channel();
    channels.add(nearChannel);
    run();
    return f;
  }

  private void connected() {
    listen(false);
    assertThat(connect(bootstrap()).isSuccess()).isTrue();
  }

  private ByteBuf octets(int n) {
    return allocator.directBuffer(n).writeZero(n);
  }

  private static ByteBuf text(String s) {
    return Unpooled.copiedBuffer(s, US_ASCII);
  }

  // Opening

  @Test
  void shouldBecomeActiveOnBothSidesWhenConnected() {
    connected();

    assertThat(near.events()).containsExactly("active");
    assertThat(far.events()).containsExactly("active");
    assertThat(nearChannel.remoteAddress()).isEqualTo(server.port(PORT));
    assertThat(nearChannel.remoteAddress()).hasToString("node2/[0:0:0:2]:80");
    assertThat(farChannel.remoteAddress()).isEqualTo(nearChannel.localAddress());
    assertThat(farChannel.localAddress()).isEqualTo(server.port(PORT));
  }

  @Test
  void shouldFailConnectWithReasonWhenRefused() {
    ChannelFuture f = connect(bootstrap());

    assertThat(f.cause())
        .isExactlyInstanceOf(ConnectException.class)
        .hasMessage("Connection refused: node2/[0:0:0:2]:80");
    assertThat(nearChannel.closeFuture().isDone()).isTrue();
    assertThat(near.events()).containsExactly("unregistered");
  }

  @Test
  void shouldFailConnectWhenUnreachable() {
    server.failure(TcpCloseReason.UNREACHABLE);

    assertThat(connect(bootstrap()).cause()).isInstanceOf(NoRouteToHostException.class);
  }

  @Test
  void shouldFailConnectWhenEngineGivesUp() {
    server.failure(TcpCloseReason.TIMED_OUT);

    assertThat(connect(bootstrap()).cause()).isInstanceOf(ConnectTimeoutException.class);
  }

  @Test
  void shouldFailConnectWithoutLocator() {
    client.detached();

    assertThat(connect(bootstrap()).cause()).isInstanceOf(NoLocatorException.class);
    assertThat(nearChannel.closeFuture().isDone()).isTrue();
  }

  @Test
  void shouldFailConnectAfterConnectTimeout() {
    server.silent();
    ChannelFuture f = connect(bootstrap().option(ChannelOption.CONNECT_TIMEOUT_MILLIS, 5000));

    time.advance(4999, TimeUnit.MILLISECONDS);
    run();
    assertThat(f.isDone()).isFalse();

    time.advance(1, TimeUnit.MILLISECONDS);
    run();
    assertThat(f.cause())
        .isInstanceOf(ConnectTimeoutException.class)
        .hasMessage("no answer within 5000 ms: node2/[0:0:0:2]:80");
    assertThat(nearChannel.isOpen()).isFalse();
    assertThat(network.openConnections()).isZero();
  }

  @Test
  void shouldForgetConnectTimeoutOnceConnected() {
    listen(false);
    connect(bootstrap().option(ChannelOption.CONNECT_TIMEOUT_MILLIS, 5000));

    time.advance(1, TimeUnit.HOURS);
    run();

    assertThat(nearChannel.isActive()).isTrue();
  }

  @Test
  void shouldAbortHandshakeWhenConnectIsCancelled() {
    server.silent();
    ChannelFuture f = connect(bootstrap());
    assertThat(network.openConnections()).isOne();

    f.cancel(false);
    run();

    assertThat(f.isCancelled()).isTrue();
    assertThat(nearChannel.isOpen()).isFalse();
    assertThat(network.openConnections()).isZero();
  }

  @Test
  void shouldFailConnectPromiseWhenClosedMeanwhile() {
    server.silent();
    ChannelFuture f = connect(bootstrap());

    nearChannel.close();
    run();

    assertThat(f.cause()).isInstanceOf(ClosedChannelException.class);
  }

  @Test
  void shouldRefuseSecondConnectAndForeignAddresses() {
    connected();

    ChannelFuture again = nearChannel.connect(server.port(PORT));
    ChannelFuture foreign =
        bootstrap().handler(new Recorder()).connect(new InetSocketAddress("127.0.0.1", PORT));
    run();

    assertThat(again.cause()).isInstanceOf(AlreadyConnectedException.class);
    assertThat(foreign.cause()).isInstanceOf(UnsupportedAddressTypeException.class);
    assertThat(nearChannel.isActive()).isTrue();
  }

  @Test
  void shouldFailBindWhenPortIsInUse() {
    listen(false);

    ChannelFuture second =
        new ServerBootstrap()
            .group(loop)
            .channelFactory(() -> new IlnpServerSocketChannel(server))
            .childHandler(new Recorder())
            .bind(IlnpSocketAddress.ofPort(PORT));
    run();

    assertThat(second.cause()).isInstanceOf(BindException.class);
  }

  // Deferred accept

  @Test
  void shouldLeaveCallerWaitingUntilAccepted() {
    listen(true);
    ChannelFuture f = connect(bootstrap());
    assertThat(f.isDone()).isFalse();
    assertThat(farChannel.isActive()).isFalse();
    assertThat(farChannel.remoteAddress().nid()).isEqualTo(client.nid());

    ChannelFuture accepted = farChannel.accept();
    run();

    assertThat(accepted.isSuccess()).isTrue();
    assertThat(f.isSuccess()).isTrue();
    assertThat(far.events()).containsExactly("active");
  }

  @Test
  void shouldRefuseCallerWhenOfferedChannelIsClosed() {
    listen(true);
    ChannelFuture f = connect(bootstrap());

    farChannel.close();
    run();

    assertThat(f.cause()).hasMessageStartingWith("Connection refused");
    assertThat(far.events()).containsExactly("unregistered");
  }

  @Test
  void shouldFailAcceptWhenCallerHasGone() {
    listen(true);
    connect(bootstrap());
    nearChannel.close();
    run();

    ChannelFuture accepted = farChannel.accept();
    run();

    assertThat(accepted.cause()).hasMessage("Connection reset");
    assertThat(farChannel.isOpen()).isFalse();
    assertThat(farChannel.accept().cause()).isInstanceOf(ClosedChannelException.class);
  }

  // Reading

  @Test
  void shouldLeaveDataInConnectionUntilRead() {
    connected();
    farChannel.config().setAutoRead(false);

    nearChannel.writeAndFlush(text("one"));
    run();
    assertThat(far.text()).isEmpty();
    assertThat(server.connection().readableBytes()).isEqualTo(3);

    farChannel.read();
    run();
    assertThat(far.text()).isEqualTo("one");

    nearChannel.writeAndFlush(text("two"));
    run();
    assertThat(far.text()).isEqualTo("one");
  }

  @Test
  void shouldServeReadThatWasAskedForBeforeDataCame() {
    connected();
    farChannel.config().setAutoRead(false);
    farChannel.read();
    run();

    nearChannel.writeAndFlush(text("one"));
    run();
    nearChannel.writeAndFlush(text("two"));
    run();

    assertThat(far.text()).isEqualTo("one");
  }

  @Test
  void shouldStopSenderWhenNobodyReads() {
    network.bufferBytes(1000);
    listen(false);
    connect(
        bootstrap()
            .option(ChannelOption.WRITE_BUFFER_WATER_MARK, new WriteBufferWaterMark(400, 800)));
    farChannel.config().setAutoRead(false);

    ChannelFuture first = nearChannel.writeAndFlush(octets(1500));
    ChannelFuture second = nearChannel.writeAndFlush(octets(1000));
    ChannelFuture third = nearChannel.writeAndFlush(octets(1000));
    run();

    assertThat(network.receivedBytes()).isEqualTo(1000);
    assertThat(first.isSuccess()).isTrue();
    assertThat(second.isDone()).isFalse();
    assertThat(nearChannel.isWritable()).isFalse();
    assertThat(nearChannel.bytesBeforeWritable()).isPositive();

    farChannel.config().setAutoRead(true);
    run();

    assertThat(far.bytes()).isEqualTo(3500);
    assertThat(third.isSuccess()).isTrue();
    assertThat(near.events()).containsExactly("active", "unwritable", "writable");
  }

  @Test
  void shouldStopReadingWithinBatchWhenAutoReadIsSwitchedOff() {
    connected();
    farChannel.config().setAutoRead(false);
    for (int i = 0; i < 5; i++) {
      nearChannel.writeAndFlush(text("x"));
    }
    run();
    farChannel
        .pipeline()
        .addFirst(
            new ChannelInboundHandlerAdapter() {
              @Override
              public void channelRead(ChannelHandlerContext ctx, Object msg) {
                ctx.channel().config().setAutoRead(false);
                ctx.fireChannelRead(msg);
              }
            });

    farChannel.config().setAutoRead(true);
    run();

    assertThat(far.text()).isEqualTo("x");
  }

  // Half-close

  @Test
  void shouldHalfCloseInEitherDirectionWithDataAfter() {
    connected();

    nearChannel.write(text("request"));
    nearChannel.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(f -> nearChannel.shutdownOutput());
    run();
    assertThat(far.text()).isEqualTo("request");
    assertThat(far.events()).containsExactly("active", "end of input");
    assertThat(near.events()).containsExactly("active", "end of output");
    assertThat(farChannel.isInputShutdown()).isTrue();
    assertThat(nearChannel.isOutputShutdown()).isTrue();
    assertThat(nearChannel.isInputShutdown()).isFalse();

    farChannel.writeAndFlush(text("answer"));
    run();
    assertThat(near.text()).isEqualTo("answer");

    farChannel.shutdownOutput();
    run();
    assertThat(near.events()).containsExactly("active", "end of output", "end of input");
    assertThat(nearChannel.isShutdown()).isTrue();
    assertThat(nearChannel.isOpen()).isTrue();
  }

  @Test
  void shouldCloseAtEndOfInputUnlessHalfClosureIsAllowed() {
    listen(false);
    connect(bootstrap().option(ChannelOption.ALLOW_HALF_CLOSURE, false));

    farChannel.writeAndFlush(text("bye"));
    farChannel.shutdownOutput();
    run();

    assertThat(near.text()).isEqualTo("bye");
    assertThat(near.events()).containsExactly("active", "inactive", "unregistered");
    assertThat(far.events()).containsExactly("active", "end of output", "end of input");
  }

  @Test
  void shouldTellEndOfInputOnlyToReaders() {
    connected();
    farChannel.config().setAutoRead(false);
    nearChannel.writeAndFlush(text("data"));
    nearChannel.shutdownOutput();
    run();
    assertThat(far.events()).containsExactly("active");

    farChannel.config().setAutoRead(true);
    run();

    assertThat(far.text()).isEqualTo("data");
    assertThat(far.events()).containsExactly("active", "end of input");
  }

  @Test
  void shouldKeepUnreadDataWhenBothSidesHaveClosed() {
    connected();
    farChannel.config().setAutoRead(false);
    nearChannel.writeAndFlush(text("last words"));
    nearChannel.shutdownOutput();
    farChannel.shutdownOutput();
    run();
    assertThat(network.openConnections()).isZero();

    farChannel.config().setAutoRead(true);
    run();

    assertThat(far.text()).isEqualTo("last words");
    assertThat(far.events()).containsExactly("active", "end of output", "end of input");
  }

  @Test
  void shouldReleaseUnreadDataWhenClosedAfterTheEnd() {
    connected();
    farChannel.config().setAutoRead(false);
    nearChannel.writeAndFlush(octets(100));
    nearChannel.shutdownOutput();
    farChannel.shutdownOutput();
    run();

    farChannel.close();
    run();

    assertThat(allocator.metric().usedDirectMemory()).isZero();
  }

  @Test
  void shouldDropInputAfterShutdownInput() {
    connected();

    farChannel.shutdownInput();
    nearChannel.writeAndFlush(octets(100));
    run();

    assertThat(far.bytes()).isZero();
    assertThat(server.connection().readableBytes()).isZero();
    farChannel.writeAndFlush(text("still here"));
    run();
    assertThat(near.text()).isEqualTo("still here");
  }

  @Test
  void shouldCompleteShutdownOfBothDirections() {
    connected();

    ChannelFuture f = nearChannel.shutdown();
    run();

    assertThat(f.isSuccess()).isTrue();
    assertThat(nearChannel.isShutdown()).isTrue();
    assertThat(far.events()).containsExactly("active", "end of input");
  }

  // Ends

  @Test
  void shouldDeliverWhatWasWrittenBeforeClose() {
    connected();

    nearChannel.writeAndFlush(octets(5000));
    nearChannel.close();
    run();

    assertThat(far.bytes()).isEqualTo(5000);
    assertThat(far.events()).containsExactly("active", "end of input");
    assertThat(near.events()).containsExactly("active", "inactive", "unregistered");
  }

  @Test
  void shouldFailWritesThatCloseCutsOff() {
    network.bufferBytes(1000);
    connected();
    farChannel.config().setAutoRead(false);
    ChannelFuture cut = nearChannel.writeAndFlush(octets(5000));
    run();

    nearChannel.close();
    ChannelFuture late = nearChannel.writeAndFlush(octets(10));
    run();

    assertThat(cut.cause()).isInstanceOf(ClosedChannelException.class);
    assertThat(late.cause()).isInstanceOf(ClosedChannelException.class);
  }

  @Test
  void shouldSendResetWhenClosedWithoutLinger() {
    connected();
    nearChannel.config().setSoLinger(0);

    nearChannel.close();
    run();

    assertThat(far.events())
        .containsExactly("active", "SocketException: Connection reset", "inactive", "unregistered");
  }

  @Test
  void shouldTellResetEvenWhenNobodyReads() {
    connected();
    farChannel.config().setAutoRead(false);
    nearChannel.writeAndFlush(octets(100));
    run();

    nearChannel.config().setSoLinger(0);
    nearChannel.close();
    run();

    assertThat(far.bytes()).isZero();
    assertThat(far.events())
        .containsExactly("active", "SocketException: Connection reset", "inactive", "unregistered");
  }

  @Test
  void shouldPassOnDataThatCameBeforeTheReset() {
    connected();

    nearChannel.writeAndFlush(octets(100));
    run();
    network.node(1).connection().breakDown(TcpCloseReason.TIMED_OUT);
    run();

    assertThat(far.bytes()).isEqualTo(100);
    assertThat(near.events())
        .containsExactly(
            "active",
            "SocketTimeoutException: Connection timed out: node2/[0:0:0:2]:80",
            "inactive",
            "unregistered");
  }

  @Test
  void shouldFailWritesAfterReset() {
    network.bufferBytes(1000);
    connected();
    farChannel.config().setAutoRead(false);
    ChannelFuture cut = nearChannel.writeAndFlush(octets(5000));
    run();

    farChannel.config().setSoLinger(0);
    farChannel.close();
    run();

    assertThat(cut.cause()).isInstanceOf(ClosedChannelException.class);
    assertThat(near.events()).contains("SocketException: Connection reset", "inactive");
  }

  @Test
  void shouldRefuseMessagesThatAreNotBuffers() {
    connected();

    assertThat(nearChannel.writeAndFlush("text").cause())
        .isInstanceOf(UnsupportedOperationException.class)
        .hasMessage("an ILNP channel takes ByteBufs, not String");
  }

  @Test
  void shouldLeaveCallersTakenOverAloneWhenServerCloses() {
    Channel listener = listen(true);
    listener.config().setAutoRead(false);
    run();
    ChannelFuture f = connect(bootstrap());

    listener.close();
    run();
    // The read asked for before AUTO_READ went off took the first caller; it lives on.
    farChannel.accept();
    run();

    assertThat(f.isSuccess()).isTrue();
  }

  @Test
  void shouldResetCallersThatWaitWhenServerCloses() {
    Channel listener = listen(false);
    listener.config().setAutoRead(false);
    connect(bootstrap());
    ChannelFuture waiting = connect(bootstrap().handler(new Recorder()));
    IlnpSocketChannel second = nearChannel;

    listener.close();
    run();

    assertThat(waiting.isSuccess()).isTrue();
    assertThat(second.isOpen()).isFalse();
  }

  @Test
  void shouldRefuseCallersBeyondBacklog() {
    Channel listener = listen(false);
    listener.config().setOption(ChannelOption.SO_BACKLOG, 1);
    listener.config().setAutoRead(false);
    connect(bootstrap());
    connect(bootstrap().handler(new Recorder()));

    ChannelFuture third = connect(bootstrap().handler(new Recorder()));

    assertThat(third.cause()).hasMessageStartingWith("Connection refused");
  }

  // Options

  @Test
  void shouldPassOptionsToConnection() {
    connected();
    assertThat(client.connection().isNoDelay()).isTrue();

    nearChannel.config().setOption(ChannelOption.TCP_NODELAY, false);
    nearChannel.config().setOption(ChannelOption.SO_KEEPALIVE, true);
    nearChannel.config().setOption(ChannelOption.IP_TOS, 0xb8);

    assertThat(client.connection().isNoDelay()).isFalse();
    assertThat(client.connection().trafficClass()).isEqualTo(0xb8);
    assertThat(client.connection().keepAliveNanos()).isEqualTo(TimeUnit.HOURS.toNanos(2));
    assertThat(nearChannel.config().getOptions())
        .containsEntry(ChannelOption.TCP_NODELAY, false)
        .containsEntry(ChannelOption.SO_KEEPALIVE, true)
        .containsEntry(ChannelOption.SO_LINGER, -1)
        .containsEntry(ChannelOption.IP_TOS, 0xb8)
        .containsEntry(ChannelOption.ALLOW_HALF_CLOSURE, true);
  }
}

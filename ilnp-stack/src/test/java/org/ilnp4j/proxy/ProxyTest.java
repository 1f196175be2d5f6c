package org.ilnp4j.proxy;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.EventLoop;
import io.netty.util.ResourceLeakDetector;
import io.netty.util.concurrent.Future;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.ilnp4j.naming.Destination;
import org.ilnp4j.netty.FakeNetwork;
import org.ilnp4j.netty.HostRunner;
import org.ilnp4j.tcp.TcpCloseReason;
import org.ilnp4j.tcp.TcpPending;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

/** Proxies over a network that is faked at the connection, so that it does what a test wants. */
@ParameterizedClass
@ValueSource(strings = {"epoll", "nio"})
class ProxyTest extends ProxyTestBase {
  private FakeNetwork network;
  private FakeNetwork.Node mobile;
  private FakeNetwork.Node correspondent;

  @BeforeAll
  static void watchForLeaks() {
    ResourceLeakDetector.setLevel(ResourceLeakDetector.Level.PARANOID);
  }

  @Override
  int bulkBytes() {
    return 24 << 20;
  }

  @Override
  void openNetwork(EventLoop loop) {
    network = new FakeNetwork(loop, System::nanoTime);
    mobile = network.node(1);
    correspondent = network.node(2);
  }

  @Override
  void closeNetwork() throws Exception {
    await(() -> onLoop(() -> network.openConnections() == 0));
  }

  @Override
  HostRunner mobile() {
    return mobile;
  }

  @Override
  HostRunner correspondent() {
    return correspondent;
  }

  @Override
  Destination serverDestination() {
    return new Destination("server", correspondent.nid(), List.of(7L));
  }

  @Override
  void detachMobile() {
    mobile.detached();
  }

  @Override
  void silenceCorrespondent() {
    correspondent.silent();
  }

  @Override
  int sessions() {
    return network.openConnections();
  }

  // Addresses

  @Test
  void shouldConnectToIpv6AddressesAsLocatorAndNid() throws Exception {
    publish(service(ProxyTestBase::echo));
    Socket s = greet();
    // 2001:db8::2: NID 0:0:0:2
    send(s, 5, 1, 0, 4, 0x20, 1, 0xd, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, PORT);

    assertThat(reply(s)).isZero();
    send(s, 'h', 'i');
    assertThat(text(s, 2)).isEqualTo("hi");
  }

  // Replies

  @Test
  void shouldReplyOnlyAfterTheRemoteNodeHasAnswered() throws Exception {
    CompletableFuture<TcpPending> syn = new CompletableFuture<>();
    onLoop(() -> correspondent.listen(PORT, (now, pending) -> syn.complete(pending)) != null);
    Socket s = greet();
    request(s, "server", PORT);
    TcpPending pending = syn.get();
    // The proxy has done all it can do by now, and the reply would be here if it came too early.
    assertThat(onLoop(() -> true)).isTrue();
    assertThat(s.getInputStream().available()).isZero();

    group.next().execute(() -> pending.refuse(0));
    group.next().execute(correspondent::wake);

    assertThat(reply(s)).isEqualTo(5);
  }

  @Test
  void shouldReplyHostUnreachableForUnknownNames() throws Exception {
    Socket s = greet();
    request(s, "nobody.example", PORT);

    assertThat(reply(s)).isEqualTo(4);
  }

  @Test
  void shouldReplyAddressTypeNotSupportedForIpv4Addresses() throws Exception {
    Socket s = greet();
    send(s, 5, 1, 0, 1, 10, 0, 0, 1, 0, PORT);

    assertThat(reply(s)).isEqualTo(8);
  }

  @Test
  void shouldReplyHostUnreachableOnIcmpError() throws Exception {
    correspondent.failure(TcpCloseReason.UNREACHABLE);
    Socket s = greet();
    request(s, "server", PORT);

    assertThat(reply(s)).isEqualTo(4);
  }

  @Test
  void shouldReplyHostUnreachableWithoutAnswer() throws Exception {
    startSocks(new ProxyLimits(10, 10, 50, 30_000));
    silenceCorrespondent();
    Socket s = greet();
    request(s, "server", PORT);

    assertThat(reply(s)).isEqualTo(4);
    await(() -> onLoop(() -> network.openConnections() == 0));
  }

  @Test
  void shouldReplyTtlExpiredWhenNameLookupTakesTooLong() throws Exception {
    startSocks(new ProxyLimits(10, 10, 50, 30_000), (name, executor) -> executor.newPromise());
    Socket s = greet();
    request(s, "server", PORT);

    assertThat(reply(s)).isEqualTo(6);
  }

  @Test
  void shouldReplyToCommandsAndAddressTypesItDoesNotServe() throws Exception {
    Socket bind = greet();
    send(bind, 5, 2, 0, 1, 10, 0, 0, 1, 0, PORT);
    assertThat(reply(bind)).isEqualTo(7);

    Socket type = greet();
    send(type, 5, 1, 0, 9, 10, 0, 0, 1, 0, PORT);
    assertThat(reply(type)).isEqualTo(8);

    Socket name = greet();
    request(name, "x".repeat(200), PORT);
    assertThat(reply(name)).isEqualTo(1);
  }

  @Test
  void shouldCloseOnClientsThatDoNotSpeakSocks5() throws Exception {
    Socket http = new Socket(socks.getAddress(), socks.getPort());
    open.add(http);
    http.getOutputStream().write("GET / HTTP/1.1\r\n\r\n".getBytes(US_ASCII));
    assertThat(http.getInputStream().read()).isEqualTo(-1);

    Socket authenticating = new Socket(socks.getAddress(), socks.getPort());
    open.add(authenticating);
    send(authenticating, 5, 1, 2);
    assertThat(receive(authenticating, 2)).containsExactly(5, -1);
    assertThat(authenticating.getInputStream().read()).isEqualTo(-1);
  }

  @Test
  void shouldCloseOnClientsThatNeverAsk() throws Exception {
    startSocks(new ProxyLimits(10, 10, 30_000, 50));
    Socket s = greet();

    assertThat(s.getInputStream().read()).isEqualTo(-1);
  }

  @Test
  void shouldNotCutIdleRelayWhenHandshakeTimeIsOver() throws Exception {
    startSocks(new ProxyLimits(10, 10, 50, 50));
    publish(service(ProxyTestBase::echo));
    Socket s = connected();

    group.next().schedule(() -> {}, 200, TimeUnit.MILLISECONDS).get();

    send(s, 'h', 'i');
    assertThat(text(s, 2)).isEqualTo("hi");
  }

  // Dials

  @Test
  void shouldTakeDialBackWhenClientIsReset() throws Exception {
    silenceCorrespondent();
    Socket s = greet();
    request(s, "server", PORT);
    await(() -> onLoop(() -> network.openConnections() == 1));

    s.setSoLinger(true, 0);
    s.close();

    await(() -> onLoop(() -> network.openConnections() == 0 && dialer.inFlight() == 0));
  }

  @Test
  void shouldCapDialsPerClient() throws Exception {
    startSocks(new ProxyLimits(100, 2, 30_000, 30_000));
    silenceCorrespondent();
    Socket first = greet();
    request(first, "server", PORT);
    request(greet(), "server", PORT);
    await(() -> onLoop(() -> dialer.inFlight() == 2));

    Socket third = greet();
    request(third, "server", PORT);
    assertThat(reply(third)).isEqualTo(1);

    first.close();
    await(() -> onLoop(() -> dialer.inFlight() == 1));
    Socket fourth = greet();
    request(fourth, "server", PORT);
    await(() -> onLoop(() -> dialer.inFlight() == 2));
  }

  /** superradcompany/microsandbox#1181: each end that is not passed on would keep a place. */
  @Test
  void shouldKeepNothingOfClientsThatHaveClosed() throws Exception {
    Publish publish = publish(service(ProxyTestBase::echo));
    Socks5Proxy proxy = new Socks5Proxy(transport, dialer, loopback(0));
    open.add(() -> proxy.close().sync());
    socks = proxy.start().get();
    for (int i = 0; i < 300; i++) {
      try (Socket s = connected()) {
        send(s, i);
        s.shutdownOutput();
        assertThat(receive(s, 1)).containsExactly(i);
        assertThat(s.getInputStream().read()).isEqualTo(-1);
      }
    }
    await(() -> proxy.clients() == 0 && publish.callers() == 0);
    await(() -> onLoop(() -> network.openConnections() == 0));
  }

  /** tailscale/tailscale#4522: sessions with nodes that are gone would pile up on both sides. */
  @Test
  void shouldAskSilentEndsWhetherTheyAreStillThere() throws Exception {
    publish(service(ProxyTestBase::echo));
    Socket s = connected();
    send(s, 'x');
    receive(s, 1);

    assertThat(onLoop(() -> mobile.connection().keepAliveNanos() > 0)).isTrue();
    assertThat(onLoop(() -> correspondent.connection().keepAliveNanos() > 0)).isTrue();
  }

  // Breakdown

  @Test
  void shouldPassBreakdownOfSessionOnToBothEnds() throws Exception {
    CompletableFuture<Throwable> heard = new CompletableFuture<>();
    publish(
        service(
            s -> {
              s.getOutputStream().write('x');
              try {
                s.getInputStream().read();
                heard.complete(null);
              } catch (SocketException e) {
                heard.complete(e);
              }
            }));
    Socket s = connected();
    receive(s, 1);

    group.next().execute(() -> mobile.connection().breakDown(TcpCloseReason.TIMED_OUT));

    assertReset(s);
    assertThat(heard.get()).hasMessageContaining("reset");
  }

  // Listening

  @Test
  void shouldSayWhatIsWrongWhenPortIsInUse() {
    Future<InetSocketAddress> second = new Socks5Proxy(transport, dialer, socks).start();

    assertThat(second.awaitUninterruptibly().cause())
        .hasMessage(
            "cannot listen at "
                + LocalListener.text(socks)
                + ": the port is in use; stop what uses it or configure another");
  }

  @Test
  void shouldListenAtLoopbackOnlyUnlessToldOtherwise() throws Exception {
    InetSocketAddress any = new InetSocketAddress("0.0.0.0", 0);
    Socks5Proxy proxy = new Socks5Proxy(transport, dialer, any);
    assertThat(proxy.start().cause()).hasMessageContaining("not a loopback address");

    proxy.allowRemoteClients();
    open.add(() -> proxy.close().sync());
    assertThat(proxy.start().get().getPort()).isPositive();
  }
}

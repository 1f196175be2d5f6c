package org.ilnp4j.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.ilnp4j.ilnp.Correspondent;
import org.ilnp4j.ilnp.LocalLocator;
import org.ilnp4j.time.NanoClock;

/** Two hosts, one of them with two access links, and one connection between them. */
final class Pair {
  static final long CN_NID = 0x02144ffffeabcd02L;
  static final long MN_NID = 0x02144ffffeabcd01L;
  static final long L1 = 0x20010db800010001L;
  static final long L2 = 0x20010db800030003L;
  static final long LC = 0x20010db800020002L;
  static final long LD = 0x20010db800040004L;
  static final int PORT = 80;

  final TestNet net;
  final TestNode mn;
  final TestNode cn;
  final boolean ilnp;
  Stream client;
  Stream server;
  TcpListener listener;
  long keepAliveNanos;

  Pair(long seed, boolean ilnp, TcpConfig config) {
    this(seed, ilnp, config, 1500, 5);
  }

  Pair(long seed, boolean ilnp, TcpConfig config, int mtu, long oneWayMs) {
    this.ilnp = ilnp;
    net = new TestNet(seed);
    mn = net.node("mn", MN_NID, mtu, config);
    cn = net.node("cn", CN_NID, mtu, config);
    long half = NanoClock.millis(oneWayMs) / 2;
    net.access(mn, L1, half);
    net.access(mn, L2, half);
    net.access(cn, LC, half);
    net.access(cn, LD, half);
    mn.addLocator(L1, LocalLocator.State.ACTIVE);
    cn.addLocator(LC, LocalLocator.State.ACTIVE);
  }

  /** Both nodes hand out segments put together, as to a device that cuts them. */
  Pair withSuperSegments() {
    mn.superSegments = true;
    cn.superSegments = true;
    return this;
  }

  Correspondent toCn() {
    return ilnp
        ? mn.ilcc.open(net.now, CN_NID, List.of(LC), NanoClock.seconds(300))
        : mn.ilcc.openClassic(net.now, L1, CN_NID, LC);
  }

  /** The mobile node connects; each side sends so many octets. */
  void open(long fromClient, long fromServer) {
    server = new Stream(cn, fromServer, 2, 1);
    server.keepAliveNanos = keepAliveNanos;
    client = new Stream(mn, fromClient, 1, 2);
    client.keepAliveNanos = keepAliveNanos;
    listener =
        cn.engine.listen(
            PORT,
            (now, p) -> {
              if (client.connected) {
                Stream stray = new Stream(cn, 0, 2, 1); // a late copy of the SYN
                stray.on(p.accept(now, stray));
                return;
              }
              if (server.connection != null) {
                server = new Stream(cn, fromServer, 2, 1); // the caller has started over
                server.keepAliveNanos = keepAliveNanos;
              }
              server.on(p.accept(now, server));
            });
    client.on(mn.engine.connect(net.now, toCn(), PORT, client));
  }

  void openAndAwait(long fromClient, long fromServer) {
    open(fromClient, fromServer);
    net.await(NanoClock.seconds(10), () -> client.connected && server.connected);
  }

  // ---- moves ----------------------------------------------------------------------------------

  /** Tells the other side of the Locators, as a Locator Update does, one way later. */
  void update(TestNode to, long delayNanos, long... l64s) {
    net.in(
        delayNanos,
        () -> {
          int[] preference = new int[l64s.length];
          int[] lifetime = new int[l64s.length];
          for (int i = 0; i < l64s.length; i++) {
            preference[i] = 10 + 10 * i;
            lifetime[i] = 300;
          }
          for (Correspondent c : to.ilcc.all()) {
            if (c.isIlnp()) {
              to.ilcc.replaceLocators(net.now, c, l64s.length, l64s, preference, lifetime);
            }
          }
        });
  }

  private long oneWay(long a, long b) {
    return net.access(a).delayNanos + net.access(b).delayNanos;
  }

  /** Both Locators go on working; packets leave by the new one. */
  void softMove(TestNode node, long from, long to, boolean tell) {
    node.ilcc.local().get(from).leave(net.now);
    if (node.ilcc.local().get(to) == null) {
      node.addLocator(to, LocalLocator.State.ACTIVE);
    } else {
      node.ilcc.local().get(to).state(LocalLocator.State.ACTIVE);
    }
    node.ilcc.localChanged(net.now);
    TestNode other = node == mn ? cn : mn;
    if (tell && other.ilcc.local().source() != null) {
      update(other, oneWay(to, other.ilcc.local().source().l64), to, from);
    }
  }

  /** The old link breaks now; the new one works after the outage. */
  void hardMove(TestNode node, long from, long to, long outageNanos, boolean tell) {
    net.access(from).up = false;
    node.ilcc.local().remove(node.ilcc.local().get(from));
    if (outageNanos > 0) {
      node.ilcc.localChanged(net.now);
    }
    TestNode other = node == mn ? cn : mn;
    Runnable arrive =
        () -> {
          node.addLocator(to, LocalLocator.State.ACTIVE);
          node.ilcc.localChanged(net.now);
          if (tell && other.ilcc.local().source() != null) {
            update(other, oneWay(to, other.ilcc.local().source().l64), to);
          }
        };
    if (outageNanos > 0) {
      net.in(outageNanos, arrive);
    } else {
      arrive.run();
    }
  }

  boolean isDone() {
    return client.closed != null && server.closed != null;
  }

  void assertIntact() {
    assertThat(client.closed).isEqualTo(TcpCloseReason.NORMAL);
    assertThat(server.closed).isEqualTo(TcpCloseReason.NORMAL);
    assertThat(server.received).isEqualTo(client.toSend);
    assertThat(client.received).isEqualTo(server.toSend);
    assertThat(server.intact && client.intact).as("octets as sent").isTrue();
    assertThat(server.ended && client.ended).isTrue();
    listener.close();
  }
}

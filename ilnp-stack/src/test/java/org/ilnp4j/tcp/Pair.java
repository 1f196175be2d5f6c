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

  Correspondent toCn() {
    return ilnp
        ? mn.ilcc.open(net.now, CN_NID, List.of(LC), NanoClock.seconds(300))
        : mn.ilcc.openClassic(net.now, L1, CN_NID, LC);
  }

  /** The mobile node connects; each side sends so many octets. */
  void open(long fromClient, long fromServer) {
    server = new Stream(cn, fromServer, 2, 1);
    client = new Stream(mn, fromClient, 1, 2);
    listener = cn.engine.listen(PORT, (now, p) -> server.on(p.accept(now, server)));
    client.on(mn.engine.connect(net.now, toCn(), PORT, client));
  }

  void openAndAwait(long fromClient, long fromServer) {
    open(fromClient, fromServer);
    net.await(NanoClock.seconds(10), () -> client.connected && server.connected);
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

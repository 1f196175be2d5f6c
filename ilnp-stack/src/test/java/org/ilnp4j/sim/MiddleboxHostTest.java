package org.ilnp4j.sim;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import java.util.List;
import org.ilnp4j.host.HostConfig;
import org.ilnp4j.ilnp.SessionMode;
import org.ilnp4j.link.LinkConfig;
import org.ilnp4j.mobility.HandoffPolicy;
import org.ilnp4j.mobility.MobilityConfig;
import org.ilnp4j.mobility.MobilityConfig.UplinkConfig;
import org.ilnp4j.mobility.MobilityObserver;
import org.ilnp4j.tcp.TcpCloseReason;
import org.ilnp4j.tcp.TcpConnection;
import org.ilnp4j.tcp.TcpHandler;
import org.ilnp4j.util.Counter;
import org.junit.jupiter.api.Test;

/** Two hosts with fixed Locators and a box between them that interferes. */
class MiddleboxHostTest extends SimTestBase {
  private static final long OUTSIDE_L64 = l64(0x7777);

  private final SimHost inner = host("inner", 0x0200_0000_0000_0001L, l64(1));
  private final SimHost outer = host("outer", 0x0200_0000_0000_0002L, l64(2));
  private TcpConnection client;
  private TcpConnection server;
  private int received;
  private TcpCloseReason end;

  private SimHost host(String name, long nid, long l64) {
    MobilityConfig mobility =
        MobilityConfig.of(
            List.of(new UplinkConfig("eth0", 0, l64, 0, 0)), HandoffPolicy.PREFERENCE);
    return new SimHost(network, name, HostConfig.of(nid, mobility), MobilityObserver.NONE);
  }

  private void place(Middlebox box) {
    network.connect(inner.uplink("eth0"), box.inside(), LinkConfig.of(0, 5 * MS));
    network.connect(box.outside(), outer.uplink("eth0"), LinkConfig.of(0, 5 * MS));
    network.runUntil(MS);
    outer.host().listen(80, (now, pending) -> server = pending.accept(now, new Sink()));
    client =
        inner
            .host()
            .connect(
                network.nowNanos(), outer.host().config().nid(), List.of(l64(2)), 80, new Sink());
    client.send(network.nowNanos(), buffers.allocator().directBuffer().writeZero(30_000));
  }

  private final class Sink implements TcpHandler {
    @Override
    public void onConnected(long nowNanos, TcpConnection c) {}

    @Override
    public void onReadable(long nowNanos, TcpConnection c) {
      ByteBuf data;
      while ((data = c.read(nowNanos, 100_000)) != null) {
        received += data.readableBytes();
        data.release();
      }
    }

    @Override
    public void onWritable(long nowNanos, TcpConnection c) {}

    @Override
    public void onClosed(long nowNanos, TcpConnection c, TcpCloseReason reason) {
      end = reason;
    }
  }

  private SessionMode mode() {
    return client.info(network.nowNanos()).mode();
  }

  @Test
  void shouldSpeakIlnpThroughABoxThatDropsOtherIcmp() {
    place(IcmpFilter.all(network, "box"));
    assertThat(network.runUntil(() -> received == 30_000, SECOND)).isTrue();
    assertThat(mode()).isEqualTo(SessionMode.ILNP);
  }

  @Test
  void shouldFallBackToClassicIpv6AtOnceWhenTheOptionIsReported() {
    place(new OptionsFilter(network, "box", true));
    assertThat(network.runUntil(() -> received == 30_000, SECOND)).isTrue();
    assertThat(mode()).isEqualTo(SessionMode.CLASSIC);
    assertThat(inner.host().counters().get(Counter.TCP_CLASSIC_FALLBACKS)).isEqualTo(1);
    assertThat(network.nowNanos()).isLessThan(200 * MS);
  }

  @Test
  void shouldKeepAnIlnpSessionWhoseLocatorIsRewrittenOnTheWay() {
    LocatorRewriter box = new LocatorRewriter(network, "box", l64(1), OUTSIDE_L64);
    place(box);
    assertThat(network.runUntil(() -> received == 30_000, SECOND)).isTrue();
    assertThat(mode()).isEqualTo(SessionMode.ILNP);
    assertThat(server.info(network.nowNanos()).path().remoteL64()).isEqualTo(OUTSIDE_L64);
    assertThat(box.changed()).isGreaterThanOrEqualTo(24);
    assertThat(end).isNull();
  }
}

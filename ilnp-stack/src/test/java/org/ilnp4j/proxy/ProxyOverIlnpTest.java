package org.ilnp4j.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.EventLoop;
import io.netty.util.ResourceLeakDetector;
import java.net.Socket;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.ilnp4j.naming.Destination;
import org.ilnp4j.netty.HostRunner;
import org.ilnp4j.netty.TwoHosts;
import org.ilnp4j.tcp.TcpConfig;
import org.ilnp4j.time.NanoClock;
import org.ilnp4j.util.Counter;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

/** Proxies over two whole hosts: every octet goes through TCP, ILNP and IPv6. */
@ParameterizedClass
@ValueSource(strings = "epoll")
class ProxyOverIlnpTest extends ProxyTestBase {
  private static final long SEED = 11;

  private TwoHosts hosts;

  /** Counting finds leaks as well; following every packet would make the tests last for minutes. */
  @BeforeAll
  static void leaveLeaksToTheAllocator() {
    ResourceLeakDetector.setLevel(ResourceLeakDetector.Level.DISABLED);
  }

  @AfterAll
  static void watchForLeaksAgain() {
    ResourceLeakDetector.setLevel(ResourceLeakDetector.Level.PARANOID);
  }

  @Override
  int bulkBytes() {
    return 6 << 20;
  }

  @Override
  void openNetwork(EventLoop loop) {
    hosts =
        new TwoHosts(
            loop,
            NanoClock.system(),
            allocator,
            TcpConfig.DEFAULT.withBuffers(256 << 10, 256 << 10),
            SEED);
    hosts.linksUp();
  }

  @Override
  void closeNetwork() throws Exception {
    group.next().submit(hosts::close).get();
    assertThat(hosts.a().host().armedTimers()).isZero();
    assertThat(hosts.b().host().armedTimers()).isZero();
  }

  @Override
  HostRunner mobile() {
    return hosts.a();
  }

  @Override
  HostRunner correspondent() {
    return hosts.b();
  }

  @Override
  Destination serverDestination() {
    return new Destination("server", TwoHosts.NID_B, List.of(TwoHosts.L64_B));
  }

  @Override
  void detachMobile() {
    hosts.link(hosts.a(), "a1", false);
    hosts.link(hosts.a(), "a2", false);
  }

  @Override
  void silenceCorrespondent() {
    hosts.cut();
  }

  @Override
  int sessions() {
    return hosts.a().host().tcp().connections();
  }

  @Test
  void shouldCarryDataByteForByteOverLossyPath() throws Exception {
    int bytes = 2 << 20;
    CompletableFuture<byte[]> atService = new CompletableFuture<>();
    publish(service(s -> atService.complete(digest(s.getInputStream()))));
    try (Socket s = connected()) {
      group.next().execute(() -> hosts.loss(0.01));
      writeNoise(s.getOutputStream(), 1, bytes);
      s.shutdownOutput();

      assertThat(HexFormat.of().formatHex(atService.get())).isEqualTo(noiseDigest(1, bytes));
      assertThat(s.getInputStream().read()).isEqualTo(-1);
    }
  }

  @Test
  void shouldCarryDataByteForByteAcrossMoves() throws Exception {
    int bytes = 6 << 20;
    publish(
        service(
            s -> {
              writeNoise(s.getOutputStream(), 2, bytes);
              s.shutdownOutput();
              assertThat(s.getInputStream().read()).isEqualTo(-1);
            }));
    try (Socket s = connected()) {
      DigestInputStream in =
          new DigestInputStream(s.getInputStream(), MessageDigest.getInstance("SHA-256"));
      in.readNBytes(bytes / 3);
      group.next().execute(() -> hosts.link(hosts.a(), "a1", false));
      in.readNBytes(bytes / 3);
      group.next().execute(() -> hosts.link(hosts.a(), "a1", true));
      group.next().execute(() -> hosts.link(hosts.a(), "a2", false));
      in.readAllBytes();

      assertThat(HexFormat.of().formatHex(in.getMessageDigest().digest()))
          .isEqualTo(noiseDigest(2, bytes));
    }
    assertThat(hosts.b().host().counters().get(Counter.LU_RECEIVED)).isGreaterThanOrEqualTo(2);
  }
}

package org.ilnp4j.link;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.channel.IoEventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.ilnp4j.tun.TunDevice;
import org.ilnp4j.tun.testing.Netns;
import org.ilnp4j.tun.testing.RequiresRoot;
import org.ilnp4j.util.Counters;
import org.ilnp4j.util.DropReason;
import org.ilnp4j.wire.Checksum;
import org.ilnp4j.wire.Icmp6;
import org.ilnp4j.wire.Ip6;
import org.ilnp4j.wire.PacketView;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The link with a real TUN device: the kernel answers pings sent through it. */
@RequiresRoot
class TunLinkKernelTest {
  private static final long L64 = 0x2001_0db8_0000_0000L;
  private static final int PINGS = 300;

  private final CountingAllocator buffers = new CountingAllocator();
  private final Counters counters = new Counters();
  private final List<Integer> answers = new ArrayList<>();
  private final CountDownLatch answered = new CountDownLatch(1);
  private final CountDownLatch failed = new CountDownLatch(1);
  private final MultiThreadIoEventLoopGroup group =
      new MultiThreadIoEventLoopGroup(1, EpollIoHandler.newFactory());
  private final IoEventLoop loop = group.next();
  private final PacketView view = new PacketView();
  private int batches;
  private String failure;
  private Netns ns;
  private TunLink link;

  private final LinkHandler handler =
      new LinkHandler() {
        @Override
        public void onPacket(ByteBuf packet, boolean checksumVouched, int segmentBytes) {
          if (view.parse(packet) == null
              && view.protocol == Ip6.PROTO_ICMP6
              && Icmp6.type(packet, view.upperIndex) == Icmp6.ECHO_REPLY
              && Icmp6.check(view) == null) {
            answers.add(Icmp6.echoSequence(packet, view.upperIndex));
          }
          packet.release();
        }

        @Override
        public void onBatchEnd() {
          batches++;
          if (answers.size() == PINGS) {
            answered.countDown();
          }
        }

        @Override
        public void onFailure(Exception cause) {
          failure = cause.getMessage();
          failed.countDown();
        }
      };

  @BeforeEach
  void open() throws Exception {
    ns = Netns.create("link");
    TunDevice device = ns.call(() -> TunDevice.open("ilnp0", TunDevice.Offload.NONE));
    ns.exec("ip", "link", "set", "ilnp0", "mtu", "1500", "up");
    ns.exec("ip", "-6", "addr", "add", "2001:db8::1/64", "dev", "ilnp0", "nodad");
    link =
        TunLink.open(device, 1500, loop, buffers.allocator(), handler, counters)
            .get(10, TimeUnit.SECONDS);
  }

  @AfterEach
  void leavesNothingBehind() throws Exception {
    loop.submit(link::close).get(10, TimeUnit.SECONDS);
    group.shutdownGracefully(0, 5, TimeUnit.SECONDS).get(10, TimeUnit.SECONDS);
    String links = ns.exec("ip", "link");
    ns.close();
    assertThat(links).doesNotContain("ilnp0");
    buffers.assertAllReleased();
  }

  @Test
  void shouldExchangePacketsWithTheKernel() throws Exception {
    loop.submit(
            () -> {
              for (int i = 0; i < PINGS; i++) {
                link.transmit(echoRequest(i));
              }
            })
        .get(10, TimeUnit.SECONDS);
    assertThat(answered.await(10, TimeUnit.SECONDS)).isTrue();
    List<Integer> got = loop.submit(() -> List.copyOf(answers)).get(10, TimeUnit.SECONDS);
    assertThat(got).hasSize(PINGS).isSorted().doesNotHaveDuplicates();
    assertThat(loop.submit(() -> batches).get()).isGreaterThanOrEqualTo(PINGS / TunLink.BATCH);
    assertThat(counters.totalDrops()).isZero();
  }

  @Test
  void shouldCountPacketsADeviceThatIsDownRefuses() throws Exception {
    ns.exec("ip", "link", "set", "ilnp0", "down");
    loop.submit(() -> link.transmit(echoRequest(1))).get(10, TimeUnit.SECONDS);
    assertThat(loop.submit(() -> counters.get(DropReason.OUT_DEVICE)).get()).isEqualTo(1);
  }

  @Test
  void shouldSayWhenTheDeviceWasRemovedByOthers() throws Exception {
    ns.exec("ip", "link", "del", "ilnp0");
    assertThat(failed.await(10, TimeUnit.SECONDS)).isTrue();
    assertThat(loop.submit(() -> failure).get()).contains("read from TUN device", "ilnp0");
  }

  /** SagerNet/sing-tun#85: a link that is closed leaves no descriptor and no thread behind. */
  @Test
  void shouldLeaveNoDescriptorAndNoThreadWhenClosed() throws Exception {
    openAndClose(3);
    long descriptors = entries("/proc/self/fd");
    long threads = entries("/proc/self/task");
    openAndClose(40);
    assertThat(entries("/proc/self/fd") - descriptors).as("descriptors left").isLessThan(20);
    assertThat(entries("/proc/self/task") - threads).as("threads left").isLessThan(20);
  }

  private void openAndClose(int times) throws Exception {
    for (int i = 0; i < times; i++) {
      TunDevice device = ns.call(() -> TunDevice.open("ilnp1", TunDevice.Offload.NONE));
      TunLink other =
          TunLink.open(device, 1500, loop, buffers.allocator(), handler, counters)
              .get(10, TimeUnit.SECONDS);
      loop.submit(other::close).get(10, TimeUnit.SECONDS);
    }
  }

  private static long entries(String directory) throws IOException {
    try (Stream<Path> list = Files.list(Path.of(directory))) {
      return list.count();
    }
  }

  private ByteBuf echoRequest(int sequence) {
    ByteBuf p = buffers.allocator().directBuffer(1000);
    Ip6.write(p, 0, 900, Ip6.PROTO_ICMP6, 64, L64, 2, L64, 1);
    Icmp6.writeEcho(p, Icmp6.ECHO_REQUEST, 7, sequence);
    p.writeZero(900 - Icmp6.HEADER_BYTES);
    PacketView v = new PacketView();
    v.parse(p);
    p.setShort(v.upperIndex + Icmp6.CHECKSUM_OFFSET, Checksum.finish(v.sumIpv6()));
    return p;
  }
}

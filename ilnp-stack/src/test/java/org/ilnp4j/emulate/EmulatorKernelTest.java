package org.ilnp4j.emulate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.PoolArenaMetric;
import io.netty.buffer.PooledByteBufAllocator;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.regex.Pattern;
import org.ilnp4j.emulate.EmulatorConfig.Side;
import org.ilnp4j.link.LinkConfig;
import org.ilnp4j.link.LinkDrop;
import org.ilnp4j.time.NanoClock;
import org.ilnp4j.tun.IpPrefix;
import org.ilnp4j.tun.testing.Eventually;
import org.ilnp4j.tun.testing.Netns;
import org.ilnp4j.tun.testing.RequiresRoot;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The emulator between two kernels. Times are checked against lower bounds that hold on any
 * machine, and upper bounds that a busy one keeps too.
 */
@RequiresRoot
class EmulatorKernelTest {
  private static final long MS = NanoClock.millis(1);
  private static final int PORT = 4000;

  /** Of IPv6 and UDP. */
  private static final int HEADERS = 48;

  private static final Pattern DEVICE = Pattern.compile("emu[01]");

  @TempDir Path directory;

  private Netns left;
  private Netns right;
  private Emulator link;

  @BeforeEach
  void open() {
    left = Netns.create("left");
    right = Netns.create("right");
  }

  @AfterEach
  void leavesNothingBehind() {
    if (link != null) {
      link.close();
      link.close();
      assertThat(link.thread().isAlive()).isFalse();
    }
    String links = left.exec("ip", "link") + right.exec("ip", "link");
    left.close();
    right.close();
    assertThat(links).doesNotContainPattern(DEVICE);
  }

  private static IpPrefix prefix(String address, int length) {
    try {
      return new IpPrefix(InetAddress.getByName(address), length);
    } catch (IOException e) {
      throw new IllegalArgumentException(address, e);
    }
  }

  private Side leftSide() {
    return Side.of(left.name(), "emu0")
        .withAddresses(prefix("fd00:1::1", 128), prefix("10.1.0.1", 32))
        .withRoutes(prefix("fd00:2::", 32), prefix("10.2.0.0", 16));
  }

  private Side rightSide() {
    return Side.of(right.name(), "emu1")
        .withAddresses(prefix("fd00:2::1", 128), prefix("10.2.0.1", 32))
        .withRoutes(prefix("::", 0), prefix("0.0.0.0", 0));
  }

  private void start(LinkConfig both, long seed) throws IOException {
    link = Emulator.start(EmulatorConfig.between(leftSide(), rightSide(), both, seed));
  }

  private static DatagramChannel socket(Netns ns, String from, String to) throws Exception {
    return ns.call(
        () -> {
          DatagramChannel c = DatagramChannel.open();
          c.bind(new InetSocketAddress(from, PORT));
          c.connect(new InetSocketAddress(to, PORT));
          c.configureBlocking(false);
          return c;
        });
  }

  private DatagramChannel leftSocket() throws Exception {
    return socket(left, "fd00:1::1", "fd00:2::1");
  }

  private DatagramChannel rightSocket() throws Exception {
    return socket(right, "fd00:2::1", "fd00:1::1");
  }

  /** Sends numbered packets of {@code bytes} octets, headers included. */
  private static void send(DatagramChannel from, int first, int count, int bytes)
      throws IOException {
    ByteBuffer payload = ByteBuffer.allocate(bytes - HEADERS);
    for (int i = first; i < first + count; i++) {
      from.write(payload.clear().putInt(0, i));
    }
  }

  /** The numbers of the packets that have arrived. */
  private static List<Integer> received(DatagramChannel to) throws IOException {
    List<Integer> numbers = new ArrayList<>();
    ByteBuffer payload = ByteBuffer.allocate(2000);
    while (to.read(payload.clear()) > 0) {
      numbers.add(payload.getInt(0));
    }
    return numbers;
  }

  /** The numbers of the next {@code count} packets; the kernel may pass them on a little later. */
  private static List<Integer> receive(DatagramChannel to, long count) throws Exception {
    List<Integer> numbers = new ArrayList<>();
    Eventually.await(
        () -> count + " packets arrive, not " + numbers.size(),
        () -> {
          numbers.addAll(received(to));
          return numbers.size() >= count;
        });
    return numbers;
  }

  /** How long one packet after another took, in nanoseconds. */
  private static List<Long> times(DatagramChannel from, DatagramChannel to, int count)
      throws Exception {
    List<Long> times = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      int number = i;
      long start = System.nanoTime();
      send(from, number, 1, 100);
      Eventually.await("packet " + i + " arrives", () -> received(to).contains(number));
      times.add(System.nanoTime() - start);
    }
    return times;
  }

  @Test
  void shouldDelayEachDirectionAndCountWhatPasses() throws Exception {
    start(LinkConfig.of(0, 20 * MS), 1);
    link.configure(Direction.RIGHT_TO_LEFT, LinkConfig.of(0, 10 * MS));
    try (DatagramChannel a = leftSocket();
        DatagramChannel b = rightSocket();
        DatagramChannel a4 = socket(left, "10.1.0.1", "10.2.0.1");
        DatagramChannel b4 = socket(right, "10.2.0.1", "10.1.0.1")) {
      assertBetween(20 * MS, 30 * MS, times(a, b, 10));
      assertBetween(20 * MS, 30 * MS, times(a4, b4, 10));
      assertBetween(10 * MS, 20 * MS, times(b, a, 10));
      assertBetween(10 * MS, 20 * MS, times(b4, a4, 10));
    }
    for (Direction d : Direction.values()) {
      DirectionCounters c = link.counters(d);
      assertThat(c.offeredPackets()).isEqualTo(20);
      assertThat(c.deliveredPackets()).isEqualTo(20);
      assertThat(c.deliveredBytes()).isEqualTo(10 * (100 + 80));
      assertThat(c.insidePackets()).isZero();
      assertThat(c.drops()).isEmpty();
      assertThat(c.kernelDropped() + c.kernelRefused()).isZero();
    }
  }

  /** The upper bound holds for the fastest only: any other may have met a busy machine. */
  private static void assertBetween(long least, long most, List<Long> times) {
    assertThat(times).allSatisfy(t -> assertThat(t).isGreaterThanOrEqualTo(least));
    assertThat(Collections.min(times)).isLessThan(most);
  }

  @Test
  void shouldChangeWhileItRuns() throws Exception {
    start(LinkConfig.PERFECT, 1);
    try (DatagramChannel a = leftSocket();
        DatagramChannel b = rightSocket()) {
      times(a, b, 3);
      link.configure(Direction.LEFT_TO_RIGHT, LinkConfig.of(0, 30 * MS));
      assertThat(link.config(Direction.LEFT_TO_RIGHT).delayNanos()).isEqualTo(30 * MS);
      assertThat(times(a, b, 3)).allSatisfy(t -> assertThat(t).isGreaterThanOrEqualTo(30 * MS));
      link.setUp(false);
      send(a, 0, 2, 100);
      Eventually.await(
          "both are lost", () -> link.counters(Direction.LEFT_TO_RIGHT).drops(LinkDrop.DOWN) == 2);
      link.setUp(true);
      assertThat(times(a, b, 3)).hasSize(3);
    }
  }

  @Test
  void shouldHoldARateAndDropWhatItsQueueCannotTake() throws Exception {
    start(LinkConfig.of(12_000_000, 0).withQueuePackets(50), 1);
    try (DatagramChannel a = leftSocket();
        DatagramChannel b = rightSocket()) {
      long start = System.nanoTime();
      send(a, 0, 200, 1500);
      awaitOffered(link, 200);
      long took = System.nanoTime() - start;
      DirectionCounters c = link.counters(Direction.LEFT_TO_RIGHT);
      assertThat(c.deliveredPackets()).isGreaterThanOrEqualTo(51);
      assertThat(c.drops(LinkDrop.QUEUE_FULL)).isEqualTo(200 - c.deliveredPackets());
      assertThat(c.maxQueuePackets()).isEqualTo(50);
      // One packet a millisecond, so as many milliseconds at least as packets went through.
      assertThat(took).isGreaterThan((c.deliveredPackets() - 1) * MS);
      assertThat(receive(b, c.deliveredPackets())).startsWith(0, 1, 2, 3).isSorted();
    }
  }

  /** Waits until so many packets have come in, and none is inside any more. */
  private static void awaitOffered(Emulator link, int packets) throws Exception {
    Eventually.await(
        "all packets have passed",
        () -> {
          DirectionCounters c = link.counters(Direction.LEFT_TO_RIGHT);
          return c.offeredPackets() == packets && c.insidePackets() == 0;
        });
  }

  @Test
  void shouldLoseTheSamePacketsWithTheSameSeed() throws Exception {
    List<Integer> first = survivors(7);
    List<Integer> again = survivors(7);
    List<Integer> other = survivors(8);
    assertThat(first).isEqualTo(again).isNotEqualTo(other);
    assertThat(first).hasSizeBetween(600, 800);
  }

  private List<Integer> survivors(long seed) throws Exception {
    LinkConfig lossy = LinkConfig.PERFECT.withLoss(0.3);
    try (Emulator emulator =
            Emulator.start(EmulatorConfig.between(leftSide(), rightSide(), lossy, seed));
        DatagramChannel a = leftSocket();
        DatagramChannel b = rightSocket()) {
      List<Integer> numbers = new ArrayList<>();
      for (int i = 0; i < 1000; i += 50) { // the receiving socket holds some hundred
        send(a, i, 50, 100);
        awaitOffered(emulator, i + 50);
        long arrived = emulator.counters(Direction.LEFT_TO_RIGHT).deliveredPackets();
        numbers.addAll(receive(b, arrived - numbers.size()));
      }
      return numbers;
    }
  }

  @Test
  void shouldCaptureBothDirectionsOfASide() throws Exception {
    Path pcap = directory.resolve("left.pcap");
    link =
        Emulator.start(
            EmulatorConfig.between(leftSide().withPcap(pcap), rightSide(), LinkConfig.PERFECT, 1));
    try (DatagramChannel a = leftSocket();
        DatagramChannel b = rightSocket()) {
      times(a, b, 2);
      times(b, a, 2);
    }
    link.close();
    // 24 octets of file header, and 16 before each packet.
    assertThat(Files.size(pcap)).isEqualTo(24 + 4 * (16 + 100));
  }

  @Test
  void shouldSayWhatIsMissingAndLeaveNothing() {
    Side nowhere = Side.of("ilnpt-nowhere", "emu1");
    assertThatThrownBy(
            () ->
                Emulator.start(EmulatorConfig.between(leftSide(), nowhere, LinkConfig.PERFECT, 1)))
        .hasMessage(
            "cannot open network namespace /run/netns/ilnpt-nowhere: No such file or directory"
                + " (ENOENT); \"ip netns\" lists those there are; make one with: ip netns add");
  }

  @Test
  void shouldSayWhyItEndedWhenItsDeviceIsTaken() throws Exception {
    start(LinkConfig.PERFECT, 1);
    right.exec("ip", "link", "del", "emu1");
    assertThatThrownBy(link::await).hasMessageContaining("emu1");
  }

  @Test
  void shouldReleaseWhatIsInsideWhenItCloses() throws Exception {
    long before = buffersInUse();
    start(LinkConfig.of(0, NanoClock.seconds(3600)), 1);
    try (DatagramChannel a = leftSocket()) {
      send(a, 0, 500, 1000);
      Eventually.await(
          "all are inside", () -> link.counters(Direction.LEFT_TO_RIGHT).insidePackets() == 500);
    }
    assertThat(buffersInUse()).isGreaterThanOrEqualTo(before + 500);
    link.close();
    assertThat(buffersInUse()).isEqualTo(before);
  }

  private static long buffersInUse() {
    return PooledByteBufAllocator.DEFAULT.metric().directArenas().stream()
        .mapToLong(PoolArenaMetric::numActiveAllocations)
        .sum();
  }
}

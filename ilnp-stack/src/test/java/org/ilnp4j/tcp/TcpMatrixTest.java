package org.ilnp4j.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.ilnp4j.time.NanoClock;
import org.ilnp4j.wire.PacketView;
import org.ilnp4j.wire.TcpHeader;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Two stacks over a grid of paths, in virtual time. Each table is compared with the committed one
 * ({@link SnapshotTable}), and held against what holds whatever the last version did. {@code
 * -Dilnp.matrix.seed=N} takes other seeds, which shows what is noise.
 */
@Tag("simulation")
class TcpMatrixTest {
  private static final int RUNS = 2;
  private static final int FIRST_SEED = Integer.getInteger("ilnp.matrix.seed", 1);

  /** Octets of payload in a full packet of an ILNP session. */
  private static final double PAYLOAD = 1408;

  /** A link and how its queue is dimensioned. */
  private record Link(String name, double rttMs, double mbit) {
    long rttNanos() {
      return (long) (rttMs * 1e6);
    }

    long octetsPerSecond() {
      return (long) (mbit * 1e6 / 8);
    }

    /** Round trip of a full packet, which takes its time on the link. */
    double packetRttMs() {
      return rttMs + 2 * 1500 * 8 / 1e3 / mbit;
    }

    /** One bandwidth-delay product, but room for a burst. */
    int queueBytes() {
      return (int) Math.max(75_000, octetsPerSecond() * rttMs / 1000);
    }
  }

  private static final Link LAN = new Link("0.05 ms 1G", 0.05, 1000);
  private static final List<Link> LINKS =
      List.of(
          LAN,
          new Link("5 ms 100M", 5, 100),
          new Link("20 ms 100M", 20, 100),
          new Link("100 ms 50M", 100, 50),
          new Link("300 ms 20M", 300, 20));

  private static List<String> names(List<Link> links) {
    return links.stream().map(Link::name).toList();
  }

  // ---- runs -----------------------------------------------------------------------------------

  /** One download from the correspondent to the mobile node, whose link is the bottleneck. */
  private static final class Download {
    final Pair pair;
    final TestNet net;
    final TestNet.Access bottleneck;

    Download(long seed, boolean ilnp, TcpConfig config, Link link) {
      pair = new Pair(seed, ilnp, config, 1500, 0);
      net = pair.net;
      for (long l64 : new long[] {Pair.L1, Pair.L2, Pair.LC, Pair.LD}) {
        net.access(l64).delayNanos = link.rttNanos() / 4;
        net.access(l64).evenly = true;
      }
      for (long l64 : new long[] {Pair.L1, Pair.L2}) {
        net.access(l64).rate = link.octetsPerSecond();
        net.access(l64).queueBytes = link.queueBytes();
      }
      bottleneck = net.access(Pair.L1);
    }

    /** Mbit/s of payload, between {@code warmUp} and that many packets or seconds later. */
    double goodput(double warmUpSeconds, long packets, double seconds) {
      pair.open(0, 1L << 40);
      net.runFor((long) (warmUpSeconds * 1e9));
      long from = net.now;
      long before = pair.client.received;
      long limit = from + (long) (seconds * 1e9);
      long enough = before + (long) (packets * PAYLOAD);
      net.runUntil(() -> pair.client.received >= enough, limit);
      double goodput = (pair.client.received - before) * 8e3 / Math.max(1, net.now - from);
      end();
      return goodput;
    }

    void end() {
      pair.mn.engine.abortAll(net.now);
      pair.cn.engine.abortAll(net.now);
      net.assertNoLeaks();
    }
  }

  private static TcpConfig config(String algorithm) {
    return TcpConfig.DEFAULT.withCongestionControl(algorithm).withBuffers(8 << 20, 8 << 20);
  }

  /** Some figures of one run. */
  @FunctionalInterface
  private interface Job {
    double[] measure(long seed, int index);
  }

  /** The figure of one run in one cell. */
  @FunctionalInterface
  private interface Cell {
    double measure(long seed, int row, int column);
  }

  /** The mean of each figure of each job over several seeds, computed on all processors. */
  private static double[][] means(int jobs, int runs, Job job) {
    double[][][] figures = new double[jobs][runs][];
    IntStream.range(0, jobs * runs)
        .parallel()
        .forEach(i -> figures[i / runs][i % runs] = job.measure(FIRST_SEED + i % runs, i / runs));
    double[][] means = new double[jobs][];
    for (int j = 0; j < jobs; j++) {
      means[j] = new double[figures[j][0].length];
      for (int f = 0; f < means[j].length; f++) {
        int at = f;
        double[] values = Arrays.stream(figures[j]).mapToDouble(run -> run[at]).toArray();
        means[j][f] = Arrays.stream(values).average().orElseThrow();
      }
    }
    return means;
  }

  private static double[][] cells(int rows, int columns, int runs, Cell cell) {
    double[][] flat =
        means(
            rows * columns,
            runs,
            (seed, i) -> new double[] {cell.measure(seed, i / columns, i % columns)});
    double[][] grid = new double[rows][columns];
    for (int i = 0; i < flat.length; i++) {
      grid[i / columns][i % columns] = flat[i][0];
    }
    return grid;
  }

  private static void check(SnapshotTable table) {
    table.check();
  }

  private static String seeds(int runs) {
    return "seeds " + FIRST_SEED + " to " + (FIRST_SEED + runs - 1);
  }

  /** Seconds until slow start is long over. */
  private static double warmUp(Link link) {
    return 0.2 + 20 * link.rttMs / 1000;
  }

  // ---- loss -----------------------------------------------------------------------------------

  private static final double[] LOSSES = {0, 0.0001, 0.001, 0.01, 0.03, 0.10};
  private static final long[] LOSS_PACKETS = {25_000, 90_000, 40_000, 10_000, 8_000, 5_000};

  @ParameterizedTest
  @ValueSource(strings = {"reno", "cubic"})
  void shouldKeepItsRateUnderLoss(String algorithm) {
    double[][] mbit =
        cells(
            LOSSES.length,
            LINKS.size(),
            RUNS,
            (seed, row, column) -> {
              Link link = LINKS.get(column);
              Download d = new Download(seed, true, config(algorithm), link);
              d.bottleneck.loss = LOSSES[row];
              // Where a round trip is nothing, time-outs are what varies, and there are few.
              long packets = LOSS_PACKETS[row];
              if (link == LAN) {
                packets = LOSSES[row] > 0.01 ? 8 * packets : Math.min(packets, 40_000);
              }
              return d.goodput(warmUp(link), packets, LOSSES[row] == 0 ? 40 : 3000);
            });
    SnapshotTable table =
        new SnapshotTable(
            "loss-" + algorithm,
            "Mbit/s of payload: "
                + algorithm
                + ", one flow in ILNP mode, after slow start.\nRows: loss, both ways; columns: RTT"
                + " and rate of the link; queue of one bandwidth-delay product or 75 kB; "
                + seeds(RUNS)
                + ".",
            names(LINKS));
    for (int r = 0; r < LOSSES.length; r++) {
      table.row(String.format(Locale.ROOT, "loss %.2f %%", LOSSES[r] * 100), mbit[r]);
    }
    for (int c = 0; c < LINKS.size(); c++) {
      Link link = LINKS.get(c);
      assertThat(mbit[0][c]).as("without loss, %s", link.name).isGreaterThan(0.9 * link.mbit);
      for (int r = 1; r < LOSSES.length; r++) {
        double model = Math.max(renoModel(link, LOSSES[r]), cubicModel(link, LOSSES[r], algorithm));
        String cell = String.format(Locale.ROOT, "loss %s, %s", LOSSES[r], link.name);
        if (LOSSES[r] <= 0.01) {
          assertThat(mbit[r][c]).as(cell).isGreaterThan(0.8 * Math.min(0.94 * link.mbit, model));
        }
        // Nor may it take what is not its share.
        assertThat(mbit[r][c]).as(cell).isLessThan(1.5 * model);
      }
    }
    assertThat(mbit[3][0]).as("a tiny RTT and 1 %% of loss").isGreaterThan(500);
    check(table);
  }

  /** The square-root model in Mbit/s, each segment acknowledged (Mathis et al. 1997). */
  private static double renoModel(Link link, double loss) {
    return Math.sqrt(1.5 / loss) * PAYLOAD * 8 / 1e3 / link.packetRttMs();
  }

  /** The average window of RFC 9438 §5.1, in Mbit/s; 0 for another algorithm. */
  private static double cubicModel(Link link, double loss, String algorithm) {
    double seconds = link.packetRttMs() / 1000;
    double segments = 1.054 * Math.pow(seconds / loss, 0.75);
    return algorithm.equals("cubic") ? segments * PAYLOAD * 8 / 1e6 / seconds : 0;
  }

  // ---- reordering and duplication -------------------------------------------------------------

  private static final List<Link> LONGER = LINKS.subList(1, LINKS.size());

  private record Fault(String name, BiConsumer<TestNet.Access, Link> apply) {
    static Fault of(String name, double reordering, double part, double duplication) {
      return new Fault(
          name,
          (access, link) -> {
            access.reordering = reordering;
            access.holdBackNanos = (long) (part * link.rttNanos());
            access.duplication = duplication;
          });
    }
  }

  private static final List<Fault> FAULTS =
      List.of(
          Fault.of("reorder 1 %, RTT/8", 0.01, 1 / 8.0, 0),
          Fault.of("reorder 5 %, RTT/8", 0.05, 1 / 8.0, 0),
          Fault.of("reorder 1 %, RTT/2", 0.01, 1 / 2.0, 0),
          Fault.of("reorder 5 %, RTT/2", 0.05, 1 / 2.0, 0),
          Fault.of("duplicate 1 %", 0, 0, 0.01),
          Fault.of("duplicate 5 %", 0, 0, 0.05),
          new Fault("jitter RTT/4", (access, link) -> access.jitterNanos = link.rttNanos() / 4));

  @ParameterizedTest
  @ValueSource(strings = {"reno", "cubic"})
  void shouldKeepItsRateUnderReorderingAndDuplication(String algorithm) {
    double[][] mbit =
        cells(
            FAULTS.size(),
            LONGER.size(),
            2 * RUNS,
            (seed, row, column) -> {
              Link link = LONGER.get(column);
              Download d = new Download(seed, true, config(algorithm), link);
              FAULTS.get(row).apply.accept(d.bottleneck, link);
              // The data passes the correspondent's link first; so does what is duplicated.
              d.net.access(Pair.LC).duplication = d.bottleneck.duplication;
              return d.goodput(warmUp(link), 8_000, 60);
            });
    SnapshotTable table =
        new SnapshotTable(
            "reordering-" + algorithm,
            "Mbit/s of payload: "
                + algorithm
                + ", one flow in ILNP mode, after slow start.\nRows: packets held back by a part of"
                + " the RTT, or arriving twice, both ways; columns: RTT and rate of the link; "
                + seeds(2 * RUNS)
                + ".",
            names(LONGER));
    for (int r = 0; r < FAULTS.size(); r++) {
      table.row(FAULTS.get(r).name, mbit[r]);
    }
    check(table);
  }

  // ---- buffers --------------------------------------------------------------------------------

  private static final int[] BUFFERS_KB = {4, 16, 64, 256, 1024, 4096};

  @ParameterizedTest
  @ValueSource(strings = {"reno", "cubic"})
  void shouldUseTheWholeBuffer(String algorithm) {
    int sizes = BUFFERS_KB.length;
    double[][] mbit =
        cells(
            2 * sizes,
            LINKS.size(),
            1,
            (seed, row, column) -> {
              Link link = LINKS.get(column);
              int bytes = BUFFERS_KB[row % sizes] << 10;
              TcpConfig config =
                  row < sizes
                      ? config(algorithm).withBuffers(8 << 20, bytes)
                      : config(algorithm).withBuffers(bytes, 8 << 20);
              return new Download(seed, true, config, link).goodput(warmUp(link), 10_000, 40);
            });
    SnapshotTable table =
        new SnapshotTable(
            "buffers-" + algorithm,
            "Mbit/s of payload: "
                + algorithm
                + ", one flow in ILNP mode, after slow start, without loss.\nRows: size of the receive"
                + " or the send buffer, the other one is large; columns: RTT and rate of the link; "
                + seeds(1)
                + ".",
            names(LINKS));
    for (int r = 0; r < 2 * sizes; r++) {
      table.row((r < sizes ? "receive " : "send ") + BUFFERS_KB[r % sizes] + " KB", mbit[r]);
    }
    for (int r = 0; r < 2 * sizes; r++) {
      // The program fills the send buffer up when a quarter of it is free.
      double part = r < sizes ? 0.9 : 0.7;
      for (int c = 0; c < LINKS.size(); c++) {
        Link link = LINKS.get(c);
        double bytes = Math.floor((BUFFERS_KB[r % sizes] << 10) / PAYLOAD) * PAYLOAD; // whole ones
        double most = bytes * 8 / 1e3 / link.packetRttMs();
        assertThat(mbit[r][c])
            .as("row %d, %d KB, %s", r, BUFFERS_KB[r % sizes], link.name)
            .isGreaterThan(Math.min(part * most, 0.9 * link.mbit));
      }
    }
    check(table);
  }

  // ---- queues ---------------------------------------------------------------------------------

  private static final double[] QUEUES = {0.1, 0.3, 1, 2};

  @ParameterizedTest
  @ValueSource(strings = {"reno", "cubic"})
  void shouldFillThePipeWhateverTheQueue(String algorithm) {
    double[][] mbit =
        cells(
            QUEUES.length,
            LONGER.size(),
            1,
            (seed, row, column) -> {
              Link link = LONGER.get(column);
              Download d = new Download(seed, true, config(algorithm), link);
              d.bottleneck.queueBytes =
                  (int) (QUEUES[row] * link.octetsPerSecond() * link.rttMs / 1000);
              return d.goodput(0, Long.MAX_VALUE / 2000, Math.min(30, 5 + link.rttMs / 5));
            });
    SnapshotTable table =
        new SnapshotTable(
            "queues-" + algorithm,
            "Mbit/s of payload: "
                + algorithm
                + ", one flow in ILNP mode, from the SYN on.\nRows: drop-tail queue in bandwidth-delay"
                + " products; columns: RTT and rate of the link; "
                + seeds(1)
                + ".",
            names(LONGER));
    for (int r = 0; r < QUEUES.length; r++) {
      table.row("queue " + QUEUES[r], mbit[r]);
    }
    check(table);
  }

  // ---- flows ----------------------------------------------------------------------------------

  private static final int[] FLOWS = {1, 2, 4, 8, 16, 32, 64};
  private static final int FLOW_RUNS = 2;

  @ParameterizedTest
  @ValueSource(strings = {"reno", "cubic"})
  void shouldShareABottleneck(String algorithm) {
    double[][] figures =
        means(FLOWS.length, FLOW_RUNS, (seed, i) -> share(seed, algorithm, FLOWS[i]));
    SnapshotTable table =
        new SnapshotTable(
            "flows-" + algorithm,
            "Flows from one node to another over 40 Mbit/s, RTT 40 ms, queue of one bandwidth-delay"
                + " product: "
                + algorithm
                + ", ILNP mode.\nPayload in % of the link, Jain's index of the flows' shares over 20 s,"
                + " segments sent again in %; "
                + seeds(FLOW_RUNS)
                + ".",
            List.of("link %", "Jain", "again %"));
    for (int r = 0; r < FLOWS.length; r++) {
      table.row(FLOWS[r] + " flows", figures[r]);
    }
    for (int r = 0; r < FLOWS.length; r++) {
      assertThat(figures[r][0]).as("%d flows: use of the link", FLOWS[r]).isGreaterThan(90);
    }
    assertThat(figures[3][1]).as("8 flows: Jain's index").isGreaterThan(0.95);
    check(table);
  }

  private static double[] share(long seed, String algorithm, int flows) {
    Link link = new Link("", 40, 40);
    Download d = new Download(seed, true, config(algorithm), link);
    // Flows in lockstep are an artefact of clocks without any jitter.
    d.net.access(Pair.LC).jitterNanos = NanoClock.millis(1);
    List<Stream> clients = new ArrayList<>();
    List<Stream> servers = new ArrayList<>();
    d.pair.cn.engine.listen(
        Pair.PORT,
        (now, p) -> {
          Stream s = new Stream(d.pair.cn, 1L << 40, 2, 1);
          servers.add(s);
          s.on(p.accept(now, s));
        });
    for (int i = 0; i < flows; i++) {
      Stream s = new Stream(d.pair.mn, 0, 1, 2);
      s.keepOpen = true;
      clients.add(s);
      s.on(d.pair.mn.engine.connect(d.net.now, d.pair.toCn(), Pair.PORT, s));
      d.net.runFor(NanoClock.millis(31));
    }
    d.net.runFor(NanoClock.seconds(12)); // who came first gives way loss by loss
    long[] before = clients.stream().mapToLong(s -> s.received).toArray();
    double seconds = 20;
    d.net.runFor((long) (seconds * 1e9));
    double[] shares =
        IntStream.range(0, flows).mapToDouble(i -> clients.get(i).received - before[i]).toArray();
    double sum = Arrays.stream(shares).sum();
    double squares = Arrays.stream(shares).map(x -> x * x).sum();
    assertThat(Arrays.stream(shares).min().orElseThrow())
        .as("the least share of %d flows", flows)
        .isGreaterThan(0.4 * sum / flows);
    double sent = 0;
    double again = 0;
    for (Stream s : servers) {
      TcpInfo info = s.connection.info(d.net.now);
      sent += info.segmentsOut();
      again += info.retransmittedSegments();
    }
    d.end();
    return new double[] {
      100 * sum / (seconds * link.octetsPerSecond()),
      sum * sum / (flows * squares),
      100 * again / sent
    };
  }

  // ---- flaps and moves ------------------------------------------------------------------------

  private static final List<Link> FLAPPING =
      List.of(
          new Link("5 ms 20M", 5, 20),
          new Link("20 ms 20M", 20, 20),
          new Link("100 ms 20M", 100, 20),
          new Link("300 ms 20M", 300, 20));

  /** What happens to the mobile node's links every so often; the first after one period. */
  private record Disturbance(String name, long periodMs, long outageMs, Consumer<Download> begin) {}

  private static void flap(Download d, long downMs) {
    d.bottleneck.up = false;
    d.net.in(NanoClock.millis(downMs), () -> d.bottleneck.up = true);
  }

  private static void move(Download d, boolean soft, long outageMs) {
    boolean atFirst =
        d.pair.mn.ilcc.local().source() == null || d.pair.mn.ilcc.local().source().l64 == Pair.L1;
    long from = atFirst ? Pair.L1 : Pair.L2;
    long to = atFirst ? Pair.L2 : Pair.L1;
    if (soft) {
      d.pair.softMove(d.pair.mn, from, to, true);
    } else {
      d.net.access(to).up = true;
      if (d.pair.mn.ilcc.local().get(to) != null) {
        d.pair.mn.ilcc.local().remove(d.pair.mn.ilcc.local().get(to));
      }
      d.pair.hardMove(d.pair.mn, from, to, NanoClock.millis(outageMs), true);
    }
  }

  private static final List<Disturbance> DISTURBANCES =
      List.of(
          new Disturbance("50 ms down of 1 s", 1000, 50, d -> flap(d, 50)),
          new Disturbance("300 ms down of 3 s", 3000, 300, d -> flap(d, 300)),
          new Disturbance("1 s down of 5 s", 5000, 1000, d -> flap(d, 1000)),
          new Disturbance("5 s down of 20 s", 20_000, 5000, d -> flap(d, 5000)),
          new Disturbance("soft move of 2 s", 2000, 0, d -> move(d, true, 0)),
          new Disturbance("hard move of 3 s", 3000, 0, d -> move(d, false, 0)),
          new Disturbance("hard, 100 ms out", 3000, 100, d -> move(d, false, 100)),
          new Disturbance("hard, 1 s out of 5 s", 5000, 1000, d -> move(d, false, 1000)));

  @ParameterizedTest
  @ValueSource(strings = {"reno", "cubic"})
  void shouldComeBackAfterFlapsAndMoves(String algorithm) {
    double seconds = 25;
    double[][] percent =
        cells(
            DISTURBANCES.size(),
            FLAPPING.size(),
            1,
            (seed, row, column) -> {
              Link link = FLAPPING.get(column);
              Disturbance what = DISTURBANCES.get(row);
              Download d = new Download(seed, true, config(algorithm), link);
              double warmUp = warmUp(link);
              int times = 0;
              for (long ms = what.periodMs - what.outageMs;
                  ms < seconds * 1000;
                  ms += what.periodMs) {
                d.net.at((long) (warmUp * 1e9) + NanoClock.millis(ms), () -> what.begin.accept(d));
                times++;
              }
              double up = seconds - times * what.outageMs / 1e3;
              double mbit = d.goodput(warmUp, Long.MAX_VALUE / 2000, seconds);
              return 100 * mbit * seconds / (up * link.mbit);
            });
    SnapshotTable table =
        new SnapshotTable(
            "flaps-" + algorithm,
            "Payload in % of what the link could carry while it was up, over 25 s: "
                + algorithm
                + ", one flow in ILNP mode.\nRows: what happens how often; hard moves each 3 s unless"
                + " said otherwise; columns: RTT and rate of the link; "
                + seeds(1)
                + ".",
            names(FLAPPING));
    for (int r = 0; r < DISTURBANCES.size(); r++) {
      table.row(DISTURBANCES.get(r).name, percent[r]);
    }
    check(table);
  }

  // ---- short transfers ------------------------------------------------------------------------

  private static final int SHORT_BYTES = 30_000;

  /** 30 000 octets are 22 segments: an initial window of 10, then 12. */
  private static final int SEGMENTS = 22;

  /** Which packets are lost, once each. Segments count from 1; 0 is SYN-ACK, -1 SYN. */
  private record Losses(String name, List<Integer> which) {
    static Losses of(String name, Integer... which) {
      return new Losses(name, List.of(which));
    }
  }

  private static final List<Losses> SHORT_LOSSES =
      List.of(
          Losses.of("nothing"),
          Losses.of("SYN", -1),
          Losses.of("SYN-ACK", 0),
          Losses.of("the first", 1),
          Losses.of("the fifth", 5),
          Losses.of("the first ten", 1, 2, 3, 4, 5, 6, 7, 8, 9, 10),
          Losses.of("the last but one", SEGMENTS - 1),
          Losses.of("the last", SEGMENTS),
          Losses.of("the last three", SEGMENTS - 2, SEGMENTS - 1, SEGMENTS));

  @ParameterizedTest
  @ValueSource(strings = {"reno", "cubic"})
  void shouldRepairShortTransfersSoon(String algorithm) {
    double[][] ms =
        cells(
            SHORT_LOSSES.size(),
            LINKS.size(),
            1,
            (seed, row, column) ->
                completionMs(seed, algorithm, LINKS.get(column), SHORT_LOSSES.get(row).which));
    SnapshotTable table =
        new SnapshotTable(
            "short-" + algorithm,
            "Milliseconds from the SYN until 30 000 octets and the end of the stream were here: "
                + algorithm
                + ", ILNP mode.\nRows: which of the 22 segments is lost (once); columns: RTT and rate"
                + " of the link; "
                + seeds(1)
                + ".",
            names(LINKS));
    for (int r = 0; r < SHORT_LOSSES.size(); r++) {
      table.row(SHORT_LOSSES.get(r).name, ms[r]);
    }
    for (int c = 0; c < LINKS.size(); c++) {
      // Handshake, ten segments, twelve segments; paced in part.
      Link link = LINKS.get(c);
      double onLink = 23 * 1500 * 8 / 1e3 / link.mbit;
      assertThat(ms[0][c]).as(link.name).isLessThan(3.1 * link.rttMs + onLink + 1);
    }
    check(table);
  }

  private static double completionMs(long seed, String algorithm, Link link, List<Integer> losses) {
    Download d = new Download(seed, true, config(algorithm), link);
    List<Integer> left = new ArrayList<>(losses);
    PacketView view = new PacketView();
    TcpHeader h = new TcpHeader();
    int[] start = {-1};
    d.net.filter =
        packet -> {
          boolean sound =
              view.parse(packet) == null
                  && h.parse(packet, view.upperIndex, view.upperLength) == null;
          assertThat(sound).isTrue();
          if (h.has(TcpHeader.SYN)) {
            start[0] = h.has(TcpHeader.ACK) ? h.seq + 1 : start[0];
            return !left.remove((Integer) (h.has(TcpHeader.ACK) ? 0 : -1));
          }
          boolean data = view.srcL64 == Pair.LC && h.payloadLength > 0;
          return !(data && left.remove((Integer) ((int) ((h.seq - start[0]) / PAYLOAD) + 1)));
        };
    d.pair.open(0, SHORT_BYTES);
    d.net.await(NanoClock.seconds(100), () -> d.pair.client.ended);
    double ms = d.net.now / 1e6;
    assertThat(d.pair.client.received).isEqualTo(SHORT_BYTES);
    assertThat(left).as("lost packets").isEmpty();
    d.end();
    return ms;
  }
}

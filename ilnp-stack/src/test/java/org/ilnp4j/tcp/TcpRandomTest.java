package org.ilnp4j.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import java.util.stream.IntStream;
import org.ilnp4j.time.NanoClock;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Two stacks, random decisions: whatever is dropped, duplicated, delayed, reordered, corrupted or
 * moved, the streams arrive intact or both sides learn that they did not. A failing seed is in the
 * test's name; {@code -Dtcp.random.seed=N} runs one alone, {@code -Dtcp.random.count=N} more.
 */
class TcpRandomTest {
  static IntStream seeds() {
    Integer one = Integer.getInteger("tcp.random.seed");
    return one != null
        ? IntStream.of(one)
        : IntStream.range(0, Integer.getInteger("tcp.random.count", 400));
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void shouldArriveIntactOrFailOnBothSides(int seed) {
    new Run(seed).run();
  }

  private static final class Run {
    final Random random;
    final Pair pair;
    final boolean ilnp;
    long mnAt = Pair.L1;
    long cnAt = Pair.LC;
    boolean brutal;

    Run(int seed) {
      random = new Random(seed * 7919L + 13);
      ilnp = random.nextInt(4) != 0;
      int send = 4096 << random.nextInt(8);
      int receive = 4096 << random.nextInt(8);
      TcpConfig base =
          random.nextBoolean()
              ? TcpConfig.DEFAULT
              : TcpConfig.DEFAULT.withCongestionControl("reno");
      pair = new Pair(seed, ilnp, base.withBuffers(send, receive), 1280 + random.nextInt(800), 0);
      for (long l64 : new long[] {Pair.L1, Pair.L2, Pair.LC, Pair.LD}) {
        TestNet.Access a = pair.net.access(l64);
        a.delayNanos = NanoClock.millis(random.nextInt(random.nextBoolean() ? 100 : 5));
        a.rate = random.nextBoolean() ? 0 : 200_000L + random.nextInt(20_000_000);
        a.queueBytes = 5000 + random.nextInt(200_000);
        a.loss = random.nextBoolean() ? 0 : random.nextDouble() * 0.1;
        a.jitterNanos = random.nextBoolean() ? 0 : NanoClock.millis(random.nextInt(30));
        a.duplication = random.nextInt(3) == 0 ? random.nextDouble() * 0.1 : 0;
        a.corruption = random.nextInt(5) == 0 ? random.nextDouble() * 0.02 : 0;
      }
    }

    void run() {
      pair.keepAliveNanos = NanoClock.seconds(60); // or a side whose peer is gone never knows
      pair.open(random.nextInt(300_000), random.nextInt(300_000));
      if (random.nextInt(4) != 0) {
        pair.net.runFor(NanoClock.millis(2500)); // most connections are made before the first move
      }
      pair.client.chunk = 1 + random.nextInt(random.nextBoolean() ? 20_000 : 300);
      pair.server.chunk = 1 + random.nextInt(random.nextBoolean() ? 20_000 : 300);
      int steps = random.nextInt(12);
      for (int i = 0; i < steps; i++) {
        pair.net.runFor(NanoClock.millis(random.nextInt(random.nextBoolean() ? 50 : 1500)));
        step();
      }
      settle();
      pair.net.await(
          NanoClock.seconds(2000),
          () -> pair.isDone() || pair.client.closed != null && pair.server.connection == null);
      boolean good =
          pair.client.closed == TcpCloseReason.NORMAL
              && pair.server.closed == TcpCloseReason.NORMAL;
      assertThat(pair.client.intact && pair.server.intact).as("octets as sent").isTrue();
      if (good && !brutal) {
        pair.assertIntact();
      } else {
        // A session that had to fall back cannot move.
        boolean fellBack = ilnp && !pair.client.connection.correspondent().isIlnp();
        // And the last ACK can be lost until TIME-WAIT is over; everything is there all the same.
        boolean allThere =
            pair.client.received == pair.server.toSend
                && pair.server.received == pair.client.toSend;
        assertThat(brutal || fellBack || allThere)
            .as("%s, %s", pair.client.closed, pair.server.closed)
            .isTrue();
        pair.listener.close();
      }
      pair.net.assertNoLeaks();
    }

    private void step() {
      switch (random.nextInt(10)) {
        case 0:
        case 1:
        case 2:
          move(true);
          break;
        case 3:
        case 4:
          move(false);
          break;
        case 5:
          pause(random.nextBoolean() ? pair.client : pair.server);
          break;
        case 6:
          flap(mnAt);
          break;
        case 7:
          flap(cnAt);
          break;
        case 8:
          pair.net.access(mnAt).delayNanos = NanoClock.millis(random.nextInt(150));
          break;
        default:
          if (random.nextInt(15) == 0) {
            brutal = true;
            TcpConnection c =
                random.nextBoolean() ? pair.client.connection : pair.server.connection;
            if (c != null) {
              c.abort(pair.net.now);
            }
          }
      }
    }

    private void move(boolean mobile) {
      if (!ilnp) {
        return;
      }
      TestNode node = mobile ? pair.mn : pair.cn;
      long from = mobile ? mnAt : cnAt;
      long to = mobile ? (mnAt ^ Pair.L1 ^ Pair.L2) : (cnAt ^ Pair.LC ^ Pair.LD);
      if (node.ilcc.local().get(from) == null) {
        return; // in an outage already
      }
      boolean tell = random.nextInt(3) != 0;
      pair.net.access(to).up = true;
      if (random.nextBoolean()) {
        pair.softMove(node, from, to, tell);
      } else {
        if (node.ilcc.local().get(to) != null) {
          node.ilcc.local().remove(node.ilcc.local().get(to));
        }
        pair.hardMove(
            node, from, to, NanoClock.millis(random.nextInt(3) * random.nextInt(2000)), tell);
      }
      if (mobile) {
        mnAt = to;
      } else {
        cnAt = to;
      }
    }

    private void pause(Stream s) {
      s.paused = true;
      pair.net.in(
          NanoClock.millis(random.nextInt(5000)),
          () -> {
            s.paused = false;
            if (s.connection != null) {
              s.drain(pair.net.now);
            }
          });
    }

    private void flap(long l64) {
      pair.net.access(l64).up = false;
      pair.net.in(NanoClock.millis(random.nextInt(3000)), () -> pair.net.access(l64).up = true);
    }

    /** Each side learns by name where the other is; all links are up. */
    private void settle() {
      pair.net.runFor(NanoClock.seconds(5));
      pair.net.access(mnAt).up = true;
      pair.net.access(cnAt).up = true;
      if (ilnp) {
        pair.update(pair.mn, 0, cnAt);
        pair.update(pair.cn, 0, mnAt);
      }
    }
  }
}

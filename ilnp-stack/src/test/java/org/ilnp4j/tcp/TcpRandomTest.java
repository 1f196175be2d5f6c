package org.ilnp4j.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import java.util.Collections;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.ilnp4j.time.NanoClock;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Two stacks, random decisions: whatever is dropped, duplicated, delayed, reordered, corrupted or
 * moved, whatever sizes are written and read, whoever stops reading, closes or aborts, and whatever
 * becomes of the MTU, the streams arrive intact or both sides learn that they did not; and nothing
 * is left over.
 *
 * <p>{@code -Dilnp.seeds=N} runs so many seeds, {@code -Dilnp.first=N} begins with another one than
 * 0; the message of a failure says how to run its seed alone.
 */
@Tag("simulation")
class TcpRandomTest {
  private static final int SEEDS = Integer.getInteger("ilnp.seeds", 10_000);
  private static final int FIRST = Integer.getInteger("ilnp.first", 0);

  /** After so many, the rest would say the same. */
  private static final int FAILURES = 10;

  @Test
  void shouldArriveIntactOrFailOnBothSides() {
    Map<Integer, Throwable> failures = new ConcurrentSkipListMap<>();
    IntStream.range(FIRST, FIRST + SEEDS)
        .parallel()
        .forEach(
            seed -> {
              if (failures.size() < FAILURES) {
                try {
                  new Run(seed).run();
                } catch (Exception | AssertionError e) {
                  failures.put(seed, e);
                }
              }
            });
    if (!failures.isEmpty()) {
      String list =
          failures.entrySet().stream()
              .map(e -> "seed " + e.getKey() + ": " + e.getValue().getMessage())
              .collect(Collectors.joining("\n"));
      int seed = Collections.min(failures.keySet());
      fail(
          "%s\nOne of them alone, with each packet:\n"
              + "mvn -q -pl ilnp-stack -am test -Dtest=TcpRandomTest"
              + " -Dsurefire.failIfNoSpecifiedTests=false -Djacoco.skip=true -Dilnp.first=%d"
              + " -Dilnp.seeds=1 -Dtcp.trace=true",
          list, seed);
    }
  }

  private static final class Run {
    final Random random;
    final Pair pair;
    final TestNet net;
    final boolean ilnp;
    long mnAt = Pair.L1;
    long cnAt = Pair.LC;

    /** Somebody has ended the connection before its time. */
    boolean brutal;

    Run(int seed) {
      random = new Random(seed * 7919L + 13);
      ilnp = random.nextInt(4) != 0;
      TcpConfig config =
          TcpConfig.DEFAULT
              .withCongestionControl(random.nextBoolean() ? "cubic" : "reno")
              .withBuffers(4096 << random.nextInt(8), 4096 << random.nextInt(8));
      pair = new Pair(seed, ilnp, config, 1280 + random.nextInt(800), 0);
      if (seed % 2 == 1) {
        pair.withSuperSegments();
      }
      net = pair.net;
      for (long l64 : new long[] {Pair.L1, Pair.L2, Pair.LC, Pair.LD}) {
        TestNet.Access a = net.access(l64);
        a.delayNanos = 1000L * random.nextInt(random.nextBoolean() ? 100_000 : 2000);
        a.rate = random.nextBoolean() ? 0 : 200_000L + random.nextInt(20_000_000);
        a.queueBytes = 5000 + random.nextInt(200_000);
        a.loss = random.nextBoolean() ? 0 : random.nextDouble() * 0.1;
        a.jitterNanos = random.nextBoolean() ? 0 : NanoClock.millis(random.nextInt(30));
        a.reordering = random.nextInt(3) == 0 ? random.nextDouble() * 0.1 : 0;
        a.holdBackNanos = NanoClock.millis(random.nextInt(100));
        a.duplication = random.nextInt(3) == 0 ? random.nextDouble() * 0.1 : 0;
        a.corruption = random.nextInt(5) == 0 ? random.nextDouble() * 0.02 : 0;
      }
    }

    /** Mostly small, sometimes large. */
    private int size() {
      return random.nextInt(1 << random.nextInt(20));
    }

    void run() {
      pair.keepAliveNanos = NanoClock.seconds(60); // or a side whose peer is gone never knows
      int fromClient = size();
      int fromServer = size();
      pair.open(fromClient, fromServer);
      habits(pair.client);
      habits(pair.server);
      if (random.nextInt(4) != 0) {
        net.runFor(NanoClock.millis(2500)); // most connections are made before the first move
      }
      int steps = random.nextInt(12);
      for (int i = 0; i < steps; i++) {
        net.runFor(NanoClock.millis(random.nextInt(random.nextBoolean() ? 50 : 1500)));
        step();
      }
      settle();
      net.await(
          NanoClock.seconds(2500),
          () -> pair.isDone() || pair.client.closed != null && pair.server.connection == null);
      assertThat(pair.client.intact && pair.server.intact).as("octets as sent").isTrue();
      assertThatEnded();
      assertBounded(fromClient + fromServer);
      long before = net.packetsSent;
      net.assertNoLeaks();
      assertThat(net.packetsSent - before).as("packets after the end").isLessThan(100);
    }

    private void assertThatEnded() {
      Stream client = pair.client;
      Stream server = pair.server;
      boolean good =
          client.closed == TcpCloseReason.NORMAL && server.closed == TcpCloseReason.NORMAL;
      if (good && !brutal) {
        pair.assertIntact();
        return;
      }
      // A session that had to fall back cannot move.
      boolean fellBack = ilnp && !client.connection.correspondent().isIlnp();
      // And the last ACK can be lost until TIME-WAIT is over; everything is there all the same.
      boolean allThere = client.received == server.toSend && server.received == client.toSend;
      assertThat(brutal || fellBack || allThere)
          .as("%s, %s without a reason", client.closed, server.closed)
          .isTrue();
      pair.listener.close();
    }

    /** Neither the network nor a node is busy without need. */
    private void assertBounded(int bytes) {
      long writes = bytes / Math.min(pair.client.chunk, pair.server.chunk);
      long reads = bytes / Math.min(pair.client.readChunk, pair.server.readChunk);
      long needed = bytes / 1000 + writes + reads;
      long seconds = net.now / NanoClock.seconds(1);
      assertThat(net.packetsSent)
          .as(
              "packets for %d octets, %d writes and %d reads in %d s",
              bytes, writes, reads, seconds)
          .isLessThan(1000 + 20 * needed + 2 * seconds);
      assertThat(net.turns)
          .as("turns for %d packets in %d s", net.packetsSent, seconds)
          .isLessThan(1000 + 10 * net.packetsSent + 10 * seconds);
    }

    /** How a program writes and reads. */
    private void habits(Stream s) {
      s.chunk = 1 + random.nextInt(random.nextBoolean() ? 20_000 : 300);
      s.readChunk = 1 + random.nextInt(random.nextBoolean() ? 60_000 : 300);
      if (random.nextInt(4) == 0 && s.connection != null) {
        s.connection.noDelay(true);
      }
    }

    private void step() {
      switch (random.nextInt(14)) {
        case 0:
        case 1:
          move(true);
          break;
        case 2:
          move(false);
          break;
        case 3:
          move(true);
          move(false); // both at once
          break;
        case 4:
          pause(random.nextBoolean() ? pair.client : pair.server);
          break;
        case 5:
          flap(mnAt);
          break;
        case 6:
          flap(cnAt);
          break;
        case 7:
          net.access(mnAt).delayNanos = NanoClock.millis(random.nextInt(150));
          break;
        case 8:
          net.access(random.nextBoolean() ? mnAt : cnAt).mtu = 1280 + random.nextInt(300);
          break;
        case 9:
          habits(random.nextBoolean() ? pair.client : pair.server);
          break;
        case 10:
          net.access(cnAt).loss = random.nextBoolean() ? 0 : random.nextDouble() * 0.3;
          break;
        default:
          if (random.nextInt(20) == 0) {
            endEarly(random.nextBoolean() ? pair.client : pair.server);
          }
      }
    }

    private void endEarly(Stream s) {
      if (s.connection == null) {
        return;
      }
      brutal = true;
      if (random.nextBoolean()) {
        s.connection.abort(net.now);
      } else {
        s.connection.close(net.now);
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
      net.access(to).up = true;
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

    /** Stops reading for a while, now and then for minutes, and takes a sip or two meanwhile. */
    private void pause(Stream s) {
      s.paused = true;
      long whileNanos = NanoClock.millis(random.nextInt(random.nextInt(4) == 0 ? 150_000 : 5000));
      for (int i = random.nextInt(4); i > 0; i--) {
        int sip = 1 + random.nextInt(3000);
        net.in(
            (long) (random.nextDouble() * whileNanos),
            () -> {
              if (s.connection != null && s.closed == null) {
                s.sip(net.now, sip);
              }
            });
      }
      net.in(
          whileNanos,
          () -> {
            s.paused = false;
            if (s.connection != null) {
              s.drain(net.now);
            }
          });
    }

    private void flap(long l64) {
      net.access(l64).up = false;
      net.in(NanoClock.millis(random.nextInt(3000)), () -> net.access(l64).up = true);
    }

    /** Each side learns by name where the other is; all links are up and carry most packets. */
    private void settle() {
      net.runFor(NanoClock.seconds(5));
      for (long l64 : new long[] {Pair.LC, Pair.LD}) {
        net.access(l64).loss = Math.min(net.access(l64).loss, 0.1);
      }
      net.access(mnAt).up = true;
      net.access(cnAt).up = true;
      if (ilnp) {
        pair.update(pair.mn, 0, cnAt);
        pair.update(pair.cn, 0, mnAt);
      }
    }
  }
}

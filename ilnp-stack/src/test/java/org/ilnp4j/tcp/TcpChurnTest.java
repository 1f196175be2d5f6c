package org.ilnp4j.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import org.ilnp4j.time.NanoClock;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Connections come and go by the thousand and leave nothing (tcp.md B7, B10). */
class TcpChurnTest {
  /** The ways in which the connections end, in turn. */
  private enum Ending {
    CLIENT_FIRST,
    SERVER_FIRST,
    BOTH_AT_ONCE,
    CLIENT_RESETS,
    SERVER_RESETS,
    REFUSED,
    GIVEN_UP,
    LAST_SEGMENTS_LOST
  }

  private final TcpConfig config =
      TcpConfig.DEFAULT
          .withTimeWait(NanoClock.seconds(1))
          .withUserTimeout(NanoClock.seconds(2))
          .withBuffers(64 << 10, 64 << 10);
  private Pair pair;
  private Stream server;
  private int served;

  @ParameterizedTest
  @CsvSource({"true, 100000", "false, 20000"})
  void shouldLeaveNothingAfterManyThousandConnections(boolean ilnp, int cycles) {
    pair = new Pair(1, ilnp, config, 1500, 2);
    pair.listener =
        pair.cn.engine.listen(
            Pair.PORT,
            (now, p) -> {
              served++;
              server = new Stream(pair.cn, 100, 2, 1);
              server.keepOpen = true;
              server.on(p.accept(now, server));
            });
    int warmUp = cycles / 10;
    for (int i = 0; i < warmUp; i++) {
      connectAndEnd(Ending.values()[i % Ending.values().length]);
    }
    settle();
    long heap = heapBytes();
    int entries = pair.mn.ilcc.size() + pair.cn.ilcc.size();
    for (int i = warmUp; i < cycles; i++) {
      connectAndEnd(Ending.values()[i % Ending.values().length]);
    }
    settle();
    assertThat(served).isEqualTo(cycles / Ending.values().length * (Ending.values().length - 1));
    assertThat(pair.mn.ilcc.size() + pair.cn.ilcc.size()).isEqualTo(entries);
    // Ten octets for each of 100 000 connections would be 900 kB.
    assertThat(heapBytes() - heap).as("growth of the heap").isLessThan(900_000);
    pair.listener.close();
    pair.net.assertNoLeaks();
  }

  private void connectAndEnd(Ending how) {
    int port = how == Ending.REFUSED ? Pair.PORT + 1 : Pair.PORT;
    Stream client = new Stream(pair.mn, 100, 1, 2);
    client.keepOpen = true;
    server = null;
    client.on(pair.mn.engine.connect(pair.net.now, pair.toCn(), port, client));
    if (how == Ending.REFUSED) {
      pair.net.await(NanoClock.seconds(5), () -> client.closed != null);
      assertThat(client.closed).isEqualTo(TcpCloseReason.REFUSED);
      return;
    }
    pair.net.await(
        NanoClock.seconds(5),
        () -> client.received == 100 && server != null && server.received == 100);
    Stream s = server;
    long now = pair.net.now;
    switch (how) {
      case CLIENT_FIRST -> close(client, s);
      case SERVER_FIRST -> close(s, client);
      case BOTH_AT_ONCE -> {
        client.connection.close(now);
        s.connection.close(now);
      }
      case CLIENT_RESETS -> client.connection.abort(now);
      case SERVER_RESETS -> s.connection.abort(now);
      case GIVEN_UP -> {
        // Both have something to say, and neither is heard.
        pair.net.filter = p -> false;
        client.connection.send(now, pair.mn.allocator.directBuffer(8).writeLong(1));
        s.connection.send(now, pair.cn.allocator.directBuffer(8).writeLong(1));
        pair.net.await(NanoClock.seconds(60), () -> client.closed != null && s.closed != null);
        pair.net.filter = p -> true;
      }
      case LAST_SEGMENTS_LOST -> {
        client.connection.close(now);
        s.connection.close(now);
        pair.net.filter = p -> false;
        pair.net.runFor(NanoClock.millis(300));
        pair.net.filter = p -> true;
      }
      default -> throw new IllegalStateException(how.toString());
    }
    pair.net.await(NanoClock.seconds(60), () -> client.closed != null && s.closed != null);
    assertThat(client.intact && s.intact).isTrue();
  }

  private void close(Stream first, Stream second) {
    first.connection.close(pair.net.now);
    pair.net.await(NanoClock.seconds(5), () -> second.ended);
    second.connection.close(pair.net.now);
  }

  /** Until every TIME-WAIT is over. */
  private void settle() {
    pair.net.runFor(NanoClock.seconds(5));
    assertThat(pair.mn.engine.connections() + pair.cn.engine.connections()).isZero();
    assertThat(pair.mn.timers.armed() + pair.cn.timers.armed()).isZero();
    assertThat(pair.mn.usedMemory() + pair.cn.usedMemory()).as("buffers").isZero();
  }

  private static long heapBytes() {
    long least = Long.MAX_VALUE;
    for (int i = 0; i < 3; i++) {
      System.gc();
      Runtime r = Runtime.getRuntime();
      least = Math.min(least, r.totalMemory() - r.freeMemory());
    }
    return least;
  }
}

package org.ilnp4j.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.ilnp4j.time.NanoClock;
import org.ilnp4j.util.Counter;
import org.ilnp4j.util.Counters;
import org.ilnp4j.util.DropReason;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What all connections of a host may hold together. */
class MemoryBudgetTest {
  private static final int MIB = 1 << 20;

  @Test
  void shouldGiveLessTheLessIsLeftButTheGuaranteeAlways() {
    MemoryBudget budget = new MemoryBudget(4 * MIB, new Counters());
    assertThat(budget.allowed(6 * MIB)).isEqualTo(6 * MIB);
    budget.charge(3 * MIB);
    assertThat(budget.allowed(6 * MIB)).isEqualTo(6 * MIB);
    budget.charge(MIB / 2);
    assertThat(budget.allowed(6 * MIB)).isEqualTo(3 * MIB);
    budget.charge(MIB / 2);
    assertThat(budget.allowed(6 * MIB)).isEqualTo(MemoryBudget.GUARANTEED_BYTES);
    assertThat(budget.allowed(4096)).isEqualTo(4096);
    assertThat(budget.admit(MemoryBudget.GUARANTEED_BYTES - 1)).isTrue();
    assertThat(budget.admit(MemoryBudget.GUARANTEED_BYTES)).isFalse();
    budget.charge(-4 * MIB);
    assertThat(budget.admit(100 * MIB)).isTrue();
  }

  private static TcpTranscript full(boolean ilnp) {
    TcpConfig config = TcpConfig.DEFAULT.withBuffers(65536, 65535).withMemory(MIB);
    TcpTranscript t = new TcpTranscript(ilnp, config, 0x7000_0000, 1500);
    t.autoRead = false;
    t.established("mss=1000 sackok win=10000");
    return t;
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void shouldThrowEarlyDataAwayFirst(boolean ilnp) {
    TcpTranscript t = full(ilnp);
    t.receive("A seq=1001 ack=1 len=1000").expect("A ack=1 sack=1001-2001");
    t.node.engine.memory().charge(MIB);
    t.receive("A seq=3001 ack=1 len=1000").expect("A ack=1 sack=1001-2001");
    assertThat(t.dropped(DropReason.TCP_MEMORY)).isEqualTo(1);
    t.receive("A seq=1 ack=1 len=1000").expect("A ack=1001 sack=no"); // guaranteed
    assertThat(t.node.counters.get(Counter.TCP_EARLY_PRUNED)).isEqualTo(1000);
    t.node.engine.memory().charge(-MIB);
    t.receive("A seq=1001 ack=1 len=1000").expect("A ack=2001");
    t.end();
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void shouldKeepTheGuaranteeAndDropWhatTheWindowPromisedBeyond(boolean ilnp) {
    TcpTranscript t = full(ilnp);
    t.node.engine.memory().charge(MIB);
    int seq = 1;
    for (; t.connection.info(t.now).memoryBytes() < MemoryBudget.GUARANTEED_BYTES; seq += 1000) {
      t.receive("A seq=" + seq + " ack=1 len=1000").expect("A ack=" + (seq + 1000));
    }
    // The right edge stays where it was promised, and moves no further.
    int edge = 65535 - (seq - 1);
    t.receive("A seq=" + seq + " ack=1 len=1000").expect("A ack=" + seq + " win=" + edge);
    assertThat(t.dropped(DropReason.TCP_MEMORY)).isEqualTo(1);
    t.readAll();
    t.turn();
    t.sent.clear();
    t.receive("A seq=" + seq + " ack=1 len=1000").expect("A ack=" + (seq + 1000));
    t.node.engine.memory().charge(-MIB);
    t.end();
  }

  @Test
  void shouldChargeAFloodOfTinySegmentsItsTrueSize() {
    TcpTranscript t = full(true);
    int kept = 0;
    for (int i = 0; i < 500; i++) { // every second one missing: runs of 64 octets
      t.receive("A seq=" + (65 + 128 * i) + " ack=1 len=64");
      kept += 64;
    }
    t.sent.clear();
    long held = t.connection.info(t.now).memoryBytes();
    assertThat(held).isGreaterThanOrEqualTo(kept);
    assertThat(t.node.usedMemory() + 500L * ReceiveBuffer.RUN_BYTES).isEqualTo(held);
    assertThat(t.node.engine.memory().usedBytes()).isEqualTo(held);
    t.end();
  }

  /** Many readers that have stopped, and one more that comes late. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void shouldBoundAllConnectionsTogetherAndServeOneMore(boolean ilnp) {
    Pair pair = new Pair(3, ilnp, TcpConfig.DEFAULT.withMemory(4 * MIB), 1500, 10);
    pair.net.access(Pair.L1).rate = 100_000_000 / 8;
    List<Stream> readers = new ArrayList<>();
    List<Stream> writers = new ArrayList<>();
    pair.listener =
        pair.cn.engine.listen(
            Pair.PORT,
            (now, p) -> {
              Stream s = new Stream(pair.cn, writers.size() < 8 ? 1L << 40 : 1_000_000, 2, 1);
              writers.add(s);
              s.on(p.accept(now, s));
            });
    for (int i = 0; i < 8; i++) {
      readers.add(connect(pair));
    }
    pair.net.runFor(NanoClock.seconds(3)); // the windows grow to what the path carries
    long unread = 0;
    for (Stream s : readers) {
      s.paused = true;
    }
    pair.net.runFor(NanoClock.seconds(3));
    for (Stream s : readers) {
      unread += s.connection.readableBytes();
    }
    assertThat(unread).isGreaterThan(MIB / 2);
    assertThat(pair.mn.engine.memory().usedBytes())
        .isLessThan(4 * MIB + 9L * MemoryBudget.GUARANTEED_BYTES);
    assertThat(pair.cn.engine.memory().usedBytes())
        .isLessThan(4 * MIB + 9L * MemoryBudget.GUARANTEED_BYTES);
    Stream late = connect(pair);
    pair.net.await(NanoClock.seconds(60), () -> late.received == 1_000_000);
    assertThat(late.intact).isTrue();
    // And those that were held up go on when they are read again.
    for (Stream s : readers) {
      long before = s.received;
      s.paused = false;
      s.drain(pair.net.now);
      pair.net.await(NanoClock.seconds(200), () -> s.received > before + MIB);
      assertThat(s.intact).isTrue();
    }
    pair.mn.engine.abortAll(pair.net.now);
    pair.cn.engine.abortAll(pair.net.now);
    pair.listener.close();
    pair.net.assertNoLeaks();
  }

  private static Stream connect(Pair pair) {
    Stream s = new Stream(pair.mn, 0, 1, 2);
    s.keepOpen = true;
    s.on(pair.mn.engine.connect(pair.net.now, pair.toCn(), Pair.PORT, s));
    pair.net.runFor(NanoClock.millis(20));
    return s;
  }
}

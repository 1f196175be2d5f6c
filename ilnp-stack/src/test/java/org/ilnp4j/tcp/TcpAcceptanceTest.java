package org.ilnp4j.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every synchronized state × kind of segment × position in the window (RFC 9293 §3.10.7.4, RFC
 * 5961). The table says what must follow; it knows nothing of the implementation.
 */
class TcpAcceptanceTest {
  private enum Kind {
    ACK("A", 0),
    DATA("A", 10),
    FIN("FA", 0),
    DATA_FIN("FA", 10),
    RST("R", 0),
    RST_ACK("RA", 0),
    SYN("S", 0),
    SYN_ACK("SA", 0),
    NO_FLAGS("", 10);

    final String flags;
    final int length;

    Kind(String flags, int length) {
      this.flags = flags;
      this.length = length;
    }

    boolean isReset() {
      return this == RST || this == RST_ACK;
    }

    boolean isSyn() {
      return this == SYN || this == SYN_ACK;
    }

    boolean hasFin() {
      return this == FIN || this == DATA_FIN;
    }
  }

  private enum Position {
    LEFT,
    LEFT_EDGE,
    INSIDE,
    RIGHT_EDGE,
    RIGHT
  }

  private static final Set<TcpState> STATES =
      EnumSet.of(
          TcpState.ESTABLISHED,
          TcpState.FIN_WAIT_1,
          TcpState.FIN_WAIT_2,
          TcpState.CLOSE_WAIT,
          TcpState.CLOSING,
          TcpState.LAST_ACK);

  static Stream<Arguments> table() {
    List<Arguments> rows = new ArrayList<>();
    for (boolean ilnp : new boolean[] {true, false}) {
      for (TcpState state : STATES) {
        for (Kind kind : Kind.values()) {
          for (Position position : Position.values()) {
            rows.add(Arguments.of(ilnp, state, kind, position));
          }
        }
      }
    }
    return rows.stream();
  }

  @ParameterizedTest(name = "ilnp {0}: {2} at {3} in {1}")
  @MethodSource("table")
  void shouldAnswerAsTheTableSays(boolean ilnp, TcpState state, Kind kind, Position position) {
    TcpTranscript t = new TcpTranscript(ilnp);
    t.in(state);
    boolean finSeen =
        state == TcpState.CLOSE_WAIT || state == TcpState.CLOSING || state == TcpState.LAST_ACK;
    boolean finSent = state != TcpState.ESTABLISHED && state != TcpState.CLOSE_WAIT;
    int next = finSeen ? 2 : 1;
    int window = 65535;
    int nxt = finSent ? 2 : 1;
    int una =
        state == TcpState.FIN_WAIT_1 || state == TcpState.CLOSING || state == TcpState.LAST_ACK
            ? 1
            : nxt;
    int seq = next;
    switch (position) {
      case LEFT:
        seq = next - 20;
        break;
      case LEFT_EDGE:
        break;
      case INSIDE:
        seq = next + 100;
        break;
      case RIGHT_EDGE:
        seq = 1 + window;
        break;
      case RIGHT:
        seq = next + window + 1000;
        break;
    }
    String flags = kind.flags.isEmpty() ? "" : kind.flags + " ";
    t.receive(flags + "seq=" + seq + " ack=" + una + " len=" + kind.length);

    boolean inWindow = position == Position.LEFT_EDGE || position == Position.INSIDE;
    String ack = "A seq=" + nxt + " ack=" + next + " len=0";
    if (kind.isReset()) {
      if (position == Position.LEFT_EDGE) {
        t.expectNothing();
        t.expectState(TcpState.CLOSED);
        t.expectEvents("closed RESET");
      } else if (position == Position.INSIDE) {
        t.expect(ack); // challenge
        t.expectState(state);
      } else {
        t.expectNothing();
        t.expectState(state);
      }
    } else if (kind.isSyn()) {
      t.expect(ack);
      t.expectState(state);
    } else if (kind == Kind.NO_FLAGS) {
      if (!inWindow) {
        t.expect(ack);
      }
      t.expectState(state);
    } else if (kind == Kind.ACK) {
      if (position == Position.LEFT || position == Position.RIGHT) {
        t.expect(ack);
      }
      t.expectState(state);
    } else if (!inWindow || finSeen) {
      t.expect(ack); // repeated, or behind the end
      t.expectState(state);
    } else if (position == Position.INSIDE) {
      t.expect(ack);
      t.expectState(state);
      assertThat(t.readBytes()).isZero();
    } else {
      assertThat(t.readBytes()).isEqualTo(kind.length);
      if (kind.hasFin()) {
        t.expect("A seq=" + nxt + " ack=" + (next + kind.length + 1));
        t.expectState(
            state == TcpState.ESTABLISHED
                ? TcpState.CLOSE_WAIT
                : state == TcpState.FIN_WAIT_1 ? TcpState.CLOSING : TcpState.TIME_WAIT);
      } else {
        t.expect("A seq=" + nxt + " ack=" + (next + kind.length));
        t.expectState(state);
      }
    }
    t.expectNothing();
    t.end();
  }
}

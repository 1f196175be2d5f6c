package org.ilnp4j.pkt;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/**
 * Plays {@code states.table}: for each state, kind of segment and place in the window a script is
 * made and played, in classic and in ILNP mode. The table explains itself.
 */
class StateTableTest {
  private static final Path TABLE = Path.of("src/test/resources/pkt/states.table");
  private static final String[] PLACES = {"left", "left edge", "inside", "right edge", "right"};

  private static final long[] FIRST_NUMBERS = {1000, 0, 0x7fff_ffffL, 0xffff_ffffL, 0xffff_fff0L};

  /** The last octet of the window a SYN without scale is answered with. */
  private static final int RIGHT_EDGE = 65535;

  private static final int TEXT_BYTES = 10;

  /** One state: what is known there, and how a script gets there. */
  private record State(String name, int rcv, int snd, int ack, String way) {
    /** Sequence number of a segment at a place. */
    int seq(int place) {
      return switch (place) {
        case 0 -> rcv - 100;
        case 1 -> rcv;
        case 2 -> rcv + 5000;
        case 3 -> RIGHT_EDGE;
        default -> RIGHT_EDGE + 100;
      };
    }

    boolean hasConnection() {
      return !name.equals("CLOSED") && !name.equals("LISTEN");
    }

    /** No window is known yet: the places stand for peers that begin at different numbers. */
    boolean isBeforeTheirSyn() {
      return !hasConnection() || name.equals("SYN_SENT");
    }
  }

  @TestFactory
  Stream<DynamicTest> shouldAnswerAsTheTableSays() throws IOException {
    List<DynamicTest> tests = new ArrayList<>();
    State state = null;
    StringBuilder way = null;
    Map<String, Integer> known = new HashMap<>();
    String name = "";
    for (String raw : Files.readAllLines(TABLE)) {
      String line = raw.strip();
      if (line.startsWith("#") || line.isEmpty()) {
        continue;
      }
      if (line.startsWith("[")) {
        String[] words = line.substring(1, line.length() - 1).split(" +");
        name = words[0];
        for (int i = 1; i < words.length; i++) {
          known.put(words[i].split("=")[0], Integer.parseInt(words[i].split("=")[1]));
        }
        way = new StringBuilder();
      } else if (line.equals("---")) {
        state =
            new State(name, known.get("rcv"), known.get("snd"), known.get("ack"), way.toString());
        way = null;
      } else if (way != null) {
        way.append(line).append('\n');
      } else {
        String[] row = line.split(" +");
        for (String mode : List.of("classic", "ilnp")) {
          State s = state;
          tests.add(
              DynamicTest.dynamicTest(
                  mode + " " + s.name + " " + row[0], () -> playRow(s, row, mode)));
        }
      }
    }
    assertThat(tests).hasSizeGreaterThan(200);
    return tests.stream();
  }

  private static void playRow(State state, String[] row, String mode) {
    assertThat(row)
        .as("cells of %s %s", state.name, row[0])
        .matches(r -> r.length == 2 || r.length == 6);
    for (int place = 0; place < PLACES.length; place++) {
      String cell = row[row.length == 2 ? 1 : 1 + place];
      boolean open = cell.endsWith("?");
      String script = script(state, row[0], place, open ? cell.replace("?", "") : cell, mode);
      Outcome o = ScriptRunner.play(script, Profile.ILNP4J);
      if (open && o.verdict() != Verdict.PASS) {
        o = ScriptRunner.play(script(state, row[0], place, "-", mode), Profile.ILNP4J);
      }
      assertThat(o.verdict())
          .as(
              "%s, %s at %s, %s: %s%n%s",
              state.name, row[0], PLACES[place], cell, o.reason(), script)
          .isEqualTo(Verdict.PASS);
    }
  }

  private static String script(State state, String segment, int place, String cell, String mode) {
    String flags = segment.replace("!", "");
    boolean wrongAck = segment.endsWith("!");
    boolean syn = flags.contains("S");
    int seq = state.isBeforeTheirSyn() ? (syn ? 0 : 1) : state.seq(place);
    // Sequence numbers left of a script's zero wrap.
    long from = seq & 0xffff_ffffL;
    int length = flags.startsWith("P") ? TEXT_BYTES : 0;
    int ack = wrongAck ? state.snd + 1000 : state.ack;
    boolean hasAck = flags.contains(".");
    int end = seq + length + (flags.matches(".*[SF].*") ? 1 : 0);

    StringBuilder s = new StringBuilder("--mode=" + mode + "\n--ip_version=ipv6\n");
    if (state.isBeforeTheirSyn()) {
      s.append("--remote_isn=").append(FIRST_NUMBERS[place]).append('\n');
    }
    s.append(state.way);
    s.append("+.01 < ").append(flags.replace("P", hasAck ? "" : "P")).append(' ');
    s.append(from)
        .append(':')
        .append(from + length & 0xffff_ffffL)
        .append('(')
        .append(length)
        .append(')');
    s.append(hasAck ? " ack " + ack : "").append(" win 10000\n");

    int arrow = cell.indexOf('>');
    String answer = arrow < 0 ? cell : cell.substring(0, arrow);
    String after = arrow < 0 ? state.name : cell.substring(arrow + 1);
    String packet =
        switch (answer) {
          case "-" -> "";
          case "ack" -> "+0 > . " + empty(state.snd) + " ack " + state.rcv;
          case "ack+" -> "+0 > . " + empty(state.snd) + " ack " + end;
          case "later" -> "+0~+.5 > . " + empty(state.snd) + " ack " + end;
          case "rst" -> "+0 > R " + empty(ack);
          case "rst+" -> "+0 > R. 0:0(0) ack " + (end & 0xffff_ffffL);
          case "synack" -> "+0 > S. ...(0) ack " + (end & 0xffff_ffffL) + " <...>";
          default -> throw new IllegalArgumentException("what is \"" + cell + "\"?");
        };
    s.append(packet).append('\n');
    if (state.hasConnection() || arrow >= 0) {
      s.append("+0 %{ assert tcpi_state == TCP_").append(after).append(" }%\n");
    }
    return s.toString();
  }

  private static String empty(int seq) {
    return seq + ":" + seq + "(0)";
  }
}
